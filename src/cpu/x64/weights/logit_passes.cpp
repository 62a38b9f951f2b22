// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/logit_passes.hpp"

#include <algorithm>
#include <cstddef>

namespace tombola::impl::cpu::x64 {

LogitPasses::Set LogitPasses::set(int i) const {
    const int e = i < 3 ? 2 * i : 6 + 2 * i;
    return {vec(e), vec(e + 1), slot(kFirstZ + i), src(), i};
}

void LogitPasses::jump_unless_passes(Label& in_turns) {
    cmp(blocks(), 1);
    je(in_turns, T_NEAR);
    test(units(), pass_units() - 1);
    jnz(in_turns, T_NEAR);
}

void LogitPasses::emit_advance(int units) {
    const int step = units * kUnitClasses * element_bytes();
    add(src(), step);
    add(ahead(), step);
}

void LogitPasses::emit_turns(const Reg& units) {
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
void LogitPasses::emit_units(int units) {
    const int vectors = units * vectors_per_unit();
    std::vector<Set> sets;
    for (int i = 0; i < vectors; ++i) sets.push_back(set(i));
    int read = 0;
    for (size_t i = 0; i < steps_.size(); ++i) {
        steps_[i](sets);
        const bool in_polynomial = i >= polynomial_ && i < polynomial_end_;
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
void LogitPasses::emit_begin_passes() {
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
void LogitPasses::emit_passes(const Reg& units) {
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
std::vector<LogitPasses::Place> LogitPasses::places() {
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

LogitPasses::Vec LogitPasses::operand(const Held& value) {
    const Xbyak::Operand& from = value;
    if (!from.isMEM()) return static_cast<const Vec&>(from);
    vmovaps(scratch(), from);
    return scratch();
}

void LogitPasses::add_load_steps() {
    steps_.push_back([=](const Sets& sets) { emit_load(sets); });
    if (scaled_) add_steps([=](const Set&, const Vec& e, const Vec&) { vmulps(e, e, ratio_); });
}

void LogitPasses::add_polynomial_steps(const std::vector<const Held*>& coefficients, bool negated) {
    const Held highest = *coefficients[0];
    add_steps([=](const Set&, const Vec&, const Vec& p) { vmovaps(p, highest); });
    polynomial_ = steps_.size();
    for (size_t i = 1; i < coefficients.size(); ++i)
        add_steps_with(*coefficients[i], [=](const Vec& e, const Vec& p, const Vec& c) {
            negated ? vfnmadd213ps(p, e, c) : vfmadd213ps(p, e, c);
        });
    polynomial_end_ = steps_.size();
}

void LogitPasses::emit_load(const Sets& sets) {
    const Vec greatest = scratch();
    broadcast_u32(greatest, ptr[gpr(0) + offsetof(LogitArgs, greatest)]);
    for (const Set& r : sets) {
        if (type() == FloatType::f32) {
            vsubps(r.e, greatest, ptr[r.from + r.vector * vector_step()]);
        } else {
            load_unordered(r.e, r.from, r.vector);
            vsubps(r.e, greatest, r.e);
        }
    }
}

}  // namespace tombola::impl::cpu::x64
