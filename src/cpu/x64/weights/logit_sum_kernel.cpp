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
    : WeightOps(std::get<0>(key), std::get<1>(key), true,
                std::get<3>(key) == Logits::near ? "weights.logit_sum.near" : "weights.logit_sum",
                std::get<2>(key)),
      scaled_(std::get<2>(key)),
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
    begin(9, (kFirstZ + pass_sets()) * bytes());
    const Reg args = gpr(0);
    load_constants();
    list_steps();
    load_blocks({src(), ahead(), blocks(), units(), sums()}, args + offsetof(Args, blocks));
    if (near_) load(all(), vector_u32(0xFFFFFFFF));
    emit_begin_findings();

    Label in_turns, done;
    cmp(blocks(), 1);
    je(in_turns, T_NEAR);
    test(units(), pass_units() - 1);
    jnz(in_turns, T_NEAR);
    test(dword[args + offsetof(Args, shape.group_units)], pass_units() - 1);
    jnz(in_turns, T_NEAR);
    emit_begin_passes();
    emit_blocks(true, done);
    jmp(done, T_NEAR);
    L(in_turns);
    emit_blocks(false, done);
    L(done);
    mov(ptr[args + offsetof(Args, blocks.count)], blocks());
    emit_end_findings(args + offsetof(Args, found), left());
    end();
}

LogitSumKernel::Set LogitSumKernel::set(int i) const {
    const int e = i < 3 ? 2 * i : 6 + 2 * i;
    return {vec(e), vec(e + 1), Xbyak::Opmask(3 + i % kMasks), slot(kFirstZ + i), src(), i};
}

// The number of sets that take each step together. With a limit, each of them needs a mask register of its own on AVX-512.
int LogitSumKernel::turn_sets() const { return near_ || registers() < 32 ? pass_sets() : kMasks; }

