// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/rng/philox_fill.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/float16.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr uint64_t kCounterWords = uint64_t{1} << 32;  // values of the lowest counter word
constexpr uintptr_t kStreamingAlignment = 64;

uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

int floor_log2(uint64_t x) { return 63 - __builtin_clzll(x); }

bool is_power_of_two(float x) {
    int exponent;
    return std::frexp(x, &exponent) == 0.5f;
}

// What rounds 0 to 2 have of the counter words that do not change: the constants of philox_kernel.cpp.
void fold_rounds(PhiloxKernel::Args& args, PhiloxCounter counter, PhiloxKey key) {
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

void set_keys(PhiloxKernel::Args& args, PhiloxKey key) {
    constexpr uint32_t kLast = kPhiloxRounds - 1;
    constexpr uint32_t kFirst = kLast - PhiloxKernel::kKeyedRounds;
    for (uint32_t i = 0; i < PhiloxKernel::kKeyedRounds; ++i) {
        args.keys[i][0] = key.k0 + (kFirst + i) * kPhiloxW0;
        args.keys[i][1] = key.k1 + (kFirst + i) * kPhiloxW1;
    }
    args.last_keys_high[0] = uint64_t{key.k0 + kLast * kPhiloxW0} << 32;
    args.last_keys_high[1] = uint64_t{key.k1 + kLast * kPhiloxW1} << 32;
}

}  // namespace

PhiloxParameters f32_parameters(float range, float min) {
    return {{bit_cast<uint32_t>(range), bit_cast<uint32_t>(min)},
            range == 1.0f && min == 0.0f ? 1u : 0u};
}

PhiloxParameters f64_parameters(double range, double min) {
    return {{bit_cast<uint64_t>(range), bit_cast<uint64_t>(min)},
            range == 1.0 && min == 0.0 ? 1u : 0u};
}

// Form 1: a power of two times 10 bits is exact in f16 unless it goes below 2^-24, its smallest. Form 2: no product
// but 0 is below 2^-14, where f16 has fewer digits.
PhiloxParameters f16_parameters(float range, float min) {
    uint32_t form = 0;
    if (is_power_of_two(range) && range >= 0x1p-14f)
        form = 1;
    else if (range >= 0x1p-4f)
        form = 2;
    return {{bit_cast<uint32_t>(range * 0x1p-10f), bit_cast<uint32_t>(min),
             bit_cast<uint32_t>(range * -0x1p13f)},
            form};
}

// Form 1: 7 bits times a power of two, and nothing added, is exact in bf16 if it is not subnormal. Form 2: far from
// what f32 cannot hold.
PhiloxParameters bf16_parameters(float range, float min) {
    uint32_t form = 0;
    if (is_power_of_two(range) && range >= 0x1p-119f && min == 0.0f)
        form = 1;
    else if (range >= 0x1p-100f && range <= 0x1p100f)
        form = 2;
    return {
        {bit_cast<uint32_t>(range), bit_cast<uint32_t>(min), bit_cast<uint32_t>(range * 0x1p-7f)},
        form};
}

// With l = floor(log2 range), 2^(32+l) = m * range + r: either m + 1 serves, w * (m + 1) >> (32 + l), if
// range - r <= 2^l, or, as r <= 2^l then, m does with w + 1: (w * m + m) >> (32 + l). A power of two is a shift.
PhiloxParameters s32_parameters(uint32_t range, uint32_t min) {
    const int l = floor_log2(range);
    const uint64_t power = uint64_t{1} << (32 + l);
    const uint64_t m = power / range, r = power % range;
    if (r == 0) return {{uint64_t{1} << 31, 0, static_cast<uint64_t>(31 + l), range, min}};
    const auto shift = static_cast<uint64_t>(32 + l);
    if (range - r <= uint64_t{1} << l) return {{m + 1, 0, shift, range, min}};
    return {{m, m, shift, range, min}};
}

// With l = floor(log2 range), m = floor((2^(64+l) - 1) / range) < 2^64: x * m / 2^(64+l) is below x / range by
// less than (1 + 1/range) / 2^l. Without the low product and two fractions, the kernel's hi64(x * m) is below
// by at most 2 more, 2 / 2^l of a quotient. For l >= 2 these sum to less than 1: q is too small by at most 1.
// For range 1 to 3, it is by at most 3: there 2 * range is subtracted first where it can be.
PhiloxParameters s64_parameters(uint64_t range, uint64_t min) {
    const int l = floor_log2(range);
    const Uint128 power_less_1 = l == 63 ? ~Uint128{0} >> 1 : (Uint128{1} << (64 + l)) - 1;
    const auto m = static_cast<uint64_t>(power_less_1 / range);
    return {{m, static_cast<uint64_t>(l), range, range < 4 ? 2 * range : 0, min}};
}

PhiloxFill::PhiloxFill(const PhiloxKernel& kernel, PhiloxCounter start, PhiloxKey key,
                       const PhiloxParameters& parameters)
    : kernel_(kernel), start_(start), key_(key), args_{} {
    set_keys(args_, key);
    std::memcpy(args_.parameters, parameters.values, sizeof args_.parameters);
    args_.form = parameters.form;
}

// An element that begins within a block: its block goes to a buffer first, and what was asked for is copied.
void PhiloxFill::generate(Uint128 first, int64_t count, void* to, bool streaming) const {
    const int block_elements = kPhiloxBlockWords / kernel_.words();
    const auto skip = static_cast<int64_t>(first % static_cast<unsigned>(block_elements));
    Uint128 block = first / static_cast<unsigned>(block_elements);
    auto* at = static_cast<char*>(to);
    if (skip != 0) {
        alignas(8) char buffer[kPhiloxBlockWords * sizeof(uint32_t)];
        const auto size = static_cast<size_t>(kernel_.element_bytes());
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

// Cuts where the lowest word of the counter wraps, and, for stores past the caches, where they are aligned.
void PhiloxFill::generate_blocks(Uint128 first_block, int64_t count, void* to,
                                 bool streaming) const {
    PhiloxKernel::Args args = args_;
    const int block_elements = kPhiloxBlockWords / kernel_.words();
    const int block_bytes = block_elements * kernel_.element_bytes();
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
        kernel_(args);
        at += args.count * kernel_.element_bytes();
        count -= args.count;
        counter = counter.plus(static_cast<uint64_t>(blocks));
    }
}

}  // namespace tombola::impl::cpu::x64
