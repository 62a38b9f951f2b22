// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/logit_sum_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "cpu/weights/weight_quantum.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr uint32_t kRestBias = 0x40000000;
// The sign and the exponent of -kRound, its first bit after the leading one, and bit 7.
constexpr uint32_t kNear = 0xCB400080;
constexpr float kLn2 = 0.693147182f;

}  // namespace

LogitSumKernel::LogitSumKernel(const Key& key)
    : LogitPasses(
          std::get<0>(key), std::get<1>(key), std::get<2>(key),
          std::get<3>(key) == Logits::near ? "weights.logit_sum.near" : "weights.logit_sum"),
      near_(std::get<3>(key) == Logits::near) {}

// K * U / 2 <= 2^30 with U = K * 2^(38-L): 2 log2 K <= L - 7.
LogitSumKernel::Shape LogitSumKernel::shape(int log_classes, CpuIsa isa) {
    const int count_log = std::min(4, (log_classes - 7) / 2);  // log2 K
    const int start_log = std::max(kWeightBits - 1 - log_classes + count_log, 47);
    const int vector_classes = shape_of(isa).bytes / 4;
    return {
        WeightExpF32::kRound + static_cast<float>(188 - log_classes), std::ldexp(1.0f, start_log),
        (static_cast<float>(kWeightBits - 1 - log_classes) - 0.25f) * kLn2,
        static_cast<uint32_t>(start_log - 23), (1 << count_log) * vector_classes / kUnitClasses};
}

// Registers: vec 0-5 three sets; 6 S; 7 maxima; 8 lanes of the mask of findings (AVX2); 9-11 see the header; from 12 on further sets, and
// above them constants. k1 scratch; k2 the mask of accepted lanes; k3-k6 masks of the limit.
void LogitSumKernel::generate() {
    begin(9, frame_bytes());
    const Reg args = gpr(0);
    load_constants();
    list_steps();
    load_blocks({src(), ahead(), blocks(), units(), sums()}, args + offsetof(Args, row.blocks));
    if (near_) load(all(), vector_u32(0xFFFFFFFF));
    emit_begin_findings();

    Label in_turns, done;
    jump_unless_passes(in_turns);
    test(dword[args + offsetof(Args, shape.group_units)], pass_units() - 1);
    jnz(in_turns, T_NEAR);
    emit_begin_passes();
    emit_blocks(true, done);
    jmp(done, T_NEAR);
    L(in_turns);
    emit_blocks(false, done);
    L(done);
    mov(ptr[args + offsetof(Args, row.blocks.count)], blocks());
    emit_end_findings(args + offsetof(Args, found), left());
    end();
}

// With a limit, each of them needs a mask register of its own on AVX-512.
int LogitSumKernel::turn_sets() const { return near_ || registers() < 32 ? pass_sets() : kMasks; }

void LogitSumKernel::load_constants() {
    const Reg args = gpr(0);
    set_held_range(registers_of_sets());
    hold_ratio();
    if (!near_) {
        limit_ = spread_u32(args, offsetof(Args, limit), 1, vec(0));
        farthest_ = spread_u32(args, offsetof(Args, shape.farthest), 2, vec(0));
    }
    using Exp = WeightExpF32;
    log2e_ = hold(vector_f32(Exp::kLog2e));
    one_ = hold(vector_f32(1.0f));
    ln2_hi_ = hold(vector_f32(Exp::kLn2Hi));
    ln2_lo_ = hold(vector_f32(Exp::kLn2Lo));
    for (int i = 0; i < Exp::kDegree - 1; ++i) c_[i] = hold(vector_f32(Exp::kC[i]));
    hold_unordered_load();
}

// Sums block after block. The form for near logits jumps to `too_far` where it stops.
void LogitSumKernel::emit_blocks(bool in_passes, Label& too_far) {
    const Reg args = gpr(0), group = gpr(7);
    Label block, next_group;
    L(block);
    mov(left(), units());
    zero(vec(0));
    store(high(), vec(0));
    store(low(), vec(0));
    L(next_group);
    movsxd(group, dword[args + offsetof(Args, shape.group_units)]);
    cmp(left(), group);
    cmovl(group, left());
    sub(left(), group);
    emit_group(group, in_passes);
    test(left(), left());
    jnz(next_group, T_NEAR);
    if (near_) emit_check(too_far);
    emit_sum();
    dec(blocks());
    jnz(block, T_NEAR);
}