void LogitSumKernel::load_constants() {
    const Reg args = gpr(0);
    set_held_range(set(pass_sets() - 1).p.getIdx() + 1);
    if (scaled_) ratio_ = spread_u32(args, offsetof(Args, ratio), 0, vec(0));
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
    in_passes ? emit_passes(units) : emit_turns(units);
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

void LogitSumKernel::emit_advance(int units) {
    const int step = units * kUnitClasses * element_bytes();
    add(src(), step);
    add(ahead(), step);
}

void LogitSumKernel::emit_turns(const Reg& units) {
    int last = 0;
    for (const int sets : {turn_sets(), 2, 1}) {
        const int together = sets / vectors_per_unit();
        if (together == 0 || together == last) continue;
        last = together;
        Label again, done;
        L(again);
        cmp(units, together);
        jl(done, T_NEAR);
        emit_units(together);
        sub(units, together);
        jmp(again, T_NEAR);
        L(done);
    }
}

// All sets take each step together. A step of the polynomial takes two of Zen 5's four vector pipes. Meanwhile the other two read the row
// ahead, two vectors after each step, if there are registers for them.
void LogitSumKernel::emit_units(int units) {
    const int vectors = units * vectors_per_unit();
    std::vector<Set> sets;
    for (int i = 0; i < vectors; ++i) sets.push_back(set(i));
    int read = 0;
    for (size_t i = 0; i < steps_.size(); ++i) {
        steps_[i](sets);
        const bool in_polynomial = i >= polynomial_ && i < polynomial_ + WeightExpF32::kDegree;
        if (!in_polynomial || registers() < 32 || read == vectors) continue;
        const int end = std::min(vectors, read + 2);
        emit_ahead(ahead(), read, end, {vec(8), scratch(), vec(8), vec(8), vec(8), k1});
        read = end;
    }
    if (read < vectors)
        emit_ahead(ahead(), read, vectors, {vec(0), vec(1), vec(2), vec(3), vec(4), k1});
    emit_advance(units);
}

// Runs the first steps of the first pass. The first steps of each later pass are run by the pass before it.
void LogitSumKernel::emit_begin_passes() {
    mov(next(), src());
    imul(left(), units(), kUnitClasses * element_bytes());
    imul(left(), blocks());
    lea(left(), ptr[src() + left() - pass_units() * kUnitClasses * element_bytes()]);
    mov(last_pass(), left());
    for (const Place& place : places())
        if (place.of_next) place.emit();
}

// Each pass also runs the first steps of the next pass. After the last pass there is no next one, so it runs these steps on its own
// classes, and nothing uses the results.
void LogitSumKernel::emit_passes(const Reg& units) {
    Label again;
    align(32);
    L(again);
    lea(next(), ptr[src() + pass_units() * kUnitClasses * element_bytes()]);
    cmp(src(), last_pass());
    cmove(next(), src());
    for (const Place& place : places()) place.emit();
    emit_advance(pass_units());
    sub(units, pass_units());
    jnz(again, T_NEAR);
}

// Sets begin at even distances in time, so that operations of all kinds lie side by side. Set 0 begins and ends with the pass. The other
// sets take their first steps in the pass before. Where constants are in memory, two sets take each step together, because one load serves
// both.
std::vector<LogitSumKernel::Place> LogitSumKernel::places() {
    std::vector<Place> result;
    const int together = registers() == 32 ? 1 : 2;
    const auto count = static_cast<int>(steps_.size());
    // The reads of the row ahead. AVX2 has registers for them only before set 0 begins.
    for (int i = 0; i < pass_sets(); i += 2) {
        const bool spread = registers() == 32;
        const Lanes lanes{
            vec(spread ? 8 : 0), spread ? scratch() : vec(1), scratch(), vec(8), vec(8), k1};
        result.push_back({spread ? i * count / pass_sets() : -1, false,
                          [=] { emit_ahead(ahead(), i, i + 2, lanes); }});
    }
    for (int i = 0; i < pass_sets(); i += together) {
        const int lead = i * count / pass_sets();
        for (int k = 0; k < count; ++k) {
            const bool of_next = k < lead;
            std::vector<Set> sets;
            for (int j = 0; j < together; ++j) {
                sets.push_back(set(i + j));
                if (of_next) sets.back().from = next();
            }
            result.push_back({of_next ? k - lead + count : k - lead, of_next,
                              [=] { steps_[static_cast<size_t>(k)](sets); }});
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Place& a, const Place& b) { return a.time < b.time; });
    return result;
}

// A register that holds the value. If the value is in memory, it is loaded into scratch(): one load serves all sets.
LogitSumKernel::Vec LogitSumKernel::operand(const Held& value) {
    const Xbyak::Operand& from = value;
    if (!from.isMEM()) return static_cast<const Vec&>(from);
    vmovaps(scratch(), from);
    return scratch();
}

// Lists the steps of a set of lanes. Several sets take turns, because each step waits for the one before, and Zen 5's scheduler holds few
// steps. p and z become two f32 whose product is W: these are the steps of weight_exp(), with the opposite sign of d, n and r. Then W is
// added to the sum. To leave registers for more sets, z and n use the register of p, and z waits in memory.
void LogitSumKernel::list_steps() {
    using R = const Set&;
    using V = const Vec&;
    const auto each = [&](auto step) {
        steps_.push_back([=](const Sets& sets) {
            for (const Set& r : sets) step(r, r.e, r.p);
        });
    };
    const auto each_with = [&](const Held& constant, auto step) {
        steps_.push_back([=](const Sets& sets) {
            const Vec c = operand(constant);
            for (const Set& r : sets) step(r.e, r.p, c);
        });
    };
    steps_.push_back([=](const Sets& sets) { emit_load(sets); });
    if (scaled_) each([=](R, V e, V) { vmulps(e, e, ratio_); });
    if (!near_) list_limit_steps();
    each_with(log2e_, [=](V e, V z, V log2e) {
        broadcast_u32(z, ptr[gpr(0) + offsetof(Args, shape.round)]);
        vfmsub231ps(z, e, log2e);  // z = -(d * log2(e) + kRound + C)
    });
    if (near_)
        steps_.push_back([=](const Sets& sets) {
            for (size_t i = 0; i + 1 < sets.size(); i += 2) and3(all(), sets[i].p, sets[i + 1].p);
            if (sets.size() % 2 == 1) and_bits(all(), all(), sets.back().p);
        });
    each([=](R r, V, V) { emit_power(r); });
    steps_.push_back([=](const Sets& sets) {
        const Vec round = scratch();
        broadcast_u32(round, ptr[gpr(0) + offsetof(Args, shape.round)]);
        for (const Set& r : sets) vaddps(r.p, r.p, round);  // -n
    });
    each_with(ln2_hi_, [=](V e, V n, V hi) { vfnmadd231ps(e, n, hi); });
    each_with(ln2_lo_, [=](V e, V n, V lo) { vfnmadd231ps(e, n, lo); });  // -r
    each([=](R, V, V p) { vmovaps(p, c_[WeightExpF32::kDegree - 2]); });
    polynomial_ = steps_.size();
    for (int i = WeightExpF32::kDegree - 3; i >= -2; --i)
        each_with(i >= 0 ? c_[i] : one_, [=](V e, V p, V c) { vfnmadd213ps(p, e, c); });
    each([=](R r, V h, V l) {
        copy(h, sum());
        vfmadd231ps(sum(), r.p, r.z);
        vsubps(h, sum(), h);
        vfmsub132ps(l, h, r.z);
    });
    each([=](R, V, V l) { vcvttps2dq(l, l); });
    each([=](R, V, V l) { vpaddd(rest(), rest(), l); });
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

void LogitSumKernel::emit_load(const Sets& sets) {
    const Vec greatest = scratch();
    broadcast_u32(greatest, ptr[gpr(0) + offsetof(Args, greatest)]);
    for (const Set& r : sets) {
        if (type() == FloatType::f32) {
            vsubps(r.e, greatest, ptr[r.from + r.vector * vector_step()]);
        } else {
            load_unordered(r.e, r.from, r.vector);
            vsubps(r.e, greatest, r.e);
        }
    }
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
