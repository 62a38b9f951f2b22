// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/philox_fill.hpp"

#include <algorithm>
#include <cstring>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr uint64_t kCounterWords = uint64_t{1} << 32;  // values of the lowest counter word
constexpr uintptr_t kStreamingAlignment = 64;

uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

// Computes the constants of rounds 0 to 2 (fold0 to fold2 of philox_generator.cpp) from the counter words that do not
// change.
void fold_rounds(PhiloxArgs& args, PhiloxCounter counter, PhiloxKey key) {
    const auto k0 = [&](uint32_t round) { return key.k0 + round * kPhiloxW0; };
    const auto k1 = [&](uint32_t round) { return key.k1 + round * kPhiloxW1; };
    const uint32_t c1 = high(counter.lo), c2 = low(counter.hi), c3 = high(counter.hi);
    const uint64_t p1 = uint64_t{kPhiloxM1} * c2;  // of round 0
    const uint32_t next_c0 = high(p1) ^ c1 ^ k0(0), next_c1 = low(p1);
    const uint64_t p0 = uint64_t{kPhiloxM0} * next_c0;  // of round 1
    args.product = uint64_t{kPhiloxM0} * low(counter.lo);
    args.fold0 = uint64_t{c3 ^ k1(0)} << 32 | (high(p0) ^ k1(1));
    args.fold1 = uint64_t{next_c1 ^ k0(1)} << 32 | k0(2);
    args.fold2 = low(p0) ^ k1(2);
}

void set_keys(PhiloxArgs& args, PhiloxKey key) {
    constexpr uint32_t kLast = kPhiloxRounds - 1;
    constexpr uint32_t kFirst = kLast - kPhiloxKeyedRounds;
    for (uint32_t i = 0; i < kPhiloxKeyedRounds; ++i) {
        args.keys[i][0] = key.k0 + (kFirst + i) * kPhiloxW0;
        args.keys[i][1] = key.k1 + (kFirst + i) * kPhiloxW1;
    }
    args.last_keys_high[0] = uint64_t{key.k0 + kLast * kPhiloxW0} << 32;
    args.last_keys_high[1] = uint64_t{key.k1 + kLast * kPhiloxW1} << 32;
}

}  // namespace

PhiloxFill::PhiloxFill(const PhiloxKernel& kernel, PhiloxCounter start, PhiloxKey key,
                       const PackedParameters& parameters)
    : kernel_(kernel), start_(start), key_(key), args_{} {
    set_keys(args_, key);
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
        alignas(8) char buffer[kPhiloxBlockWords * sizeof(uint32_t)];
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
        auto blocks = static_cast<int64_t>(kCounterWords - low(counter.lo));
        const uintptr_t behind = reinterpret_cast<uintptr_t>(at) % kStreamingAlignment;
        args.streaming = streaming && behind == 0 ? 1 : 0;
        if (streaming && behind != 0 && behind % static_cast<unsigned>(block_bytes) == 0)
            blocks = std::min<int64_t>(
                blocks, static_cast<int64_t>(kStreamingAlignment - behind) / block_bytes);
        args.count = std::min(count, blocks * block_elements);
        args.dst = at;
        fold_rounds(args, counter, key_);
        kernel_.function(args);
        at += args.count * kernel_.element_bytes;
        count -= args.count;
        counter = counter.plus(static_cast<uint64_t>(blocks));
    }
}

void fill_from_philox(const MemoryDesc& dst, void* data, const PhiloxFill& source, Uint128 first) {
    fill(dst, data, kPhiloxFillOptions, [&](const FillPart& part) {
        part.for_each_run([&](const Run& run) {
            source.generate(first + static_cast<uint64_t>(run.first), run.count, run.to,
                            run.streaming);
        });
    });
}

void fill_from_philox(const MemoryDesc& dst, void* data, const PhiloxCall& call,
                      const PhiloxKernel& kernel, const PackedParameters& parameters) {
    fill_from_philox(dst, data, PhiloxFill(kernel, call.start, call.key(), parameters),
                     call.offset);
}

}  // namespace tombola::impl::cpu::x64
