// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exponential that turns logits into weights: the operations of doc/multinomial.md, one by one, so that
// every path gives the same bits. Every line is one correctly rounded operation, and std::fma is one too.
//
//   n = round(d / ln 2)            by adding and subtracting 1.5 * 2^(p-1), p the bits of the significand
//   r = d - n * ln 2               ln 2 in two parts; |r| <= ln(2) / 2
//   p = e^r                        a polynomial 1 + r * (1 + r * (c2 + r * (c3 + ...)))
//   w = p * 2^n                    exact
//
// Domain: d <= 0, -infinity included. Below kFlush the weight is 0; above it, it is a normal number.

#include <cmath>

namespace tombola::impl::cpu {

// f32 arithmetic, for logits in f16, bf16 and f32.
struct WeightExpF32 {
    using Float = float;
    static constexpr int kDegree = 6;
    static constexpr float kFlush = -87.0f;  // e^-87 > 2^-126
    static constexpr float kLog2e = 0x1.715476p+0f;
    static constexpr float kRound = 0x1.8p+23f;
    static constexpr float kLn2Hi = 0x1.62e430p-1f;
    static constexpr float kLn2Lo = -0x1.05c610p-29f;
    // c2 ... c6: minimax for the relative error on |r| <= ln(2)/2 with c0 = c1 = 1.
    static constexpr float kC[kDegree - 1] = {0x1.fffff6p-2f, 0x1.5554fcp-3f, 0x1.556420p-5f,
                                              0x1.11ea4cp-7f, 0x1.5dcd02p-10f};
};

// f64 arithmetic, for logits in f64.
struct WeightExpF64 {
    using Float = double;
    static constexpr int kDegree = 11;
    static constexpr double kFlush = -708.0;  // e^-708 > 2^-1022
    static constexpr double kLog2e = 0x1.71547652b82fep+0;
    static constexpr double kRound = 0x1.8p+52;
    static constexpr double kLn2Hi = 0x1.62e42fefa39efp-1;
    static constexpr double kLn2Lo = 0x1.abc9e3b39803fp-56;
    static constexpr double kC[kDegree - 1] = {
        0x1.0000000000002p-1,  0x1.55555555554c1p-3,  0x1.555555555378cp-5,  0x1.1111111144ffcp-7,
        0x1.6c16c1794c09ap-10, 0x1.a01a003c5121dp-13, 0x1.a019b8a7f8f12p-16, 0x1.71e1e36c6fcbdp-19,
        0x1.28905e172b37ap-22, 0x1.a8264dd1f0c02p-26};
};

template <class Exp>
typename Exp::Float weight_exp(typename Exp::Float d) {
    using Float = typename Exp::Float;
    if (!(d >= Exp::kFlush)) return 0;
    const Float n = std::fma(d, Exp::kLog2e, Exp::kRound) - Exp::kRound;
    Float r = std::fma(n, -Exp::kLn2Hi, d);
    r = std::fma(n, -Exp::kLn2Lo, r);
    Float p = Exp::kC[Exp::kDegree - 2];
    for (int i = Exp::kDegree - 3; i >= 0; --i) p = std::fma(p, r, Exp::kC[i]);
    p = std::fma(p, r, Float{1});
    p = std::fma(p, r, Float{1});
    return std::ldexp(p, static_cast<int>(n));
}

}  // namespace tombola::impl::cpu
