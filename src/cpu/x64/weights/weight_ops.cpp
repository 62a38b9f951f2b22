// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/weight_ops.hpp"

#include <cstddef>

#include "cpu/weights/weight_exp.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kLowestHeld = 7, kLowestHeldOfWeights = 9;

}  // namespace

WeightOps::WeightOps(CpuIsa isa, FloatType type, bool log_probs, const std::string& name,
                     bool scaled)
    : Vocabulary(isa, name + "." + name_of(data_type_of(type)) + (log_probs ? ".log" : "") +
                          (scaled ? ".scaled" : "")),
      type_(type),
      log_probs_(log_probs),
      scaled_(scaled) {}

void WeightOps::load_wide(const Vec& d, const Address& a) {
    switch (type_) {
        case FloatType::f16:
            return vcvtph2ps(d, a);
        case FloatType::bf16:
            vpmovzxwd(d, a);
            return vpslld(d, d, 16);
        case FloatType::f32:
        case FloatType::f64:
            return load(d, a);
    }
}

void WeightOps::note_refused(const Mask& refused, const Vec& x, const Vec& zeros,
                             const Vec& scratch) {
    const Vec& other = log_probs_ ? x : zeros;
    const int predicate = log_probs_ ? kUnordered : kNotGreaterEqual;
    const Mask found{k1, scratch};
    is_f64() ? compare_f64(found, x, other, predicate) : compare_f32(found, x, other, predicate);
    or_masks(refused, refused, found);
}

void WeightOps::emit_findings(const Xbyak::RegExp& to, const Vec& maxima, const Mask& refused,
                              const Reg& scratch) {
    store(ptr[to + offsetof(RowFindings, maxima)], maxima);
    mask_to_reg(scratch, refused);
    mov(ptr[to + offsetof(RowFindings, refused)], scratch);
}

Vocabulary::Held WeightOps::hold_bits(uint32_t narrow, uint64_t wide) {
    return hold(is_f64() ? vector_u64(wide) : vector_u32(narrow));
}

Vocabulary::Held WeightOps::hold_float(float narrow, double wide) {
    return hold(is_f64() ? vector_f64(wide) : vector_f32(narrow));
}

void WeightOps::load_constants(const ScaleAddresses& scale, const Address& top) {
    set_held_range(log_probs_ ? kLowestHeld : kLowestHeldOfWeights);
    top_ = take_held();
    is_f64() ? broadcast_u64(top_, top) : broadcast_u32(top_, top);
    load_scale(scale);
    max_shift_ = hold_bits(62, 62);
    fraction_ = hold_bits(0x3FFFFF80, 0x3FFFFFFFFFFFFC00);
    leading_ = hold_bits(0x40000000, 0x4000000000000000);
    if (!is_f64()) {
        low_ = hold(vector_u64(0x00000000FFFFFFFF));
        high_ = hold(vector_u64(0xFFFFFFFF00000000));
    }
    if (log_probs_) hold_exp_constants(0);
}

void WeightOps::load_exp_constants(const ScaleAddresses& scale, int exponent) {
    load_scale(scale);
    hold_exp_constants(exponent);
}

void WeightOps::load_scale(const ScaleAddresses& scale) {
    greatest_ = take_held();
    zeros_ = greatest_;  // used only without logits
    is_f64() ? broadcast_u64(greatest_, scale.greatest) : broadcast_u32(greatest_, scale.greatest);
    if (!log_probs_) zero(zeros_);
    if (!scaled_) return;
    ratio_ = take_held();
    const Vec flush = take_held();
    is_f64() ? broadcast_u64(ratio_, scale.ratio) : broadcast_u32(ratio_, scale.ratio);
    is_f64() ? broadcast_u64(flush, scale.flush) : broadcast_u32(flush, scale.flush);
    flush_ = Held(flush, scale.flush, true);
}

