// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/philox_fill.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/streaming.hpp"
#include "cpu/x64/rng/philox_args.hpp"

namespace tombola::impl::cpu::x64 {
PhiloxFill::PhiloxFill(const PhiloxKernel& kernel, PhiloxCounter start, PhiloxKey key,
                       const PackedParameters& parameters)
    : kernel_(kernel), start_(start), key_(key), args_{} {
    set_philox_keys(args_, key);
    std::memcpy(args_.parameters, parameters.bytes, sizeof args_.parameters);
    args_.form = parameters.form;
}

// If the first element does not begin a block, that block is generated into a buffer, and its elements are copied.
void PhiloxFill::generate(Uint128 first, int64_t count, void* to, bool streaming) const {
    const int block_elements = kPhiloxBlockWords / kernel_.words;
    const auto skip = static_cast<int64_t>(first % static_cast<unsigned>(block_elements));
    Uint128 block = first / static_cast<unsigned>(block_elements);
    auto* at = static_cast<char*>(to);
    if (skip != 0) {
        alignas(8) char buffer[kPhiloxBlockWords * sizeof(uint64_t)];
        const auto size = static_cast<size_t>(kernel_.element_bytes);
        const int64_t head = std::min(count, block_elements - skip);
        generate_blocks(block, skip + head, buffer, false);
        std::memcpy(at, buffer + static_cast<size_t>(skip) * size,
                    static_cast<size_t>(head) * size);
        at += static_cast<size_t>(head) * size;
        count -= head;
        ++block;
    }
    if (count > 0) generate_blocks(block, count, at, streaming);
}

RowsAtOnce PhiloxFill::rows_at_once(Uint128 first, int64_t count) const {
    return philox_rows_at_once(kernel_.row_functions, kPhiloxBlockWords / kernel_.words, start_,
                               first, count);
}

void PhiloxFill::generate_rows(Uint128 first, const RowsRun& run) const {
    const int block_elements = kPhiloxBlockWords / kernel_.words;
    PhiloxArgs args = args_;
    set_philox_rows(args, run.rows, run.columns, run.distance / block_elements, run.place);
    fold_philox_rounds(args, start_.plus(first / static_cast<unsigned>(block_elements)), key_);
    kernel_.row_functions.of(run.rows)(args);
}

// One call of the kernel ends where the lowest word of the counter wraps. A first short call ends where stores that
// bypass the caches are aligned.
void PhiloxFill::generate_blocks(Uint128 first_block, int64_t count, void* to,
                                 bool streaming) const {
    PhiloxArgs args = args_;
    const int block_elements = kPhiloxBlockWords / kernel_.words;
    const int block_bytes = block_elements * kernel_.element_bytes;
    PhiloxCounter counter = start_.plus(first_block);
    auto* at = static_cast<char*>(to);
    while (count > 0) {
        int64_t blocks = philox_blocks_to_wrap(counter);
        const uintptr_t behind = bytes_into_line(at);
        args.streaming = streaming && behind == 0 ? 1 : 0;
        if (streaming && behind != 0 && behind % static_cast<unsigned>(block_bytes) == 0)
            blocks = std::min<int64_t>(
                blocks, static_cast<int64_t>(kStreamingAlignment - behind) / block_bytes);
        args.count = std::min(count, blocks * block_elements);
        args.dst = at;
        fold_philox_rounds(args, counter, key_);
        kernel_.function(args);
        at += args.count * kernel_.element_bytes;
        count -= args.count;
        counter = counter.plus(static_cast<uint64_t>(blocks));
    }
}

void fill_from_philox(const MemoryDesc& dst, void* data, const PhiloxFill& source, Uint128 first) {
    const auto options = philox_fill_options(source.nanoseconds_per_element());
    const RowsAtOnce at_once = source.rows_at_once(first, dst.nelems());
    fill(dst, data, options, [&](const FillPart& part) {
        const auto number = [&](int64_t element) { return first + static_cast<uint64_t>(element); };
        part.for_each_run(
            [&](const Run& run) {
                source.generate(number(run.first), run.count, run.to, run.streaming);
            },
            at_once, [&](const RowsRun& run) { source.generate_rows(number(run.first), run); });
    });
}

void fill_from_philox(const MemoryDesc& dst, void* data, const PhiloxCall& call,
                      const PhiloxKernel& kernel, const PackedParameters& parameters) {
    fill_from_philox(dst, data, PhiloxFill(kernel, call.start, call.key(), parameters),
                     call.offset);
}

}  // namespace tombola::impl::cpu::x64
