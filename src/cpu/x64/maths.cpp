// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/maths.hpp"

#include <cstdint>

#include "cpu/maths/ln.hpp"

namespace tombola::impl::cpu::x64 {

// ---- ln, f32 ----------------------------------------------------------------------------------------------

void Maths::hold_ln_f32() {
    auto& k = ln_f32_;
    k.min_m = hold(vector_u32(LnF32::kMinMBits));
    k.exponent_mask = hold(vector_u32(LnF32::kExponentMask));
    k.one = hold(vector_f32(1.0f));
    k.half = hold(vector_f32(0.5f));
    k.ln2_hi = hold(vector_f32(LnF32::kLn2Hi));
    k.ln2_lo = hold(vector_f32(LnF32::kLn2Lo));
    for (int i = 0; i < LnF32::kTerms; ++i) k.c[i] = hold(vector_f32(LnF32::kC[i]));
}

void Maths::emit_ln_f32(const Vec& x, int scratch) {
    const auto& k = ln_f32_;
    const Vec e = vec(scratch), p = vec(scratch + 1), z = vec(scratch + 2), low = vec(scratch + 3);
    vpsubd(e, x, k.min_m);
    and_bits(p, e, k.exponent_mask);
    vpsubd(x, x, p);
    vpsrad(e, e, 23);
    vcvtdq2ps(e, e);
    vsubps(x, x, k.one);  // f = m - 1
    vmovaps(p, k.c[LnF32::kTerms - 1]);
    for (int i = LnF32::kTerms - 2; i >= 0; --i) vfmadd213ps(p, x, k.c[i]);
    vmulps(z, x, x);
    vmulps(p, p, x);
    vmulps(low, e, k.ln2_lo);
    vfmadd213ps(p, z, low);      // p * z + e * ln2_lo
    vfnmadd231ps(p, z, k.half);  // p - z / 2
    vaddps(x, x, p);
    vfmadd231ps(x, e, k.ln2_hi);  // f + p + e * ln2_hi
}

// ---- ln, f64 ----------------------------------------------------------------------------------------------

void Maths::hold_ln_f64() {
    auto& k = ln_f64_;
    k.bias = hold(vector_u64(LnF64::kOneBits - LnF64::kMinMBits));
    k.one_exponent = hold(vector_u64(LnF64::kOneBits >> 52));
    k.round = hold(vector_f64(SinCosF64::kRound));
    k.one = hold(vector_f64(1.0));
    k.two = hold(vector_f64(2.0));
    k.half = hold(vector_f64(0.5));
    k.ln2_hi = hold(vector_f64(LnF64::kLn2Hi));
    k.ln2_lo = hold(vector_f64(LnF64::kLn2Lo));
    const double l[7] = {LnF64::kL1, LnF64::kL2, LnF64::kL3, LnF64::kL4,
                         LnF64::kL5, LnF64::kL6, LnF64::kL7};
    for (int i = 0; i < 7; ++i) k.l[i] = hold(vector_f64(l[i]));
}

void Maths::emit_ln_f64(const Vec& x, int scratch) {
    const auto& k = ln_f64_;
    const Held &l1 = k.l[0], &l2 = k.l[1], &l3 = k.l[2], &l4 = k.l[3], &l5 = k.l[4], &l6 = k.l[5],
               &l7 = k.l[6];
    const Vec e = vec(scratch), s = vec(scratch + 1), z = vec(scratch + 2), z2 = vec(scratch + 3);
    const Vec r = vec(scratch + 4), t = vec(scratch + 5), u = vec(scratch + 6);
    vpaddq(e, x, k.bias);
    vpsrlq(e, e, 52);
    vpsubq(e, e, k.one_exponent);
    vpsllq(s, e, 52);
    vpsubq(x, x, s);
    vsubpd(x, x, k.one);  // f = m - 1
    // e as f64: the sum of integers is the bits of 1.5 * 2^52 + e.
    vpaddq(e, e, k.round);
    vsubpd(e, e, k.round);

    vaddpd(s, x, k.two);
    vdivpd(s, x, s);
    vmulpd(z, s, s);
    vmulpd(z2, z, z);
    vmovapd(t, l3);
    vfmadd213pd(t, z, l2);
    vmulpd(r, z2, t);
    vfmadd231pd(r, z, l1);  // z * L1 + z2 * (z * L3 + L2)
    vmovapd(t, l5);
    vfmadd213pd(t, z, l4);
    vmulpd(u, z2, z2);
    vfmadd231pd(r, u, t);  // + z4 * (z * L5 + L4)
    vmulpd(u, u, z2);
    vmovapd(t, l7);
    vfmadd213pd(t, z, l6);
    vfmadd231pd(r, u, t);  // + z6 * (z * L7 + L6)

    vmulpd(u, x, k.half);
    vmulpd(u, u, x);  // h = f^2 / 2
    vaddpd(t, u, r);
    vmulpd(t, s, t);
    vfmadd231pd(t, e, k.ln2_lo);
    vsubpd(u, u, t);
    vsubpd(x, x, u);  // f - (h - t)
    vfmadd231pd(x, e, k.ln2_hi);
}

// ---- sine and cosine, f32 -----------------------------------------------------------------------------------

void Maths::hold_sin_cos_f32() {
    auto& k = sin_cos_f32_;
    k.four_per_pi = hold(vector_f32(SinCosF32::k4PerPi));
    k.int_one = hold(vector_u32(1));
    k.int_two = hold(vector_u32(2));
    k.even = hold(vector_u32(~uint32_t{1}));
    k.sign = hold(vector_u32(uint32_t{1} << 31));
    k.one = hold(vector_f32(1.0f));
    k.half = hold(vector_f32(0.5f));
    for (int i = 0; i < 3; ++i) {
        k.pi4[i] = hold(vector_f32(SinCosF32::kPi4Parts[i]));
        k.cos[i] = hold(vector_f32(SinCosF32::kCos[i]));
        k.sin[i] = hold(vector_f32(SinCosF32::kSin[i]));
    }
}

void Maths::emit_sin_cos_f32(const Vec& sine, const Vec& cosine, const Vec& angle, int scratch) {
    const auto& k = sin_cos_f32_;
    const Vec j = vec(scratch), z = vec(scratch + 1);
    vmulps(j, angle, k.four_per_pi);
    vcvttps2dq(j, j);
    vpaddd(j, j, k.int_one);
    and_bits(j, j, k.even);
    vcvtdq2ps(z, j);
    for (const Held& part : k.pi4) vfmadd231ps(angle, z, part);  // r
    vmulps(z, angle, angle);

    vmovaps(cosine, k.cos[0]);
    vfmadd213ps(cosine, z, k.cos[1]);
    vfmadd213ps(cosine, z, k.cos[2]);
    vmulps(cosine, cosine, z);
    vmulps(sine, z, k.half);
    vfmsub213ps(cosine, z, sine);  // C * z - z / 2
    vaddps(cosine, cosine, k.one);

    vmovaps(sine, k.sin[0]);
    vfmadd213ps(sine, z, k.sin[1]);
    vfmadd213ps(sine, z, k.sin[2]);
    vmulps(sine, sine, z);
    vfmadd213ps(sine, angle, angle);

    // Bit 1 of j says whether they change places. Bit 2 of j and of j + 2 are the signs.
    vpslld(z, j, 30);
    swap_by_sign_u32(sine, cosine, z, angle);
    vpslld(z, j, 29);
    xor_masked(sine, z, k.sign);
    vpaddd(j, j, k.int_two);
    vpslld(j, j, 29);
    xor_masked(cosine, j, k.sign);
}

// ---- sine and cosine, f64 -----------------------------------------------------------------------------------

void Maths::hold_sin_cos_f64() {
    auto& k = sin_cos_f64_;
    k.two_per_pi = hold(vector_f64(SinCosF64::k2PerPi));
    k.round = hold(vector_f64(SinCosF64::kRound));
    k.int_one = hold(vector_u64(1));
    k.sign = hold(vector_u64(uint64_t{1} << 63));
    k.one = hold(vector_f64(1.0));
    k.half = hold(vector_f64(0.5));
    k.pi2_hi = hold(vector_f64(SinCosF64::kPi2Hi));
    k.pi2_lo = hold(vector_f64(SinCosF64::kPi2Lo));
    for (int i = 0; i < SinCosF64::kTerms; ++i) {
        k.cos[i] = hold(vector_f64(SinCosF64::kCos[i]));
        k.sin[i] = hold(vector_f64(SinCosF64::kSin[i]));
    }
}

void Maths::emit_sin_cos_f64(const Vec& sine, const Vec& cosine, const Vec& angle, int scratch) {
    const auto& k = sin_cos_f64_;
    const Vec quadrant = vec(scratch), q = vec(scratch + 1), r = vec(scratch + 2),
              z = vec(scratch + 3), w = vec(scratch + 4), rest = vec(scratch + 5);
    const Vec &hi = angle, &tail = angle;
    vmovapd(quadrant, k.round);
    vfmadd231pd(quadrant, angle, k.two_per_pi);  // its low bits are q
    vsubpd(q, quadrant, k.round);
    vfnmadd231pd(hi, q, k.pi2_hi);
    vmovapd(r, hi);
    vfnmadd231pd(r, q, k.pi2_lo);
    vsubpd(tail, hi, r);
    vfnmadd231pd(tail, q, k.pi2_lo);
    vmulpd(z, r, r);

    const Vec& half = q;
    vmulpd(half, z, k.half);
    vmovapd(sine, k.sin[0]);
    for (int i = 1; i < SinCosF64::kTerms; ++i) vfmadd213pd(sine, z, k.sin[i]);
    vmulpd(sine, sine, z);
    vmovapd(cosine, tail);
    vfnmadd231pd(cosine, half, tail);  // tail - half * tail
    vfmadd213pd(sine, r, cosine);
    vaddpd(sine, r, sine);

    vmovapd(w, k.one);
    vsubpd(w, w, half);
    vmovapd(rest, k.one);
    vsubpd(rest, rest, w);
    vsubpd(rest, rest, half);  // the rounding error of w
    vfnmadd231pd(rest, r, tail);
    vmovapd(cosine, k.cos[0]);
    for (int i = 1; i < SinCosF64::kTerms; ++i) vfmadd213pd(cosine, z, k.cos[i]);
    vmulpd(cosine, cosine, z);
    vfmadd213pd(cosine, z, rest);
    vaddpd(cosine, w, cosine);

    // Bit 0 of q says whether they change places. Bit 1 of q and of q + 1 are the signs.
    vpsllq(z, quadrant, 63);
    swap_by_sign_u64(sine, cosine, z, r);
    vpsllq(z, quadrant, 62);
    xor_masked(sine, z, k.sign);
    vpaddq(quadrant, quadrant, k.int_one);
    vpsllq(quadrant, quadrant, 62);
    xor_masked(cosine, quadrant, k.sign);
}

}  // namespace tombola::impl::cpu::x64