// `round` is the constant that rounds to an integer, plus `exponent`. So the low bits of a sum with it are
// n + exponent. `exponent` changes no rounding: log2e has 24 significant bits, so no d above `flush` has a product
// halfway between two integers.
void WeightOps::hold_exp_constants(int exponent) {
    using F32 = WeightExpF32;
    using F64 = WeightExpF64;
    log2e_ = hold_float(F32::kLog2e, F64::kLog2e);
    round_ = hold_float(F32::kRound + static_cast<float>(exponent),
                        F64::kRound + static_cast<double>(exponent));
    ln2_hi_ = hold_float(-F32::kLn2Hi, -F64::kLn2Hi);
    ln2_lo_ = hold_float(-F32::kLn2Lo, -F64::kLn2Lo);
    if (!scaled_) flush_ = hold_float(F32::kFlush, F64::kFlush);
    one_ = hold_float(1.0f, 1.0);
    const int degree = is_f64() ? F64::kDegree : F32::kDegree;
    for (int i = 0; i < degree - 1; ++i)
        c_[i] = is_f64() ? hold(vector_f64(F64::kC[i])) : hold(vector_f32(F32::kC[i]));
}

void WeightOps::emit_weights(const Lanes& r) {
    if (log_probs_) {
        emit_exp(r);
    } else {
        // Compared as integers, because -0 is allowed in a row and is negative as an integer.
        const Mask mask = positive(r);
        is_f64() ? compare_greater_s64(mask, r.x, zeros_) : compare_greater_s32(mask, r.x, zeros_);
    }
    emit_quantise(r);
}

// x = exp((x - greatest) * ratio) * 2^exponent, with the same steps as weight_exp(). Lanes that are flushed to 0 are
// outside the mask.
void WeightOps::emit_exp(const Lanes& r) {
    const Vec &d = r.x, &z = r.scratch1, &n = r.scratch2, &p = r.odd;
    const int degree = is_f64() ? WeightExpF64::kDegree : WeightExpF32::kDegree;
    vmovaps(z, round_);
    if (is_f64()) {
        vsubpd(d, d, greatest_);
        if (scaled_) vmulpd(d, d, ratio_);
        compare_f64(positive(r), d, flush_, kGreaterEqual);
        vfmadd231pd(z, d, log2e_);  // z = d * log2(e) + 1.5 * 2^52
        vsubpd(n, z, round_);
        vfmadd231pd(d, n, ln2_hi_);
        vfmadd231pd(d, n, ln2_lo_);
    } else {
        vsubps(d, d, greatest_);
        if (scaled_) vmulps(d, d, ratio_);
        compare_f32(positive(r), d, flush_, kGreaterEqual);
        vfmadd231ps(z, d, log2e_);  // z = d * log2(e) + 1.5 * 2^23
        vsubps(n, z, round_);
        vfmadd231ps(d, n, ln2_hi_);
        vfmadd231ps(d, n, ln2_lo_);
    }
    vmovaps(p, c_[degree - 2]);
    for (int i = degree - 3; i >= -2; --i) {
        const Held& c = i >= 0 ? c_[i] : one_;
        is_f64() ? vfmadd213pd(p, d, c) : vfmadd213ps(p, d, c);
    }
    // x = p * 2^(n + exponent): the low bits of z are n + exponent.
    if (is_f64()) {
        vpsllq(z, z, 52);
        vpaddq(r.x, p, z);
    } else {
        vpslld(z, z, 23);
        vpaddd(r.x, p, z);
    }
}

void WeightOps::emit_quantise(const Lanes& r) {
    const Vec &s = r.x, &shift = r.scratch1;
    if (is_f64()) {
        vpsrlq(shift, r.x, 52);
        vpsubq(shift, top_, shift);
        vpminud(shift, shift, max_shift_);  // high words are 0 where the lane counts
        vpsllq(s, r.x, 10);
    } else {
        vpsrld(shift, r.x, 23);
        vpsubd(shift, top_, shift);
        vpminsd(shift, shift, max_shift_);
        vpslld(s, r.x, 7);
    }
    // s = 1.fraction, or 0 where the weight is 0.
    if (is_f64())
        and_or_masked_u64(s, positive(r), fraction_, leading_);
    else
        and_or_masked_u32(s, positive(r), fraction_, leading_);
    if (is_f64()) return vpsrlvq(s, s, shift);
    const Vec &odd = r.odd, &odd_shift = r.scratch2;
    vpsrlq(odd_shift, shift, 32);
    and_bits(odd, s, high_);
    and_bits(shift, shift, low_);
    vpsllq(s, s, 32);
    vpsrlvq(odd, odd, odd_shift);
    vpsrlvq(s, s, shift);
}

}  // namespace tombola::impl::cpu::x64
