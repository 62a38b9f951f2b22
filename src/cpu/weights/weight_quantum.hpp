// SPDX-License-Identifier: Apache-2.0
#pragma once

// Weights as 62-bit integers. Integer sums are exact, so their order does not matter.
//
//   e = floor(log2 of the row's greatest weight),  L = ceil(log2 classes)
//   q = max(1, floor(w * 2^(61-L-e)))  where w > 0,  0 where w = 0
//
// Each q is below 2^(62-L), or is 1, so a row's sum is below 2^62. A uniform number u draws from a row with the sum S
// by a target t:
//
//   t = max(1, ceil(u * S)), exact; the sample is the lowest class whose inclusive prefix sum is >= t
//
// Multiplying all weights of a row by a power of two changes neither q nor t.

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>

#include "common/types.hpp"
#include "cpu/float16.hpp"

namespace tombola::impl::cpu {

inline constexpr int kWeightBits = 62;

// L.
inline int ceil_log2(dim_t classes) {
    int bits = 0;
    while (bits < 62 && (dim_t{1} << bits) < classes) ++bits;
    return bits;
}

// 61 - L - e, for the greatest weight of a row, which is positive and finite. L is ceil_log2(classes).
inline int quantum_shift_of_log(double greatest, int log_classes) {
    return kWeightBits - 1 - log_classes - std::ilogb(greatest);
}
inline int quantum_shift(double greatest, dim_t classes) {
    return quantum_shift_of_log(greatest, ceil_log2(classes));
}

// q of a weight that is not negative and not above the greatest one. Any other gives any number.
inline uint64_t quantise(double weight, int shift) {
    uint64_t bits = bit_cast<uint64_t>(weight);
    if (weight == 0) return 0;
    int exponent = static_cast<int>(bits >> 52);
    if (exponent == 0) {  // subnormal: multiply by 2^64, which is exact, and correct the shift
        bits = bit_cast<uint64_t>(weight * 0x1p64);
        exponent = static_cast<int>(bits >> 52);
        shift -= 64;
    }
    const uint64_t significand = (bits & 0xFFFFFFFFFFFFF) | (uint64_t{1} << 52);
    const int left = exponent - 1023 - 52 + shift;  // w * 2^shift = significand * 2^left
    if (left >= 0) return significand << std::min(left, 11);
    const uint64_t floor = left > -64 ? significand >> -left : 0;
    return floor > 0 ? floor : 1;
}

// t, for u in [0, 1] and 0 < sum < 2^62.
inline uint64_t draw_target(double u, uint64_t sum) {
    assert(u >= 0 && u <= 1 && sum > 0);
    if (u == 0) return 1;
    const uint64_t bits = bit_cast<uint64_t>(u);
    const int exponent = static_cast<int>(bits >> 52);
    uint64_t significand = bits & 0xFFFFFFFFFFFFF;
    if (exponent > 0) significand |= uint64_t{1} << 52;
    // u = significand * 2^-right, 52 <= right <= 1074; the product is below 2^115.
    const int right = 1075 - (exponent > 0 ? exponent : 1);
    const unsigned __int128 product = static_cast<unsigned __int128>(significand) * sum;
    if (right >= 116) return 1;
    const unsigned __int128 up = (static_cast<unsigned __int128>(1) << right) - 1;
    return static_cast<uint64_t>((product + up) >> right);
}

// The same for u = numerator / 2^52 below 1.
inline uint64_t draw_target_of_52_bits(uint64_t numerator, uint64_t sum) {
    constexpr uint64_t kUp = (uint64_t{1} << 52) - 1;
    const unsigned __int128 product = static_cast<unsigned __int128>(numerator) * sum;
    return std::max(static_cast<uint64_t>((product + kUp) >> 52), uint64_t{1});
}

}  // namespace tombola::impl::cpu
