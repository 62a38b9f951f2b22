// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/multinomial/weight_ops.hpp"

#include <cstddef>

#include "cpu/multinomial/weight_exp.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kLowestHeld = 7, kLowestHeldOfWeights = 9;
// vcmpps predicates, quiet: Intel SDM, table "Comparison Predicate for CMPPS".
constexpr int kUnordered = 0x03, kNotGreaterEqual = 0x19, kGreaterEqual = 0x1D;

}  // namespace

WeightOps::WeightOps(CpuIsa isa, FloatType type, bool log_probs, const std::string& name)
    : Vocabulary(isa, name + "." + name_of(data_type_of(type)) + (log_probs ? ".log" : "")),
      type_(type),
      log_probs_(log_probs) {}

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

void WeightOps::note_refused(const Vec& noted, const Vec& x, const Vec& zeros, const Vec& scratch) {
    const Vec& other = log_probs_ ? x : zeros;
    const int predicate = log_probs_ ? kUnordered : kNotGreaterEqual;
    if (is_avx512()) {
        if (is_f64())
            vcmppd(k1, x, other, predicate);
        else
            vcmpps(k1, x, other, predicate);
        return korw(k2, k2, k1);
    }
    if (is_f64())
        vcmppd(scratch, x, other, predicate);
    else
        vcmpps(scratch, x, other, predicate);
    or_bits(noted, noted, scratch);
}

void WeightOps::emit_findings(const Xbyak::RegExp& to, const Vec& most, const Vec& noted,
                              const Reg& scratch) {
    store(ptr[to + offsetof(RowFindings, most)], most);
    if (is_avx512())
        kmovw(scratch.cvt32(), k2);
    else
        vmovmskps(scratch.cvt32(), noted);
    mov(ptr[to + offsetof(RowFindings, refused)], scratch);
}

const Xbyak::Operand* WeightOps::hold(const Address& a) {
    if (next_held_ < (log_probs_ ? kLowestHeld : kLowestHeldOfWeights)) {
        held_addresses_.push_back(a);
        return &held_addresses_.back();
    }
    held_registers_.push_back(vec(next_held_--));
    load(held_registers_.back(), a);
    return &held_registers_.back();
}

const Xbyak::Operand* WeightOps::hold_bits(uint32_t narrow, uint64_t wide) {
    return hold(is_f64() ? vector_u64(wide) : vector_u32(narrow));
}

const Xbyak::Operand* WeightOps::hold_float(float narrow, double wide) {
    return hold(is_f64() ? vector_f64(wide) : vector_f32(narrow));
}

void WeightOps::load_constants(const Address& greatest, const Address& top) {
    next_held_ = registers() - 1;
    top_ = vec(next_held_--);
    greatest_ = vec(next_held_--);
    zeros_ = greatest_;  // of use without logits alone
    if (is_f64()) {
        broadcast_u64(top_, top);
        broadcast_u64(greatest_, greatest);
    } else {
        broadcast_u32(top_, top);
        broadcast_u32(greatest_, greatest);
    }
    if (!log_probs_) zero(zeros_);

    most_ = hold_bits(62, 62);
    fraction_ = hold_bits(0x3FFFFF80, 0x3FFFFFFFFFFFFC00);
    leading_ = hold_bits(0x40000000, 0x4000000000000000);
    if (!is_f64()) {
        low_ = hold(vector_u64(0x00000000FFFFFFFF));
        high_ = hold(vector_u64(0xFFFFFFFF00000000));
    }
    if (!log_probs_) return;
    using F32 = WeightExpF32;
    using F64 = WeightExpF64;
    log2e_ = hold_float(F32::kLog2e, F64::kLog2e);
    round_ = hold_float(F32::kRound, F64::kRound);
    ln2_hi_ = hold_float(-F32::kLn2Hi, -F64::kLn2Hi);
    ln2_lo_ = hold_float(-F32::kLn2Lo, -F64::kLn2Lo);
    flush_ = hold_float(F32::kFlush, F64::kFlush);
    one_ = hold_float(1.0f, 1.0);
    const int degree = is_f64() ? F64::kDegree : F32::kDegree;
    for (int i = 0; i < degree - 1; ++i)
        c_[i] = is_f64() ? hold(vector_f64(F64::kC[i])) : hold(vector_f32(F32::kC[i]));
}