// Adds the weights of `units` units, at least 1, to the sum of the block.
void LogitSumKernel::emit_group(const Reg& units, bool in_passes) {
    const Reg args = gpr(0);
    broadcast_u32(sum(), ptr[args + offsetof(Args, shape.start)]);
    load(rest(), vector_u32(kRestBias));
    emit_classes(units, in_passes);
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

// Lists the steps of a set of lanes. Several sets take turns, because each step waits for the one before, and Zen 5's scheduler holds few
// steps. p and z become two f32 whose product is W: these are the steps of weight_exp(), with the opposite sign of d, n and r. Then W is
// added to the sum. To leave registers for more sets, z and n use the register of p, and z waits in memory.
void LogitSumKernel::list_steps() {
    using R = const Set&;
    using V = const Vec&;
    add_load_steps();
    if (!near_) list_limit_steps();
    add_steps_with(log2e_, [=](V e, V z, V log2e) {
        broadcast_u32(z, ptr[gpr(0) + offsetof(Args, shape.round)]);
        vfmsub231ps(z, e, log2e);  // z = -(d * log2(e) + kRound + C)
    });
    if (near_)
        steps_.push_back([=](const Sets& sets) {
            for (size_t i = 0; i + 1 < sets.size(); i += 2) and3(all(), sets[i].p, sets[i + 1].p);
            if (sets.size() % 2 == 1) and_bits(all(), all(), sets.back().p);
        });
    add_steps([=](R r, V, V) { emit_power(r); });
    steps_.push_back([=](const Sets& sets) {
        const Vec round = scratch();
        broadcast_u32(round, ptr[gpr(0) + offsetof(Args, shape.round)]);
        for (const Set& r : sets) vaddps(r.p, r.p, round);  // -n
    });
    add_steps_with(ln2_hi_, [=](V e, V n, V hi) { vfnmadd231ps(e, n, hi); });
    add_steps_with(ln2_lo_, [=](V e, V n, V lo) { vfnmadd231ps(e, n, lo); });  // -r
    std::vector<const Held*> coefficients;
    for (int i = WeightExpF32::kDegree - 2; i >= 0; --i) coefficients.push_back(&c_[i]);
    coefficients.insert(coefficients.end(), 2, &one_);
    add_polynomial_steps(coefficients, true);
    add_steps([=](R r, V h, V l) {
        copy(h, sum());
        vfmadd231ps(sum(), r.p, r.z);
        vsubps(h, sum(), h);
        vfmsub132ps(l, h, r.z);
    });
    add_steps([=](R, V, V l) { vcvttps2dq(l, l); });
    add_steps([=](R, V, V l) { vpaddd(rest(), rest(), l); });
}

// The steps of the limit: whether e is within it, and e = min(e, -F).
void LogitSumKernel::list_limit_steps() {
    steps_.push_back([=](const Sets& sets) {
        for (const Set& r : sets) {
            compare_f32(within(r), r.e, limit_, kLessEqual);
            if (registers() < 32) store(r.z, within(r).vector);
        }
    });
    steps_.push_back([=](const Sets& sets) {
        for (const Set& r : sets) vminps(r.e, r.e, farthest_);
    });
}

// Stores 2^(n+61-L) or, beyond the limit, 0.
void LogitSumKernel::emit_power(const Set& r) {
    const Vec &power = scratch(), &z = r.p;
    if (near_) {
        vpslld(power, z, 23);
    } else {
        if (registers() < 32) load(within(r).vector, r.z);
        shift_left_masked_u32(power, within(r), z, 23);
    }
    store(r.z, power);
}

// Jumps if a logit of the block is too far below the greatest one. In passes, the logit may belong to the next block.
void LogitSumKernel::emit_check(Label& too_far) {
    const Mask near{k1, scratch()};
    load(vec(1), vector_u32(kNear));
    and_bits(vec(0), all(), vec(1));
    compare_not_below(near, vec(0), vec(1), 32);
    unset_to_reg(left(), near, 4);
    test(left(), left());
    jnz(too_far, T_NEAR);
}

void LogitSumKernel::emit_sum() {
    const Vec high_words = vec(0), low_words = vec(1);
    load(low_words, high());
    vpsrlq(high_words, low_words, 32);
    and_bits(low_words, low_words, vector_u64(0x00000000FFFFFFFF));
    vpaddq(high_words, high_words, low_words);
    vmovd(quarter(1), ptr[gpr(0) + offsetof(Args, shape.unit_log)]);
    vpsllq(high_words, high_words, quarter(1));
    vpaddq(high_words, high_words, low());
    store_sum_u64(ptr[sums()], 0, 1);
    add(sums(), 8);
}

}  // namespace tombola::impl::cpu::x64
