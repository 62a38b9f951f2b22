// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/near_sum_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cpu/weights/weight_quantum.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kLowestHeldHere = 13;
constexpr uint32_t kRestBias = 0x40000000;
// The sign and the exponent of -kRound, its first bit after the leading one, and bit 7.
constexpr uint32_t kNear = 0xCB400080;

std::string suffix(NearSumKernel::Logits logits) {
    return logits == NearSumKernel::Logits::limited ? ".limited" : "";
}

}  // namespace

NearSumKernel::NearSumKernel(const Key& key)
    : WeightOps(std::get<0>(key), std::get<1>(key), true,
                "weights.near_sum" + suffix(std::get<2>(key)), std::get<2>(key) != Logits::plain),
      logits_(std::get<2>(key)) {}

// K * U / 2 <= 2^30 with U = K * 2^(38-L): 2 log2 K <= L - 7.
NearSumKernel::Shape NearSumKernel::shape(int log_classes, CpuIsa isa) {
    const int count_log = std::min(4, (log_classes - 7) / 2);  // log2 K
    const int start_log = std::max(kWeightBits - 1 - log_classes + count_log, 47);
    const int vector_classes = shape_of(isa).bytes / 4;
    return {WeightExpF32::kRound + static_cast<float>(188 - log_classes),
            std::ldexp(1.0f, start_log), static_cast<uint32_t>(start_log - 23),
            (1 << count_log) * vector_classes / kUnitClasses};
}

// vec 0-2 and 3-5 two vectors of classes, 6 S, 7 maxima (plain) or the first mask (limited, AVX2), 8 lanes of the mask
// of findings (plain, AVX2) or the second mask (limited, AVX2), 9-12 below; constants from 13 on; k1 and k3 masks of the
// limit, k2 with plain logits the mask of accepted lanes.
void NearSumKernel::generate() {
    begin(8, spread_bytes(2));
    const Reg args = gpr(0), src = gpr(1), ahead = gpr(2), blocks = gpr(3), units = gpr(4),
              sums = gpr(5), left = gpr(6), group = gpr(7);
    load_constants();
    mov(src, ptr[args + offsetof(Args, src)]);
    mov(ahead, ptr[args + offsetof(Args, ahead)]);
    mov(blocks, ptr[args + offsetof(Args, blocks)]);
    mov(units, ptr[args + offsetof(Args, units)]);
    mov(sums, ptr[args + offsetof(Args, sums)]);
    emit_begin_findings();

    Label block, next_group, too_far;
    L(block);
    mov(left, units);
    zero(high());
    zero(low());
    load(all(), vector_u32(0xFFFFFFFF));
    L(next_group);
    broadcast_u32(sum(), ptr[args + offsetof(Args, shape.start)]);
    movsxd(group, dword[args + offsetof(Args, shape.group_units)]);
    cmp(left, group);
    cmovl(group, left);
    sub(left, group);
    emit_group(src, ahead, group);
    test(left, left);
    jnz(next_group, T_NEAR);
    emit_check(left, too_far);
    emit_sum(args, sums);
    dec(blocks);
    jnz(block, T_NEAR);
    L(too_far);
    mov(ptr[args + offsetof(Args, blocks)], blocks);
    emit_end_findings(args + offsetof(Args, found), left);
    end();
}

void NearSumKernel::load_constants() {
    const Reg args = gpr(0);
    set_held_range(kLowestHeldHere);
    greatest_ = take_held();
    round_ = take_held();
    broadcast_u32(greatest_, ptr[args + offsetof(Args, greatest)]);
    broadcast_u32(round_, ptr[args + offsetof(Args, shape.round)]);
    if (logits_ != Logits::plain) ratio_ = spread_u32(args, offsetof(Args, ratio), 0, vec(0));
    if (logits_ == Logits::limited) limit_ = spread_u32(args, offsetof(Args, limit), 1, vec(0));
    using Exp = WeightExpF32;
    log2e_ = hold(vector_f32(Exp::kLog2e));
    one_ = hold(vector_f32(1.0f));
    ln2_hi_ = hold(vector_f32(Exp::kLn2Hi));
    ln2_lo_ = hold(vector_f32(Exp::kLn2Lo));
    for (int i = 0; i < Exp::kDegree - 1; ++i) c_[i] = hold(vector_f32(Exp::kC[i]));
    hold_unordered_load();
}

// Adds the weights of `units` units, at least 1, to those of the block. S is M.
void NearSumKernel::emit_group(const Reg& src, const Reg& ahead, const Reg& units) {
    vpsubd(high(), high(), sum());
    load(rest(), vector_u32(kRestBias));
    vpsubq(low(), low(), vector_u64(2 * uint64_t{kRestBias}));
    const int together = 2 / vectors_per_unit();
    Label pair, last, done;
    sub(units, together);
    jl(last, T_NEAR);
    L(pair);
    emit_units(src, ahead, together);
    sub(units, together);
    jge(pair, T_NEAR);
    L(last);
    if (together == 2) {
        test(units, 1);
        jz(done, T_NEAR);
        emit_units(src, ahead, 1);
        L(done);
    }
    vpaddd(high(), high(), sum());
    vpsrlq(vec(0), rest(), 32);
    vpaddq(low(), low(), vec(0));
    and_bits(rest(), rest(), vector_u64(0x00000000FFFFFFFF));
    vpaddq(low(), low(), rest());
}

