// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/near_sum_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cpu/weights/weight_quantum.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

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

// vec 0-5 three sets, 6 S, 7 maxima (plain) or the first mask (limited, AVX2), 8 lanes of the mask of findings (plain,
// AVX2) or the second mask (limited, AVX2), 9-11 see the header, from 12 on more sets; constants above; k1 and k3-k5 masks
// of the limit, k2 with plain logits the mask of accepted lanes.
void NearSumKernel::generate() {
    begin(8, (kFirstZ + max_sets()) * bytes());
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
    zero(vec(0));
    store(high(), vec(0));
    store(low(), vec(0));
    load(all(), vector_u32(0xFFFFFFFF));
    L(next_group);
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

NearSumKernel::Set NearSumKernel::set(int i) const {
    const int e = i < 3 ? 2 * i : 6 + 2 * i;
    const Mask within = i == 0 ? Mask{k1, vec(7)} : Mask{Xbyak::Opmask(i + 2), vec(8)};
    return {vec(e), vec(e + 1), within, slot(kFirstZ + i)};
}

int NearSumKernel::max_sets() const {
    if (logits_ == Logits::limited) return registers() == 32 ? 4 : 2;
    return registers() == 32 ? 8 : 4;
}

void NearSumKernel::load_constants() {
    const Reg args = gpr(0);
    set_held_range(set(std::max(max_sets(), 4) - 1).p.getIdx() + 1);
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

// Adds the weights of `units` units, at least 1, to those of the block.
void NearSumKernel::emit_group(const Reg& src, const Reg& ahead, const Reg& units) {
    const Reg args = gpr(0);
    broadcast_u32(sum(), ptr[args + offsetof(Args, shape.start)]);
    load(rest(), vector_u32(kRestBias));
    int last = 0;
    for (const int sets : {max_sets(), 2, 1}) {
        const int together = sets / vectors_per_unit();
        if (together == 0 || together == last) continue;
        last = together;
        Label again, done;
        L(again);
        cmp(units, together);
        jl(done, T_NEAR);
        emit_units(src, ahead, together);
        sub(units, together);
        jmp(again, T_NEAR);
        L(done);
    }
    broadcast_u32(vec(1), ptr[args + offsetof(Args, shape.start)]);
    vpsubd(vec(0), sum(), vec(1));
    vpaddd(vec(0), vec(0), high());
    store(high(), vec(0));
    vpsrlq(vec(0), rest(), 32);
    and_bits(rest(), rest(), vector_u64(0x00000000FFFFFFFF));
    vpaddq(vec(0), vec(0), rest());
    vpaddq(vec(0), vec(0), low());
    load(vec(1), vector_u64(2 * uint64_t{kRestBias}));
    vpsubq(vec(0), vec(0), vec(1));
    store(low(), vec(0));
}

void NearSumKernel::emit_units(const Reg& src, const Reg& ahead, int units) {
    const int step = units * kUnitClasses * element_bytes();
    std::vector<Set> sets;
    const Vec greatest = scratch();
    broadcast_u32(greatest, ptr[gpr(0) + offsetof(Args, greatest)]);
    for (int i = 0; i < units * vectors_per_unit(); ++i) {
        const Set r = set(i);
        if (type() == FloatType::f32) {
            vsubps(r.e, greatest, ptr[src + i * vector_step()]);
        } else {
            load_unordered(r.e, src, i);
            vsubps(r.e, greatest, r.e);
        }
        sets.push_back(r);
    }
    // A step of the polynomial takes two of Zen 5's four pipes for vectors. The row ahead is read by the others
    // meanwhile, two vectors after a step, if there are registers for them.
    const int vectors = static_cast<int>(sets.size());
    int read = 0;
    const auto after_step = [&] {
        if (registers() < 32 || read == vectors) return;
        const int end = std::min(vectors, read + 2);
        emit_ahead(ahead, read, end, {vec(8), scratch(), vec(8), vec(8), vec(8), k1});
        read = end;
    };
    emit_weights(sets, after_step);
    emit_add(sets);
    if (read < vectors)
        emit_ahead(ahead, read, vectors, {vec(0), vec(1), vec(2), vec(3), vec(4), k1});
    add(src, step);
    add(ahead, step);
}

// A register that has the value. scratch() if it is held in memory: one load serves all sets.
NearSumKernel::Vec NearSumKernel::operand(const Held& value) {
    const Xbyak::Operand& from = value;
    if (!from.isMEM()) return static_cast<const Vec&>(from);
    vmovaps(scratch(), from);
    return scratch();
}

// p and z become two f32 whose product is W: the steps of weight_exp(), with the opposite sign of d, n and r. The steps
// of all sets alternate, because each step waits for the one before, and Zen 5's scheduler holds few of them. So that
// more sets have registers, z and n are in the register of p, and z waits in memory. after_step() is called after each step
// of the polynomial.
void NearSumKernel::emit_weights(const std::vector<Set>& sets,
                                 const std::function<void()>& after_step) {
    const auto each = [&](const auto& step) {
        for (const Set& r : sets) step(r, r.e, r.p);
    };
    using R = const Set&;
    using V = const Vec&;
    const bool limited = logits_ == Logits::limited;
    if (logits_ != Logits::plain) each([&](R, V e, V) { vmulps(e, e, ratio_); });
    if (limited) {
        each([&](R r, V e, V) { compare_f32(r.within, e, limit_, kLessEqual); });
        each([&](R r, V e, V) { keep_masked_u32(e, r.within); });
    }
    const Vec log2e = operand(log2e_);
    each([&](R, V e, V z) {
        broadcast_u32(z, ptr[gpr(0) + offsetof(Args, shape.round)]);
        vfmsub231ps(z, e, log2e);  // z = -(d * log2(e) + kRound + C)
    });
    for (size_t i = 0; i + 1 < sets.size(); i += 2) and3(all(), sets[i].p, sets[i + 1].p);
    if (sets.size() % 2 == 1) and_bits(all(), all(), sets.back().p);
    each([&](R r, V, V z) {
        limited ? shift_left_masked_u32(scratch(), r.within, z, 23) : vpslld(scratch(), z, 23);
        store(r.z, scratch());
    });
    const Vec round = scratch();
    broadcast_u32(round, ptr[gpr(0) + offsetof(Args, shape.round)]);
    each([&](R, V, V n) { vaddps(n, n, round); });  // -n
    const Vec hi = operand(ln2_hi_);
    each([&](R, V e, V n) { vfnmadd231ps(e, n, hi); });
    const Vec lo = operand(ln2_lo_);
    each([&](R, V e, V n) { vfnmadd231ps(e, n, lo); });  // -r
    each([&](R, V, V p) { vmovaps(p, c_[WeightExpF32::kDegree - 2]); });
    for (int i = WeightExpF32::kDegree - 3; i >= -2; --i) {
        const Vec c = operand(i >= 0 ? c_[i] : one_);
        each([&](R, V e, V p) { vfnmadd213ps(p, e, c); });
        after_step();
    }
}

void NearSumKernel::emit_add(const std::vector<Set>& sets) {
    for (const Set& r : sets) {
        const Vec &h = r.e, &l = r.p;
        copy(h, sum());
        vfmadd231ps(sum(), r.p, r.z);
        vsubps(h, sum(), h);
        vfmsub132ps(l, h, r.z);
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
    const Vec high_words = vec(0), low_words = vec(1);
    load(low_words, high());
    vpsrlq(high_words, low_words, 32);
    and_bits(low_words, low_words, vector_u64(0x00000000FFFFFFFF));
    vpaddq(high_words, high_words, low_words);
    vmovd(quarter(1), ptr[args + offsetof(Args, shape.unit_log)]);
    vpsllq(high_words, high_words, quarter(1));
    vpaddq(high_words, high_words, low());
    store_sum_u64(ptr[sums], 0, 1);
    add(sums, 8);
}

}  // namespace tombola::impl::cpu::x64