void WeightOps::mask_positive(const Vec& mask, const Vec& x) {
    // As integers: -0, alone among what a row may have, is negative.
    if (is_avx512())
        is_f64() ? vpcmpgtq(k1, x, zeros_) : vpcmpgtd(k1, x, zeros_);
    else
        is_f64() ? vpcmpgtq(mask, x, zeros_) : vpcmpgtd(mask, x, zeros_);
}

void WeightOps::mask_not_flushed(const Vec& mask, const Vec& d) {
    if (is_avx512())
        is_f64() ? vcmppd(k1, d, *flush_, kGreaterEqual) : vcmpps(k1, d, *flush_, kGreaterEqual);
    else
        is_f64() ? vcmppd(mask, d, *flush_, kGreaterEqual)
                 : vcmpps(mask, d, *flush_, kGreaterEqual);
}

void WeightOps::emit_weights(const Lanes& r) {
    if (log_probs_)
        emit_exp(r);
    else
        mask_positive(r.scratch3, r.x);
    emit_quantise(r);
}

// x = exp(x - greatest), line by line as weight_exp(); what is flushed is left to the mask (scratch3).
void WeightOps::emit_exp(const Lanes& r) {
    const Vec &d = r.x, &z = r.scratch1, &n = r.scratch2, &p = r.odd;
    const int degree = is_f64() ? WeightExpF64::kDegree : WeightExpF32::kDegree;
    vmovaps(z, *round_);
    if (is_f64()) {
        vsubpd(d, d, greatest_);
        mask_not_flushed(r.scratch3, d);
        vfmadd231pd(z, d, *log2e_);  // z = d * log2(e) + 1.5 * 2^52
        vsubpd(n, z, *round_);
        vfmadd231pd(d, n, *ln2_hi_);
        vfmadd231pd(d, n, *ln2_lo_);
    } else {
        vsubps(d, d, greatest_);
        mask_not_flushed(r.scratch3, d);
        vfmadd231ps(z, d, *log2e_);  // z = d * log2(e) + 1.5 * 2^23
        vsubps(n, z, *round_);
        vfmadd231ps(d, n, *ln2_hi_);
        vfmadd231ps(d, n, *ln2_lo_);
    }
    vmovaps(p, *c_[degree - 2]);
    for (int i = degree - 3; i >= -2; --i) {
        const Operand& c = i >= 0 ? *c_[i] : *one_;
        is_f64() ? vfmadd213pd(p, d, c) : vfmadd213ps(p, d, c);
    }
    // w = p * 2^n: the low bits of z are n.
    if (is_f64()) {
        vpsllq(z, z, 52);
        vpaddq(r.x, p, z);
    } else {
        vpslld(z, z, 23);
        vpaddd(r.x, p, z);
    }
}

void WeightOps::emit_quantise(const Lanes& r) {
    const Vec &s = r.x, &shift = r.scratch1, &mask = r.scratch3;
    if (is_f64()) {
        vpsrlq(shift, r.x, 52);
        vpsubq(shift, top_, shift);
        vpminud(shift, shift, *most_);  // high words are 0 where the lane counts
        vpsllq(s, r.x, 10);
    } else {
        vpsrld(shift, r.x, 23);
        vpsubd(shift, top_, shift);
        vpminsd(shift, shift, *most_);
        vpslld(s, r.x, 7);
    }
    // s = 1.fraction, or 0 where the weight is 0.
    if (is_avx512()) {
        constexpr uint8_t kAndOr = 0xEA;  // d & fraction | leading
        const Vec& fraction = static_cast<const Vec&>(*fraction_);
        if (is_f64())
            vpternlogq(s | k1 | T_z, fraction, *leading_, kAndOr);
        else
            vpternlogd(s | k1 | T_z, fraction, *leading_, kAndOr);
    } else {
        and_bits(s, s, *fraction_);
        or_bits(s, s, *leading_);
        and_bits(s, s, mask);
    }
    if (is_f64()) return vpsrlvq(s, s, shift);
    const Vec &odd = r.odd, &odd_shift = r.scratch2;
    vpsrlq(odd_shift, shift, 32);
    and_bits(odd, s, *high_);
    and_bits(shift, shift, *low_);
    vpsllq(s, s, 32);
    vpsrlvq(odd, odd, odd_shift);
    vpsrlvq(s, s, shift);
}

}  // namespace tombola::impl::cpu::x64
