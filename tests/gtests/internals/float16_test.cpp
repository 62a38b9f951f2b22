// SPDX-License-Identifier: Apache-2.0

// The conversions of f16 and bf16 in plain C++.

#include "cpu/float16.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/bit_cast.hpp"
#include "reference/numeric.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tombola::impl::cpu {
namespace {

uint32_t widened(uint16_t bits) { return bit_cast<uint32_t>(to_f32(Float16{bits})); }

// By hand: the fraction moves up by 13 bits, and its first bit makes a NaN quiet.
TEST(Float16, NanBecomesQuietAndKeepsItsBits) {
    EXPECT_EQ(widened(0x7C01), 0x7FC02000u);
    EXPECT_EQ(widened(0xFC01), 0xFFC02000u);
    EXPECT_EQ(widened(0x7D55), 0x7FEAA000u);
    EXPECT_EQ(widened(0x7E00), 0x7FC00000u);
    EXPECT_EQ(widened(0xFFFF), 0xFFFFE000u);
    EXPECT_EQ(widened(0x7C00), 0x7F800000u);  // infinity
}

#if defined(__x86_64__)
__attribute__((target("f16c"))) uint32_t widened_by_the_processor(uint16_t bits) {
    return bit_cast<uint32_t>(_cvtsh_ss(bits));
}

TEST(Float16, EveryValueIsThatOfTheProcessor) {
    if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor may lack vcvtph2ps";
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
        ASSERT_EQ(widened(static_cast<uint16_t>(bits)),
                  widened_by_the_processor(static_cast<uint16_t>(bits)))
            << bits;
}
#endif

// Every finite number of both types, the midpoint between it and the next one, and the neighbours of the midpoint. The midpoint after the
// greatest number is where infinity begins.
TEST(Float16, RoundsAsTheReferenceDoes) {
    const auto check = [](float x) {
        ASSERT_EQ(to_f16(x).bits, reference::double_to_f16(x)) << x;
        ASSERT_EQ(to_bf16(x).bits, reference::double_to_bf16(x)) << x;
    };
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
        for (const auto decode : {reference::f16_to_double, reference::bf16_to_double}) {
            const double value = decode(static_cast<uint16_t>(bits));
            const double next = decode(static_cast<uint16_t>(bits + 1));
            if (std::isnan(value)) continue;
            check(static_cast<float>(value));
            if (!std::isfinite(value) || std::isnan(next)) continue;
            const double last = decode(static_cast<uint16_t>(bits - 1));
            const auto middle = static_cast<float>(
                std::isfinite(next) ? value + (next - value) / 2 : value + (value - last) / 2);
            constexpr float kInfinity = std::numeric_limits<float>::infinity();
            for (const float x :
                 {middle, std::nextafter(middle, kInfinity), std::nextafter(middle, -kInfinity)})
                check(x);
        }
    const float greatest = std::numeric_limits<float>::max();
    for (const float x : {greatest, -greatest}) check(x);
}

TEST(Float16, BFloat16BecomesTheUpperHalf) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits)
        ASSERT_EQ(bit_cast<uint32_t>(to_f32(BFloat16{static_cast<uint16_t>(bits)})), bits << 16);
}

}  // namespace
}  // namespace tombola::impl::cpu
