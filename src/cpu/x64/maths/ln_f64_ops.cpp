// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/maths/ln_f64_ops.hpp"

#include "cpu/maths/ln.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr double kMagic = 0x1p52;  // under its exponent, the low bits are an integer
constexpr int kBias = 1023;

}  // namespace

void LnF64Ops::load_ln_constants() {
    one_ = hold(vector_f64(1.0));
    bias_ = hold(vector_u64(LnF64::kOneBits - LnF64::kMinMBits));
    magic_ = hold(vector_f64(kMagic));
    magic_and_bias_ = hold(vector_f64(kMagic + kBias));
    two_ = hold(vector_f64(2.0));
    half_ = hold(vector_f64(0.5));
    ln2_hi_ = hold(vector_f64(LnF64::kLn2Hi));
    ln2_lo_ = hold(vector_f64(LnF64::kLn2Lo));
    constexpr double kL[] = {LnF64::kL1, LnF64::kL2, LnF64::kL3, LnF64::kL4,
                             LnF64::kL5, LnF64::kL6, LnF64::kL7};
    for (int i = 0; i < 7; ++i) l_[i] = hold(vector_f64(kL[i]));
}

void LnF64Ops::emit_ln(const LnVecs& v) {
    emit_reduction(v);
    emit_polynomial(v);
    const Vec &f = v.x, &h = v.t;
    vmulpd(h, f, half_);
    vmulpd(h, h, f);                 // h = 0.5 * f * f
    vaddpd(v.r, v.r, h);             // h + R
    vmulpd(v.r, v.r, v.s);           // s * (h + R)
    vfmadd231pd(v.r, v.k, ln2_lo_);  // t = fma(k, ln2_lo, ...)
    vsubpd(h, h, v.r);               // h - t
    vsubpd(f, f, h);                 // f - (h - t)
    vfmadd231pd(f, v.k, ln2_hi_);    // fma(k, ln2_hi, ...)
}

// x = m * 2^k; x becomes f = m - 1, and k an f64. s = f / (2 + f).
void LnF64Ops::emit_reduction(const LnVecs& v) {
    vpaddq(v.k, v.x, bias_);
    vpsrlq(v.k, v.k, 52);  // k + 1023
    vpsllq(v.t, v.k, 52);
    vpsubq(v.x, v.x, v.t);
    vpaddq(v.x, v.x, one_);  // the bits of m: those of 1.0 are 1023 << 52
    or_bits(v.k, v.k, magic_);
    vsubpd(v.k, v.k, magic_and_bias_);
    vsubpd(v.x, v.x, one_);
    vaddpd(v.s, v.x, two_);
    vdivpd(v.s, v.x, v.s);
}

// r = R of z = s^2.
void LnF64Ops::emit_polynomial(const LnVecs& v) {
    vmulpd(v.z, v.s, v.s);
    vmulpd(v.z2, v.z, v.z);
    vmulpd(v.z4, v.z2, v.z2);
    vmovaps(v.r, l_[2]);
    vfmadd213pd(v.r, v.z, l_[1]);
    vmulpd(v.r, v.r, v.z2);
    vfmadd231pd(v.r, v.z, l_[0]);  // fma(z, L1, z2 * fma(z, L3, L2))
    vmovaps(v.t, l_[4]);
    vfmadd213pd(v.t, v.z, l_[3]);
    vfmadd231pd(v.r, v.z4, v.t);
    vmovaps(v.t, l_[6]);
    vfmadd213pd(v.t, v.z, l_[5]);
    vmulpd(v.z4, v.z4, v.z2);  // z6
    vfmadd231pd(v.r, v.z4, v.t);
}

}  // namespace tombola::impl::cpu::x64
