// SPDX-License-Identifier: Apache-2.0

// The conversion of f16 in plain C++.

#include "cpu/float16.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tombola::impl::cpu
