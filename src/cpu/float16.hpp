// SPDX-License-Identifier: Apache-2.0
#pragma once

// The 16-bit floating-point types in plain C++, rounding to nearest even, for every value: subnormals, infinities and
// NaN. The results for f16 are those of vcvtps2ph and vcvtph2ps: a NaN keeps its sign and leading bits, and becomes quiet.
//
// Arithmetic is done in f32 and rounded after each operation. The result is exactly that of the 16-bit operation,
// because f32 has at least 2p + 2 significant bits for p = 11 and p = 8 (Figueroa, "When is double rounding
// innocuous?", 1995).

#include <cstdint>
#include <limits>

#include "common/bit_cast.hpp"

namespace tombola::impl::cpu {

struct Float16 {
    uint16_t bits;
};
struct BFloat16 {
    uint16_t bits;
};

inline float to_f32(BFloat16 value) { return bit_cast<float>(uint32_t{value.bits} << 16); }

inline BFloat16 to_bf16(float value) {
    const auto bits = bit_cast<uint32_t>(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return {static_cast<uint16_t>(bits >> 16 | 0x40)};
    // Adds half a unit in the last place, or one less if the last bit that is kept is 0. Then truncates.
    return {static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
}

inline float to_f32(Float16 value) {
    const uint32_t sign = uint32_t{value.bits} >> 15 << 31;
    const uint32_t exponent = value.bits >> 10 & 0x1F;
    const uint32_t fraction = value.bits & 0x3FF;
    if (exponent == 0x1F)
        return bit_cast<float>(sign | 0x7F800000 | fraction << 13 | (fraction != 0 ? 0x400000 : 0));
    if (exponent != 0) return bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;  // subnormal: exact
    return bit_cast<float>(sign | bit_cast<uint32_t>(magnitude));
}

inline Float16 to_f16(float value) {
    const auto bits = bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
    const uint32_t magnitude = bits & 0x7FFFFFFF;
    const auto with_sign = [sign](uint32_t rest) {
        return Float16{static_cast<uint16_t>(sign | rest)};
    };
    if (magnitude > 0x7F800000) return with_sign(0x7E00 | (magnitude >> 13 & 0x3FF));  // NaN
    if (magnitude >= 0x477FF000) return with_sign(0x7C00);  // 65520 and more round to infinity
    if (magnitude < 0x38800000) {                           // below 2^-14: a multiple of 2^-24
        // 0.5 + x has the spacing 2^-24, so this addition rounds x to that multiple, nearest even.
        const float shifted = bit_cast<float>(magnitude) + 0.5f;
        return with_sign(bit_cast<uint32_t>(shifted) - bit_cast<uint32_t>(0.5f));
    }
    const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
    return with_sign((rounded - (112u << 23)) >> 13);
}

// How code for every floating-point type computes with T: it computes in the type Compute and rounds to T after each
// operation. kDigits is the number of significant bits, the leading bit included. f32 and f64 need no other type.
template <class T>
struct FloatFormat {
    using Compute = T;
    static constexpr int kDigits = std::numeric_limits<T>::digits;
    static T widen(T value) { return value; }
    static T round(T value) { return value; }
};
template <>
struct FloatFormat<Float16> {
    using Compute = float;
    static constexpr int kDigits = 11;
    static float widen(Float16 value) { return to_f32(value); }
    static Float16 round(float value) { return to_f16(value); }
};
template <>
struct FloatFormat<BFloat16> {
    using Compute = float;
    static constexpr int kDigits = 8;
    static float widen(BFloat16 value) { return to_f32(value); }
    static BFloat16 round(float value) { return to_bf16(value); }
};

}  // namespace tombola::impl::cpu
