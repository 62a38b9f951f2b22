// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/lowering_cache.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "common/fork.hpp"
#include "common/lru_cache.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// All numbers of a program, and its ISA.
using Key = std::vector<int64_t>;

// Structured bindings name every member. If a member is added, this does not compile until the member is named here, and so enters the key.
Key key_of(const PermuteProgram& program, CpuIsa isa) {
    const auto& [unit, loop, dst_alignment, row_bytes, pixel_bytes, block_stride, in_l1, crowds_src,
                 crowds_dst, near_sources, sources, sections] = program;
    const auto& [src_step, dst_step, single_step, granule] = loop;
    Key key = {static_cast<int64_t>(isa),
               unit,
               src_step,
               dst_step,
               single_step,
               granule,
               dst_alignment,
               row_bytes,
               pixel_bytes,
               block_stride,
               in_l1,
               crowds_src,
               crowds_dst,
               near_sources,
               static_cast<int64_t>(sources.size())};
    key.insert(key.end(), sources.begin(), sources.end());
    for (const auto& [extents, outputs, section_loop] : sections) {
        const auto& [repeats, src_repeat, dst_repeat, joined] = section_loop;
        key.insert(key.end(),
                   {repeats, src_repeat, dst_repeat, joined, static_cast<int64_t>(extents.size())});
        for (const auto& [offset, bytes] : extents) key.insert(key.end(), {offset, bytes});
        key.push_back(static_cast<int64_t>(outputs.size()));
        for (const auto& [dst_offset, first, units, apart] : outputs)
            key.insert(key.end(), {dst_offset, static_cast<int64_t>(first), units, apart});
    }
    return key;
}

size_t bytes_of(const Key& key, const Lowerings& lowerings) {
    size_t bytes = key.size() * sizeof(key[0]);
    for (const auto& operations : lowerings)
        bytes += operations->size() * sizeof(Operation) +
                 operations->tables.size() * sizeof(Table) +
                 operations->sections.size() * sizeof(Operations::Section);
    return bytes;
}

// The lowerings of a program that cost at most `max_cycles`, the cheapest first. A higher limit only appends to the list.
struct Known {
    double max_cycles;
    Lowerings lowerings;
};

struct LoweringCache {
    static constexpr size_t kMaxBytes = size_t{4} << 20;
    std::mutex mutex;
    LruCache<Key, Known> known{kMaxBytes};
};

}  // namespace

Lowerings cached_lowerings(const PermuteProgram& program, CpuIsa isa, double max_cycles) {
    const ForkHold hold;
    // Never destroyed, like the caches of kernels.
    static LoweringCache& cache = *new LoweringCache;
    Key key = key_of(program, isa);
    {
        const std::lock_guard<std::mutex> lock(cache.mutex);
        const Known* found = cache.known.find(key);
        if (found != nullptr && found->max_cycles >= max_cycles) return found->lowerings;
    }
    Lowerings lowerings;
    for (Operations& lowered : all_lowerings(program, isa, max_cycles))
        lowerings.push_back(std::make_shared<const Operations>(std::move(lowered)));
    const size_t bytes = bytes_of(key, lowerings);
    const std::lock_guard<std::mutex> lock(cache.mutex);
    // Plans and kernels may hold the operations that are known already. The new list shares them, which saves memory.
    if (const Known* found = cache.known.find(key)) {
        if (found->max_cycles >= max_cycles) return found->lowerings;
        assert(found->lowerings.size() <= lowerings.size());
        std::copy(found->lowerings.begin(), found->lowerings.end(), lowerings.begin());
    }
    cache.known.store(std::move(key), {max_cycles, lowerings}, bytes);
    return lowerings;
}

}  // namespace tombola::impl::cpu::x64
