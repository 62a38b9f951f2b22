// SPDX-License-Identifier: Apache-2.0
#pragma once

// f32 to a 16-bit type, rounded up or down at random: d is a draw of 16 bits.
//
//   bf16     (bits(x) + d) >> 16
//   f16      With |x| in units in the last place of f16 and F = floor(|x| * 2^13), the result is (F + d mod 2^13) >> 13
//            units. From 2^-14 on, F is the significand of x, so the 13 bits that are dropped decide. Below, a unit is
//            2^-24, the smallest subnormal
//   NaN      the NaN that rounding to nearest gives, which is quiet
//   infinite unchanged
//   finite   never becomes infinite: a result above the greatest finite number becomes that number

#include <algorithm>
#include <cstdint>

#include "common/bit_cast.hpp"
#include "cpu/float16.hpp"

namespace tombola::impl::cpu {

inline constexpr uint32_t kMagnitudeBits = 0x7FFFFFFF;
inline constexpr uint32_t kInfinityBits = 0x7F800000;
inline constexpr uint32_t kMaxBf16Bits = 0x7F7F0000;  // the greatest finite numbers, as f32
inline constexpr uint32_t kMaxF16Bits = 0x477FE000;
inline constexpr uint32_t kMinNormalF16Bits = 0x38800000;  // 2^-14
inline constexpr int kF16DroppedBits = 13;
inline constexpr uint32_t kF16DrawBits = (1u << kF16DroppedBits) - 1;

inline void stochastic_round(float x, uint32_t draw, BFloat16& result) {
    const auto bits = bit_cast<uint32_t>(x);
    const uint32_t magnitude = bits & kMagnitudeBits;
    if (magnitude >= kInfinityBits) {
        result = to_bf16(x);
        return;
    }
    // From the greatest finite number on there is only that number to round to.
    result = {static_cast<uint16_t>((magnitude < kMaxBf16Bits ? bits + draw : bits) >> 16)};
}

inline void stochastic_round(float x, uint32_t draw, Float16& result) {
    const auto bits = bit_cast<uint32_t>(x);
    const uint32_t magnitude = bits & kMagnitudeBits;
    if (magnitude >= kInfinityBits) {
        result = to_f16(x);
        return;
    }
    const uint32_t bounded = std::min(magnitude, kMaxF16Bits);
    // Below 2^-14: a product with a power of two, which is exact, then truncation.
    const uint32_t fixed = bounded < kMinNormalF16Bits
                               ? static_cast<uint32_t>(bit_cast<float>(magnitude) * 0x1p37f)
                               : bounded - (112u << 23);
    const uint32_t rounded = (fixed + (draw & kF16DrawBits)) >> kF16DroppedBits;
    result = {static_cast<uint16_t>((bits >> 16 & 0x8000) | rounded)};
}

}  // namespace tombola::impl::cpu
