// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a kernel works through a row of logits, for types of up to 32 bits: it takes the same steps for each vector of classes. Each step waits
// for the one before, so several vectors are under way at a time, each of which has its own registers (a "set").
//
//   passes   a loop over as many vectors as there are sets. The sets begin at different times, some of them in the pass before.
//   turns    all sets take each step together. For blocks that are no whole number of passes.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cpu/x64/weights/weight_ops.hpp"

namespace tombola::impl::cpu::x64 {

// The first member of such a kernel's arguments.
struct LogitArgs {
    BlockArgs blocks;
    uint32_t greatest;  // bits of an f32
    uint32_t ratio;     // the same, if scaled
};

class LogitPasses : public WeightOps {
  protected:
    LogitPasses(CpuIsa isa, FloatType type, bool scaled, const std::string& name)
        : WeightOps(isa, type, true, name, scaled), scaled_(scaled) {}

    struct Set {  // one vector of classes
        Vec e, p;
        Address z;   // a vector in the frame
        Reg from;    // where the classes of all sets begin
        int vector;  // index of the set's vector in these classes
    };
    using Sets = std::vector<Set>;
    Set set(int i) const;
    // Number of sets of a pass.
    int pass_sets() const { return registers() == 32 ? 8 : 4; }
    int pass_units() const { return pass_sets() / vectors_per_unit(); }
    // Number of sets that take each step of a turn together.
    virtual int turn_sets() const { return pass_sets(); }

    // Jumps unless the blocks are whole numbers of passes and there are several.
    void jump_unless_passes(Label& in_turns);
    // Comes before the first block, if it is summed in passes.
    void emit_begin_passes();
    // Takes the classes of `units` units, at least 1. In passes, this is a multiple of pass_units().
    void emit_classes(const Reg& units, bool in_passes) {
        in_passes ? emit_passes(units) : emit_turns(units);
    }

    // The steps, in order. add_steps() calls step(set, set.e, set.p) for each set, add_steps_with() calls step(e, p, constant).
    template <class Step>
    void add_steps(Step step) {
        steps_.push_back([=](const Sets& sets) {
            for (const Set& r : sets) step(r, r.e, r.p);
        });
    }
    template <class Step>
    void add_steps_with(const Held& constant, Step step) {
        steps_.push_back([=](const Sets& sets) {
            const Vec c = operand(constant);
            for (const Set& r : sets) step(r.e, r.p, c);
        });
    }
    // e = (greatest logit - logit) * ratio
    void add_load_steps();
    // p = a polynomial of e, with these coefficients, the highest first, one step each. negated: p = c - p * e at each step.
    void add_polynomial_steps(const std::vector<const Held*>& coefficients, bool negated);

    // A register that holds the value. If the value is in memory, it is loaded into scratch(): one load serves all sets.
    Vec operand(const Held& value);

    Reg src() const { return gpr(1); }
    Reg ahead() const { return gpr(2); }
    Reg blocks() const { return gpr(3); }
    Reg units() const { return gpr(4); }
    Reg sums() const { return gpr(5); }
    Reg left() const { return gpr(6); }  // units of the block; also scratch
    Reg next() const { return gpr(8); }  // the classes of the next pass

    // vec 0-5 and from 12 on are those of sets; 6, 9 and 11 are the derived kernel's; 7 and 8 are those of findings.
    Vec scratch() const { return vec(10); }  // also for a constant that has no register
    int registers_of_sets() const { return set(pass_sets() - 1).p.getIdx() + 1; }

    // The frame: kFreeSlots, of which slot 0 has the ratio and the others are the derived kernel's; the address of the classes of the last pass;
    // and the z of each set.
    static constexpr int kFreeSlots = 5;
    Address slot(int i) const { return ptr[rsp + i * bytes()]; }
    int frame_bytes() const { return (kFirstZ + pass_sets()) * bytes(); }

    bool scaled() const { return scaled_; }
    void hold_ratio() {
        if (scaled_) ratio_ = spread_u32(gpr(0), offsetof(LogitArgs, ratio), 0, vec(0));
    }

    std::vector<std::function<void(const Sets&)>> steps_;

  private:
    // A step of a set at one time of a pass. It may belong to the next pass.
    struct Place {
        int time;
        bool of_next;
        std::function<void()> emit;
    };
    void emit_turns(const Reg& units);
    void emit_units(int units);
    void emit_passes(const Reg& units);
    std::vector<Place> places();
    void emit_advance(int units);
    void emit_load(const Sets& sets);

    static constexpr int kFirstZ = kFreeSlots + 1;
    Address last_pass() const { return slot(kFreeSlots); }

    bool scaled_;
    Spread ratio_;
    size_t polynomial_ = 0, polynomial_end_ = 0;  // indices of steps
};

}  // namespace tombola::impl::cpu::x64
