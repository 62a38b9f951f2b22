// SPDX-License-Identifier: Apache-2.0
#pragma once

// The natural logarithm in f64: the operations of doc/maths.md, one by one, so that every path gives the same bits. Every
// line is one correctly rounded operation, and std::fma is one too.
//
//   x = m * 2^k,  f = m - 1        exact; m in [kMinM, 2 * kMinM), about sqrt(1/2) to sqrt(2)
//   s = f / (2 + f),  z = s^2      ln(1 + f) = ln(1 + s) - ln(1 - s) = f - (h - s * (h + R)),  h = f^2 / 2
//   R = z * (L1 + z * (L2 + ... z * L7))
//   ln x = k * ln 2 + ln(1 + f)    ln 2 in two parts; the product with the first is exact
//
// Source: the polynomial, the reduction and ln 2's parts are those of fdlibm's log1p (Sun Microsystems, s_log1p.c). The order of
// the sums is glibc's, with fused operations where GCC fuses them for processors that have FMA. So log1p_of_minus() below has the
// bits of glibc's log1p() on those processors.
//
// Domain: positive normal numbers. The error is below 1 ulp: tests/gtests/internals/maths_test.cpp.

#include <cmath>
#include <cstdint>

#include "common/bit_cast.hpp"

namespace tombola::impl::cpu {

struct LnF64 {
    static constexpr uint64_t kOneBits = 0x3FF0000000000000;   // 1
    static constexpr uint64_t kMinMBits = 0x3FE6A09E00000000;  // 0.7071065902709961
    static constexpr double kLn2Hi = 0x1.62e42feep-1;          // 32 bits: k * kLn2Hi is exact
    static constexpr double kLn2Lo = 0x1.a39ef35793c76p-33;
    static constexpr double kL1 = 0x1.5555555555593p-1;
    static constexpr double kL2 = 0x1.999999997fa04p-2;
    static constexpr double kL3 = 0x1.2492494229359p-2;
    static constexpr double kL4 = 0x1.c71c51d8e78afp-3;
    static constexpr double kL5 = 0x1.7466496cb03dep-3;
    static constexpr double kL6 = 0x1.39a09d078c69fp-3;
    static constexpr double kL7 = 0x1.2f112df3e5244p-3;
};

inline double ln(double x) {
    const auto bits = bit_cast<uint64_t>(x);
    const uint64_t exponent = (bits + (LnF64::kOneBits - LnF64::kMinMBits)) >> 52;
    const uint64_t scale = exponent - (LnF64::kOneBits >> 52);
    const double f = bit_cast<double>(bits - (scale << 52)) - 1.0;
    const auto k = static_cast<double>(static_cast<int64_t>(scale));

    const double s = f / (2.0 + f);
    const double z = s * s;
    const double z2 = z * z;
    const double z4 = z2 * z2;
    const double z6 = z4 * z2;
    const double r2 = std::fma(z, LnF64::kL3, LnF64::kL2);
    const double r3 = std::fma(z, LnF64::kL5, LnF64::kL4);
    const double r4 = std::fma(z, LnF64::kL7, LnF64::kL6);
    double r = std::fma(z, LnF64::kL1, z2 * r2);
    r = std::fma(z4, r3, r);
    r = std::fma(z6, r4, r);

    const double h = 0.5 * f * f;
    const double t = std::fma(k, LnF64::kLn2Lo, s * (h + r));
    return std::fma(k, LnF64::kLn2Hi, f - (h - t));
}

// log1p(-u) for a uniform number u in [0, 1) of at most 53 bits: 1 - u is exact then. For u = 0 it is +0.
inline double log1p_of_minus(double u) { return ln(1.0 - u); }

}  // namespace tombola::impl::cpu
