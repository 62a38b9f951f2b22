// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/weight_ops.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "cpu/weights/weight_exp.hpp"
#include "cpu/x64/machine.hpp"

namespace tombola::impl::cpu::x64 {
WeightOps::WeightOps(CpuIsa isa, FloatType type, bool log_probs, const std::string& name,
                     bool scaled)
    : Vocabulary(isa, name + "." + name_of(data_type_of(type)) + (log_probs ? ".log" : "") +
                          (scaled ? ".scaled" : "")),
      type_(type),
      log_probs_(log_probs),
      scaled_(scaled) {}

void WeightOps::load_blocks(const BlockRegs& regs, const Xbyak::RegExp& args) {
    mov(regs.src, ptr[args + offsetof(BlockArgs, src)]);
    mov(regs.ahead, ptr[args + offsetof(BlockArgs, ahead)]);
    mov(regs.count, ptr[args + offsetof(BlockArgs, count)]);
    mov(regs.units, ptr[args + offsetof(BlockArgs, units)]);
    mov(regs.sums, ptr[args + offsetof(BlockArgs, sums)]);
}

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

// Each lane of 16 bytes gets four bf16 from its own copy of the source: a lane in the lower half of the register gets the first four, a
// lane in the upper half the last four. Each bf16 becomes the high half of an f32.
void WeightOps::hold_unordered_load() {
    if (type_ != FloatType::bf16) return;
    constexpr uint8_t kZero = 0x80;  // vpshufb makes a byte 0
    uint8_t table[64];
    for (int i = 0; i < bytes(); ++i) {
        const int first = i < bytes() / 2 ? 0 : 8;
        const int lane = i % 16 / 4, byte = i % 4;
        table[i] = byte < 2 ? kZero : static_cast<uint8_t>(first + 2 * lane + byte - 2);
    }
    words_ = hold(vector_table(table));
}

void WeightOps::load_unordered(const Vec& d, const Reg& src, int i) {
    const Address from = ptr[src + i * vector_step()];
    if (type_ != FloatType::bf16) return load_wide(d, from);
    load_half_twice(d, from);
    vpshufb(d, d, words_);
}

void WeightOps::load_lowest(const Vec& d) {
    if (!log_probs_) return zero(d);
    constexpr float kLowest = -std::numeric_limits<float>::infinity();
    load(d, is_f64() ? vector_f64(static_cast<double>(kLowest)) : vector_f32(kLowest));
}

void WeightOps::emit_begin_findings() {
    if (log_probs_ && scaled_) return;
    load_lowest(maxima_found());
    log_probs_ ? fill_mask(mask_found()) : clear_mask(mask_found());
}

void WeightOps::prefetch_read(const Reg& src, int offset, int size) {
    const int distance = machine().row.read_ahead;
    if (distance == 0) return;
    for (int line = 0; line < size; line += 64) prefetcht0(ptr[src + distance + offset + line]);
}

// Rows of weights are read once. Where prefetching the row itself pays, `ahead` lies in this row, and towards its end in the next row,
// because rows mostly follow one another.
void WeightOps::emit_ahead(const Reg& ahead, int first, int last, const Lanes& r) {
    const int begin = first * vector_step(), size = (last - first) * vector_step();
    if (!log_probs_ && machine().row.read_ahead > 0) {
        for (int line = 0; line < size; line += 64) prefetcht0(ptr[ahead + begin + line]);
        return;
    }
    // While a row is read for the first time, this many loads wait for memory.
    const int loads =
        machine().row.read_ahead > 0 ? machine().row.read_ahead : 2 * machine().prefetch_bytes();
    const int distance = begin + (finds_ahead() ? loads : 0);
    for (int line = 0; line < size; line += 64) prefetcht1(ptr[ahead + distance + line]);
    if (!finds_ahead()) return;
    const int together = std::min(last - first, 2);  // a comparison finds a NaN in either operand
    for (int i = first; i < last; i += together) {
        const Vec &x = r.x, &y = together == 2 ? r.odd : r.x;
        load_unordered(x, ahead, i);
        if (together == 2) load_unordered(y, ahead, i + 1);
        is_f64() ? compare_also_f64(mask_found(), x, y, kOrdered, r.scratch1)
                 : compare_also_f32(mask_found(), x, y, kOrdered, r.scratch1);
        emit_max(maxima_found(), x, maxima_found());
        if (together == 2) emit_max(maxima_found(), y, maxima_found());
    }
}

void WeightOps::emit_end_findings(const Xbyak::RegExp& to, const Reg& scratch) {
    if (log_probs_ && scaled_) return;
    if (!log_probs_) return emit_findings(to, maxima_found(), mask_found(), scratch);
    store(ptr[to + offsetof(RowFindings, maxima)], maxima_found());
    unset_to_reg(scratch, mask_found(), is_f64() ? 8 : 4);
    mov(ptr[to + offsetof(RowFindings, refused)], scratch);
}

Vocabulary::Held WeightOps::hold_bits(uint32_t narrow, uint64_t wide) {
    return hold(is_f64() ? vector_u64(wide) : vector_u32(narrow));
}

Vocabulary::Held WeightOps::hold_float(float narrow, double wide) {
    return hold(is_f64() ? vector_f64(wide) : vector_f32(narrow));
}

void WeightOps::load_constants(const ScaleAddresses& scale, const Address& top) {
    set_held_range(kLowestHeld);
    top_ = take_held();
    is_f64() ? broadcast_u64(top_, top) : broadcast_u32(top_, top);
    load_scale(scale);
    hold_constants();
    hold_unordered_load();
}

void WeightOps::load_constants_for_rows() {
    set_held_range(kLowestHeld);
    top_ = take_held();
    take_greatest();
    hold_constants();
}

void WeightOps::hold_constants() {
    max_shift_ = hold_bits(62, 62);
    fraction_ = hold_bits(0x3FFFFF80, 0x3FFFFFFFFFFFFC00);
    leading_ = hold_bits(0x40000000, 0x4000000000000000);
    if (!is_f64()) {
        low_ = hold(vector_u64(0x00000000FFFFFFFF));
        high_ = hold(vector_u64(0xFFFFFFFF00000000));
    }
    if (log_probs_) hold_exp_constants();
}

void WeightOps::take_greatest() {
    greatest_ = take_held();
    zeros_ = greatest_;  // used only without logits
    if (!log_probs_) zero(zeros_);
}

void WeightOps::load_scale(const ScaleAddresses& scale) {
    take_greatest();
    if (log_probs_)
        is_f64() ? broadcast_u64(greatest_, scale.greatest)
                 : broadcast_u32(greatest_, scale.greatest);
    if (!scaled_) return;
    ratio_ = take_held();
    const Vec flush = take_held();
    is_f64() ? broadcast_u64(ratio_, scale.ratio) : broadcast_u32(ratio_, scale.ratio);
    is_f64() ? broadcast_u64(flush, scale.flush) : broadcast_u32(flush, scale.flush);
    flush_ = Held(flush, scale.flush, true);
}

void WeightOps::hold_exp_constants() {
    using F32 = WeightExpF32;
    using F64 = WeightExpF64;
    log2e_ = hold_float(F32::kLog2e, F64::kLog2e);
    round_ = hold_float(F32::kRound, F64::kRound);
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

// x = exp((x - greatest) * ratio), by the same steps as weight_exp(). Lanes that are flushed to 0 are outside the mask.
void WeightOps::emit_exp(const Lanes& r) {
    const Vec &d = r.x, &z = r.scratch1, &n = r.scratch2, &p = r.odd;
    const int degree = is_f64() ? WeightExpF64::kDegree : WeightExpF32::kDegree;
    const auto subtract = [&](const Vec& to, const Vec& x, const Xbyak::Operand& y) {
        is_f64() ? vsubpd(to, x, y) : vsubps(to, x, y);
    };
    const auto add_product = [&](const Vec& to, const Vec& x, const Xbyak::Operand& y) {
        is_f64() ? vfmadd231pd(to, x, y) : vfmadd231ps(to, x, y);
    };
    subtract(d, d, greatest_);
    if (scaled_) is_f64() ? vmulpd(d, d, ratio_) : vmulps(d, d, ratio_);
    is_f64() ? compare_f64(positive(r), d, flush_, kGreaterEqual)
             : compare_f32(positive(r), d, flush_, kGreaterEqual);
    vmovaps(z, round_);
    add_product(z, d, log2e_);  // z = d * log2(e) + round
    subtract(n, z, round_);
    add_product(d, n, ln2_hi_);
    add_product(d, n, ln2_lo_);
    vmovaps(p, c_[degree - 2]);
    for (int i = degree - 3; i >= -2; --i) {
        const Held& c = i >= 0 ? c_[i] : one_;
        is_f64() ? vfmadd213pd(p, d, c) : vfmadd213ps(p, d, c);
    }
    // x = p * 2^n: the low bits of z are n.
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
