// SPDX-License-Identifier: Apache-2.0
#pragma once

// The natural logarithm in f32: the operations of doc/maths.md, one by one, so that every path gives the same bits. Every
// line is one correctly rounded operation, and std::fma is one too. These are the bits of PyTorch's normal_() on processors
// with AVX2.
//
//   x = m * 2^e,  f = m - 1        exact; m in [kMinM, 2 * kMinM), sqrt(1/2) to sqrt(2)
//   p = f^3 * (C0 + f * (C1 + ...))
//   ln x = f - f^2 / 2 + p + e * ln 2, ln 2 in two parts
//
// Source: Cephes (Moshier), logf.c, in the order of Pommier's avx_mathfun.h.
//
// Domain: positive normal numbers. The error is below 1 ulp for uniform numbers: tests/gtests/internals/maths_test.cpp.

#include <cmath>
#include <cstdint>

#include "common/bit_cast.hpp"

namespace tombola::impl::cpu {

struct LnF32 {
    static constexpr uint32_t kMinMBits = 0x3F3504F3;      // 0.70710678f
    static constexpr uint32_t kExponentMask = 0xFF800000;  // sign and exponent
    static constexpr float kLn2Hi = 0.693359375f;          // 9 bits: e * kLn2Hi is exact
    static constexpr float kLn2Lo = -2.12194440E-4f;
    static constexpr int kTerms = 9;
    static constexpr float kC[kTerms] = {3.3333331174E-1f,  -2.4999993993E-1f, 2.0000714765E-1f,
                                         -1.6668057665E-1f, 1.4249322787E-1f,  -1.2420140846E-1f,
                                         1.1676998740E-1f,  -1.1514610310E-1f, 7.0376836292E-2f};
};

inline float ln(float x) {
    // The borrow of the subtraction makes the exponent that of m in [kMinM, 2 * kMinM).
    const auto bits = bit_cast<uint32_t>(x);
    const uint32_t above = bits - LnF32::kMinMBits;
    const auto e = static_cast<float>(static_cast<int32_t>(above) >> 23);
    const float f = bit_cast<float>(bits - (above & LnF32::kExponentMask)) - 1.0f;

    float p = LnF32::kC[LnF32::kTerms - 1];
    for (int i = LnF32::kTerms - 2; i >= 0; --i) p = std::fma(p, f, LnF32::kC[i]);
    const float z = f * f;
    p = p * f;
    p = std::fma(p, z, e * LnF32::kLn2Lo);
    p = std::fma(-z, 0.5f, p);
    return std::fma(e, LnF32::kLn2Hi, f + p);
}

}  // namespace tombola::impl::cpu
