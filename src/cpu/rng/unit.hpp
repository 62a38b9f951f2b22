// SPDX-License-Identifier: Apache-2.0
#pragma once

// Uniform numbers in [0, 1) of d bits:  u_d = (x mod 2^d) * 2^-d, which is exact.
//
//   u23, u52   TensorFlow's f32 and f64 (its source puts the bits under the exponent of 1.0 and subtracts 1)
//   u24, u53   PyTorch's f32 and f64
//
// In both, the first of two words is the high half.

#include <cstdint>

namespace tombola::impl::cpu {

template <int d>
constexpr float unit_f32(uint32_t word) {
    static_assert(0 < d && d <= 24);
    constexpr uint32_t kSteps = uint32_t{1} << d;
    return static_cast<float>(static_cast<int32_t>(word & (kSteps - 1))) * (1.0f / kSteps);
}

template <int d>
constexpr double unit_f64(uint64_t x) {
    static_assert(0 < d && d <= 53);
    constexpr uint64_t kSteps = uint64_t{1} << d;
    return static_cast<double>(static_cast<int64_t>(x & (kSteps - 1))) * (1.0 / kSteps);
}

constexpr uint64_t join_words(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

constexpr float u23(uint32_t word) { return unit_f32<23>(word); }
constexpr float u24(uint32_t word) { return unit_f32<24>(word); }
constexpr double u52(uint32_t first, uint32_t second) {
    return unit_f64<52>(join_words(first, second));
}
// u52 times 2^52.
constexpr uint64_t u52_numerator(uint32_t first, uint32_t second) {
    return join_words(first & 0xFFFFF, second);
}
constexpr double u53(uint32_t first, uint32_t second) {
    return unit_f64<53>(join_words(first, second));
}

}  // namespace tombola::impl::cpu
