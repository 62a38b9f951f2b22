// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sine and cosine of one angle: the operations of doc/maths.md, one by one, so that every path gives the same bits. Every
// line is one correctly rounded operation, and std::fma is one too.
//
//   r = angle - q * pi/2           q is the nearest integer, and pi/2 has three parts (f32) or two (f64)
//   sin r, cos r                   a polynomial each, |r| <= pi/4
//   sin angle, cos angle           they change places if q is odd; the sine is negative if q mod 4 is 2 or 3,
//                                  the cosine if it is 1 or 2
//
// Domain: 0 <= angle <= 2 pi, as the type has it.

#include <cmath>
#include <cstdint>

namespace tombola::impl::cpu {

template <class Float>
struct SinCos {
    Float sin, cos;
};

// Source: Cephes (Moshier), sinf.c and cosf.c, in the order of Pommier's avx_mathfun.h. These are the bits of PyTorch's
// normal_() on processors with AVX2. The error is below 1.4 * 2^-24: maths_test.cpp.
struct SinCosF32 {
    static constexpr float k4PerPi = 1.27323954473516f;
    // pi/4 in three parts. The products of the first two with integers up to 8 are exact.
    static constexpr float kPi4Parts[3] = {-0.78515625f, -2.4187564849853515625E-4f,
                                           -3.77489497744594108E-8f};
    static constexpr float kCos[3] = {2.443315711809948E-5f, -1.388731625493765E-3f,
                                      4.166664568298827E-2f};
    static constexpr float kSin[3] = {-1.9515295891E-4f, 8.3321608736E-3f, -1.6666654611E-1f};
};

inline SinCos<float> sin_cos(float angle) {
    using K = SinCosF32;
    const int32_t octant = (static_cast<int32_t>(angle * K::k4PerPi) + 1) & ~1;  // 2q
    const auto j = static_cast<float>(octant);
    float r = angle;
    for (const float part : K::kPi4Parts) r = std::fma(j, part, r);
    const float z = r * r;

    float c = std::fma(K::kCos[0], z, K::kCos[1]);
    c = std::fma(c, z, K::kCos[2]);
    c = c * z;
    c = std::fma(c, z, -(z * 0.5f));
    c = c + 1.0f;

    float s = std::fma(K::kSin[0], z, K::kSin[1]);
    s = std::fma(s, z, K::kSin[2]);
    s = s * z;
    s = std::fma(s, r, r);

    const bool swapped = (octant & 2) != 0;
    const float sine = swapped ? c : s, cosine = swapped ? s : c;
    return {(octant & 4) != 0 ? -sine : sine, ((octant + 2) & 4) != 0 ? -cosine : cosine};
}

// Source of the polynomials: fdlibm (Sun Microsystems), k_sin.c and k_cos.c. The error is below 1 ulp: maths_test.cpp.
struct SinCosF64 {
    static constexpr double k2PerPi = 0x1.45f306dc9c883p-1;
    static constexpr double kRound = 0x1.8p+52;  // adding and subtracting it rounds to an integer
    static constexpr double kPi2Hi = 0x1.921fb54442d18p+0;
    static constexpr double kPi2Lo = 0x1.1a62633145c07p-54;
    // From the highest power down.
    static constexpr int kTerms = 6;
    static constexpr double kSin[kTerms] = {0x1.5d93a5acfd57cp-33, -0x1.ae5e68a2b9cebp-26,
                                            0x1.71de357b1fe7dp-19, -0x1.a01a019c161d5p-13,
                                            0x1.111111110f8a6p-7,  -0x1.5555555555549p-3};
    static constexpr double kCos[kTerms] = {-0x1.8fae9be8838d4p-37, 0x1.1ee9ebdb4b1c4p-29,
                                            -0x1.27e4f809c52adp-22, 0x1.a01a019cb1590p-16,
                                            -0x1.6c16c16c15177p-10, 0x1.555555555554cp-5};
};

inline SinCos<double> sin_cos(double angle) {
    using K = SinCosF64;
    const double q = std::fma(angle, K::k2PerPi, K::kRound) - K::kRound;
    // r + tail is the reduced angle: hi is exact.
    const double hi = std::fma(-q, K::kPi2Hi, angle);
    const double r = std::fma(-q, K::kPi2Lo, hi);
    const double tail = std::fma(-q, K::kPi2Lo, hi - r);
    const double z = r * r;

    // sin(r + tail) = r + (r^3 * S(z) + tail * (1 - r^2 / 2))
    double s = K::kSin[0];
    for (int i = 1; i < K::kTerms; ++i) s = std::fma(s, z, K::kSin[i]);
    const double half = z * 0.5;
    s = std::fma(s * z, r, std::fma(-half, tail, tail));
    s = r + s;

    // cos(r + tail) = 1 - r^2 / 2 + (r^4 * C(z) - r * tail); w = 1 - r^2 / 2, and its rounding error is added again.
    double c = K::kCos[0];
    for (int i = 1; i < K::kTerms; ++i) c = std::fma(c, z, K::kCos[i]);
    const double w = 1.0 - half;
    c = std::fma(c * z, z, std::fma(-r, tail, (1.0 - w) - half));
    c = w + c;

    const auto quadrant = static_cast<int32_t>(q);
    const bool swapped = (quadrant & 1) != 0;
    const double sine = swapped ? c : s, cosine = swapped ? s : c;
    return {(quadrant & 2) != 0 ? -sine : sine, ((quadrant + 1) & 2) != 0 ? -cosine : cosine};
}

}  // namespace tombola::impl::cpu
