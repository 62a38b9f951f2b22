// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/lowering_cache.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "common/fork.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// All numbers of a program and its ISA.
using Key = std::vector<int64_t>;

// Each class is taken apart by name: with a further member it does not compile until the key has that too.
Key key_of(const PermuteProgram& program, CpuIsa isa) {
    const auto& [unit, loop, dst_alignment, row_bytes, pixel_bytes, block_stride, in_l1, in_l2,
                 near_sources, sources, sections] = program;
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
               in_l2,
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

class LoweringCache {
  public:
    // Empty if they are not there.
    Lowerings find(const Key& key) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(key);
        if (found == entries_.end()) return {};
        found->second.last_use = ++clock_;
        return found->second.lowerings;
    }
    void store(Key&& key, const Lowerings& lowerings) {
        const size_t bytes = bytes_of(key, lowerings);
        if (bytes > kMaxBytes / 8) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!entries_.emplace(std::move(key), Entry{lowerings, bytes, ++clock_}).second) return;
        bytes_ += bytes;
        while (bytes_ > kMaxBytes) drop_least_recently_used();
    }

  private:
    static constexpr size_t kMaxBytes = size_t{4} << 20;
    struct Entry {
        Lowerings lowerings;
        size_t bytes;
        uint64_t last_use;
    };

    static size_t bytes_of(const Key& key, const Lowerings& lowerings) {
        size_t bytes = key.size() * sizeof(key[0]);
        for (const auto& operations : lowerings)
            bytes += operations->size() * sizeof(Operation) +
                     operations->tables.size() * sizeof(Table) +
                     operations->sections.size() * sizeof(Operations::Section);
        return bytes;
    }
    void drop_least_recently_used() {
        const auto oldest = std::min_element(
            entries_.begin(), entries_.end(),
            [](const auto& a, const auto& b) { return a.second.last_use < b.second.last_use; });
        bytes_ -= oldest->second.bytes;
        entries_.erase(oldest);
    }

    std::mutex mutex_;
    std::map<Key, Entry> entries_;
    size_t bytes_ = 0;
    uint64_t clock_ = 0;
};

}  // namespace

Lowerings cached_lowerings(const PermuteProgram& program, CpuIsa isa) {
    const ForkHold hold;
    // Never destroyed, as the caches of kernels.
    static LoweringCache& cache = *new LoweringCache;
    Key key = key_of(program, isa);
    Lowerings lowerings = cache.find(key);
    if (!lowerings.empty()) return lowerings;
    for (Operations& lowered : all_lowerings(program, isa))
        lowerings.push_back(std::make_shared<const Operations>(std::move(lowered)));
    cache.store(std::move(key), lowerings);
    return lowerings;
}

}  // namespace tombola::impl::cpu::x64
