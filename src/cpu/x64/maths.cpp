// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/maths.hpp"

#include <algorithm>
#include <cstdint>

#include "cpu/maths/ln.hpp"

namespace tombola::impl::cpu::x64 {

void Maths::emit_interleaved(const std::vector<Steps>& programs) {
    size_t longest = 0;
    for (const Steps& steps : programs) longest = std::max(longest, steps.size());
    for (size_t i = 0; i < longest; ++i)
        for (const Steps& steps : programs)
            if (i < steps.size()) steps[i]();
}

Maths::Steps Maths::one_after_another(std::initializer_list<Steps> parts) {
    Steps all;
    for (const Steps& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

// ---- ln, f32 -------------------------------------------------------------------------------------------------------

void Maths::hold_ln_f32() {
    auto& k = ln_f32_;
    k.min_m = hold(vector_u32(LnF32::kMinMBits));
    k.exponent_mask = hold(vector_u32(LnF32::kExponentMask));
    k.one = hold(vector_f32(1.0f));
    k.half = hold(vector_f32(0.5f));
    // The exponent is not shifted to the right: it is an integer times 2^23.
    k.ln2_hi = hold(vector_f32(LnF32::kLn2Hi * 0x1p-23f));
    k.ln2_lo = hold(vector_f32(LnF32::kLn2Lo * 0x1p-23f));
    for (int i = 0; i < LnF32::kTerms; ++i) k.c[i] = hold(vector_f32(LnF32::kC[i]));
}

Maths::Steps Maths::ln_f32_steps(const Vec& x, int scratch) {
    Steps steps;
    const auto* const k = &ln_f32_;
    const Vec e = vec(scratch), p = vec(scratch + 1), z = vec(scratch + 2), low = vec(scratch + 3);
    steps.push_back([=] { vpsubd(e, x, k->min_m); });
    steps.push_back([=] { and_bits(e, e, k->exponent_mask); });
    steps.push_back([=] { vpsubd(x, x, e); });
    steps.push_back([=] { vcvtdq2ps(e, e); });       // exact: 9 bits
    steps.push_back([=] { vsubps(x, x, k->one); });  // f = m - 1
    steps.push_back([=] { vmovaps(p, k->c[LnF32::kTerms - 1]); });
    for (int i = LnF32::kTerms - 2; i >= 0; --i)
        steps.push_back([=] { vfmadd213ps(p, x, k->c[i]); });
    steps.push_back([=] { vmulps(z, x, x); });
    steps.push_back([=] { vmulps(p, p, x); });
    steps.push_back([=] { vmulps(low, e, k->ln2_lo); });
    steps.push_back([=] { vfmadd213ps(p, z, low); });       // p * z + e * ln2_lo
    steps.push_back([=] { vfnmadd231ps(p, z, k->half); });  // p - z / 2
    steps.push_back([=] { vaddps(x, x, p); });
    steps.push_back([=] { vfmadd231ps(x, e, k->ln2_hi); });  // f + p + e * ln2_hi
    return steps;
}

// ---- ln, f64 -------------------------------------------------------------------------------------------------------

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

Maths::Steps Maths::ln_f64_steps(const Vec& x, int scratch) {
    Steps steps;
    const auto* const k = &ln_f64_;
    const Held &l1 = k->l[0], &l2 = k->l[1], &l3 = k->l[2], &l4 = k->l[3], &l5 = k->l[4],
               &l6 = k->l[5], &l7 = k->l[6];
    const Vec e = vec(scratch), s = vec(scratch + 1), z = vec(scratch + 2), z2 = vec(scratch + 3);
    const Vec r = vec(scratch + 4), t = vec(scratch + 5), u = vec(scratch + 6);
    steps.push_back([=] { vpaddq(e, x, k->bias); });
    steps.push_back([=] { vpsrlq(e, e, 52); });
    steps.push_back([=] { vpsubq(e, e, k->one_exponent); });
    steps.push_back([=] { vpsllq(s, e, 52); });
    steps.push_back([=] { vpsubq(x, x, s); });
    steps.push_back([=] { vsubpd(x, x, k->one); });  // f = m - 1
    // e as f64: the sum of integers is the bits of 1.5 * 2^52 + e.
    steps.push_back([=] { vpaddq(e, e, k->round); });
    steps.push_back([=] { vsubpd(e, e, k->round); });

    steps.push_back([=] { vaddpd(s, x, k->two); });
    steps.push_back([=] { vdivpd(s, x, s); });
    steps.push_back([=] { vmulpd(z, s, s); });
    steps.push_back([=] { vmulpd(z2, z, z); });
    steps.push_back([=] { vmovapd(t, l3); });
    steps.push_back([=] { vfmadd213pd(t, z, l2); });
    steps.push_back([=] { vmulpd(r, z2, t); });
    steps.push_back([=] { vfmadd231pd(r, z, l1); });  // z * L1 + z2 * (z * L3 + L2)
    steps.push_back([=] { vmovapd(t, l5); });
    steps.push_back([=] { vfmadd213pd(t, z, l4); });
    steps.push_back([=] { vmulpd(u, z2, z2); });
    steps.push_back([=] { vfmadd231pd(r, u, t); });  // + z4 * (z * L5 + L4)
    steps.push_back([=] { vmulpd(u, u, z2); });
    steps.push_back([=] { vmovapd(t, l7); });
    steps.push_back([=] { vfmadd213pd(t, z, l6); });
    steps.push_back([=] { vfmadd231pd(r, u, t); });  // + z6 * (z * L7 + L6)

    steps.push_back([=] { vmulpd(u, x, k->half); });
    steps.push_back([=] { vmulpd(u, u, x); });  // h = f^2 / 2
    steps.push_back([=] { vaddpd(t, u, r); });
    steps.push_back([=] { vmulpd(t, s, t); });
    steps.push_back([=] { vfmadd231pd(t, e, k->ln2_lo); });
    steps.push_back([=] { vsubpd(u, u, t); });
    steps.push_back([=] { vsubpd(x, x, u); });  // f - (h - t)
    steps.push_back([=] { vfmadd231pd(x, e, k->ln2_hi); });
    return steps;
}

// ---- sine and cosine, f32 ------------------------------------------------------------------------------------------

void Maths::hold_octants_f32() {
    auto& k = octant_f32_;
    k.four_per_pi = hold(vector_f32(SinCosF32::k4PerPi));
    k.int_one = hold(vector_u32(1));
    k.even = hold(vector_u32(~uint32_t{1}));
}

Maths::Steps Maths::octant_f32_steps(const Vec& angle, int scratch) {
    Steps steps;
    const auto* const k = &octant_f32_;
    const Vec j = vec(scratch), z = vec(scratch + 1);
    steps.push_back([=] { vmulps(j, angle, k->four_per_pi); });
    steps.push_back([=] { vcvttps2dq(j, j); });
    steps.push_back([=] { vpaddd(j, j, k->int_one); });
    steps.push_back([=] { and_bits(j, j, k->even); });
    steps.push_back([=] { vcvtdq2ps(z, j); });
    return steps;
}

void Maths::hold_sin_cos_f32(const Quarter& quarter) {
    auto& k = sin_cos_f32_;
    k.bit = quarter.bit;
    k.one = hold(vector_f32(1.0f));
    k.half = hold(vector_f32(0.5f));
    for (int i = 0; i < 3; ++i) {
        // The unit is a power of two, so the products are what they would be with octants.
        k.pi4[i] = hold(vector_f32(SinCosF32::kPi4Parts[i] * (kOctants.unit / quarter.unit)));
        k.cos[i] = hold(vector_f32(SinCosF32::kCos[i]));
        k.sin[i] = hold(vector_f32(SinCosF32::kSin[i]));
    }
}

Maths::Steps Maths::sin_cos_f32_steps(const Vec& sine, const Vec& cosine, const Vec& angle,
                                      int scratch) {
    Steps steps;
    const auto* const k = &sin_cos_f32_;
    const Vec quarters = vec(scratch), z = vec(scratch + 1);
    for (const Held& part : k->pi4) steps.push_back([=] { vfmadd231ps(angle, z, part); });  // r
    steps.push_back([=] { vmulps(z, angle, angle); });

    steps.push_back([=] { vmovaps(cosine, k->cos[0]); });
    steps.push_back([=] { vfmadd213ps(cosine, z, k->cos[1]); });
    steps.push_back([=] { vfmadd213ps(cosine, z, k->cos[2]); });
    steps.push_back([=] { vmulps(cosine, cosine, z); });
    steps.push_back([=] { vmulps(sine, z, k->half); });
    steps.push_back([=] { vfmsub213ps(cosine, z, sine); });  // C * z - z / 2
    steps.push_back([=] { vaddps(cosine, cosine, k->one); });

    steps.push_back([=] { vmovaps(sine, k->sin[0]); });
    steps.push_back([=] { vfmadd213ps(sine, z, k->sin[1]); });
    steps.push_back([=] { vfmadd213ps(sine, z, k->sin[2]); });
    steps.push_back([=] { vmulps(sine, sine, z); });
    steps.push_back([=] { vfmadd213ps(sine, angle, angle); });

    // An odd number of quarters: S becomes -S, and the two change places. The next
    // bit is the common sign.
    steps.push_back([=] { vpslld(z, quarters, 31 - k->bit); });
    steps.push_back([=] { xor_bits(sine, sine, z); });
    steps.push_back([=] { swap_by_sign_u32(sine, cosine, z, angle); });
    steps.push_back([=] { vpslld(quarters, quarters, 30 - k->bit); });
    return steps;
}

// ---- sine and cosine, f64 ------------------------------------------------------------------------------------------

void Maths::hold_sin_cos_f64() {
    auto& k = sin_cos_f64_;
    k.two_per_pi = hold(vector_f64(SinCosF64::k2PerPi));
    k.round = hold(vector_f64(SinCosF64::kRound));
    k.one = hold(vector_f64(1.0));
    k.half = hold(vector_f64(0.5));
    k.pi2_hi = hold(vector_f64(SinCosF64::kPi2Hi));
    k.pi2_lo = hold(vector_f64(SinCosF64::kPi2Lo));
    for (int i = 0; i < SinCosF64::kTerms; ++i) {
        k.cos[i] = hold(vector_f64(SinCosF64::kCos[i]));
        k.sin[i] = hold(vector_f64(SinCosF64::kSin[i]));
    }
}

Maths::Steps Maths::sin_cos_f64_steps(const Vec& sine, const Vec& cosine, const Vec& angle,
                                      int scratch) {
    Steps steps;
    const auto* const k = &sin_cos_f64_;
    const Vec quadrant = vec(scratch), q = vec(scratch + 1), r = vec(scratch + 2),
              z = vec(scratch + 3), w = vec(scratch + 4), rest = vec(scratch + 5);
    const Vec &hi = angle, &tail = angle;
    steps.push_back([=] { vmovapd(quadrant, k->round); });
    steps.push_back([=] { vfmadd231pd(quadrant, angle, k->two_per_pi); });  // its low bits are q
    steps.push_back([=] { vsubpd(q, quadrant, k->round); });
    steps.push_back([=] { vfnmadd231pd(hi, q, k->pi2_hi); });
    steps.push_back([=] { vmovapd(r, hi); });
    steps.push_back([=] { vfnmadd231pd(r, q, k->pi2_lo); });
    steps.push_back([=] { vsubpd(tail, hi, r); });
    steps.push_back([=] { vfnmadd231pd(tail, q, k->pi2_lo); });
    steps.push_back([=] { vmulpd(z, r, r); });

    const Vec& half = q;
    steps.push_back([=] { vmulpd(half, z, k->half); });
    steps.push_back([=] { vmovapd(sine, k->sin[0]); });
    for (int i = 1; i < SinCosF64::kTerms; ++i)
        steps.push_back([=] { vfmadd213pd(sine, z, k->sin[i]); });
    steps.push_back([=] { vmulpd(sine, sine, z); });
    steps.push_back([=] { vmovapd(cosine, tail); });
    steps.push_back([=] { vfnmadd231pd(cosine, half, tail); });  // tail - half * tail
    steps.push_back([=] { vfmadd213pd(sine, r, cosine); });
    steps.push_back([=] { vaddpd(sine, r, sine); });

    steps.push_back([=] { vmovapd(w, k->one); });
    steps.push_back([=] { vsubpd(w, w, half); });
    steps.push_back([=] { vmovapd(rest, k->one); });
    steps.push_back([=] { vsubpd(rest, rest, w); });
    steps.push_back([=] { vsubpd(rest, rest, half); });  // the rounding error of w
    steps.push_back([=] { vfnmadd231pd(rest, r, tail); });
    steps.push_back([=] { vmovapd(cosine, k->cos[0]); });
    for (int i = 1; i < SinCosF64::kTerms; ++i)
        steps.push_back([=] { vfmadd213pd(cosine, z, k->cos[i]); });
    steps.push_back([=] { vmulpd(cosine, cosine, z); });
    steps.push_back([=] { vfmadd213pd(cosine, z, rest); });
    steps.push_back([=] { vaddpd(cosine, w, cosine); });

    // As in f32.
    steps.push_back([=] { vpsllq(z, quadrant, 63); });
    steps.push_back([=] { xor_bits(sine, sine, z); });
    steps.push_back([=] { swap_by_sign_u64(sine, cosine, z, r); });
    steps.push_back([=] { vpsllq(quadrant, quadrant, 62); });
    return steps;
}

}  // namespace tombola::impl::cpu::x64