void NearSumKernel::emit_units(const Reg& src, const Reg& ahead, int units) {
    const int step = units * kUnitClasses * element_bytes();
    std::vector<Set> sets{{vec(0), vec(1), vec(2), {k1, vec(7)}},
                          {vec(3), vec(4), vec(5), {k3, vec(8)}}};
    sets.resize(static_cast<size_t>(units * vectors_per_unit()));
    int i = 0;
    for (const Set& r : sets) {
        if (type() == FloatType::f32) {
            vsubps(r.e, greatest_, ptr[src + i * vector_step()]);
        } else {
            load_unordered(r.e, src, i);
            vsubps(r.e, greatest_, r.e);
        }
        ++i;
    }
    emit_weights(sets);
    emit_add(sets);
    emit_ahead(src, ahead, units, {vec(0), vec(1), vec(2), vec(3), vec(4), k1});
    add(src, step);
    add(ahead, step);
}

// p and z become two f32 whose product is W: the steps of weight_exp(), with the opposite sign of d, n and r. The steps
// of both vectors alternate, because each step waits for the one before.
void NearSumKernel::emit_weights(const std::vector<Set>& sets) {
    const auto each = [&](const auto& step) {
        for (const Set& r : sets) step(r, r.e, r.z, r.p);
    };
    using R = const Set&;
    using V = const Vec&;
    const bool limited = logits_ == Logits::limited;
    if (logits_ != Logits::plain) each([&](R, V e, V, V) { vmulps(e, e, ratio_); });
    if (limited) {
        each([&](R r, V e, V, V) { compare_f32(r.within, e, limit_, kLessEqual); });
        each([&](R r, V e, V, V) { keep_masked_u32(e, r.within); });
    }
    each([&](R, V e, V z, V) {
        vmovaps(z, round_);
        vfmsub231ps(z, e, log2e_);  // z = -(d * log2(e) + kRound + C)
    });
    if (sets.size() == 2)
        and3(all(), sets[0].z, sets[1].z);
    else
        and_bits(all(), all(), sets[0].z);
    each([&](R, V, V z, V n) { vaddps(n, z, round_); });  // -n
    each([&](R, V e, V, V n) { vfnmadd231ps(e, n, ln2_hi_); });
    each([&](R, V e, V, V n) { vfnmadd231ps(e, n, ln2_lo_); });  // -r
    each([&](R, V, V, V p) { vmovaps(p, c_[WeightExpF32::kDegree - 2]); });
    for (int i = WeightExpF32::kDegree - 3; i >= -2; --i) {
        const Held& c = i >= 0 ? c_[i] : one_;
        each([&](R, V e, V, V p) { vfnmadd213ps(p, e, c); });
    }
    each([&](R r, V, V z, V) {
        limited ? shift_left_masked_u32(z, r.within, z, 23) : vpslld(z, z, 23);
    });
}

void NearSumKernel::emit_add(const std::vector<Set>& sets) {
    for (const Set& r : sets) {
        const Vec &h = r.e, &l = r.p;
        copy(h, sum());
        vfmadd231ps(sum(), r.p, r.z);
        vsubps(h, sum(), h);
        vfmsub213ps(l, r.z, h);
    }
    for (const Set& r : sets) vcvttps2dq(r.p, r.p);
    for (const Set& r : sets) vpaddd(rest(), rest(), r.p);
}

// Jumps if a logit of the block is too far below the greatest one.
void NearSumKernel::emit_check(const Reg& scratch, Label& too_far) {
    const Mask near{k1, vec(2)};
    load(vec(1), vector_u32(kNear));
    and_bits(vec(0), all(), vec(1));
    compare_not_below(near, vec(0), vec(1), 32);
    unset_to_reg(scratch, near, 4);
    test(scratch, scratch);
    jnz(too_far, T_NEAR);
}

void NearSumKernel::emit_sum(const Reg& args, const Reg& sums) {
    vpsrlq(vec(0), high(), 32);
    and_bits(high(), high(), vector_u64(0x00000000FFFFFFFF));
    vpaddq(high(), high(), vec(0));
    vmovd(quarter(0), ptr[args + offsetof(Args, shape.unit_log)]);
    vpsllq(high(), high(), quarter(0));
    vpaddq(low(), low(), high());
    store_sum_u64(ptr[sums], low().getIdx(), high().getIdx());
    add(sums, 8);
}

}  // namespace tombola::impl::cpu::x64
