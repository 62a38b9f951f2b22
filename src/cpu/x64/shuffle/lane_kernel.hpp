// SPDX-License-Identifier: Apache-2.0
#pragma once

// A permute program with vpshufb, in AVX2 or AVX-512: see lane_plan.hpp for what it does.

#include <array>
#include <vector>

#include "cpu/x64/shuffle/lane_plan.hpp"
#include "cpu/x64/shuffle/permute_kernel.hpp"

namespace tombola::impl::cpu::x64 {

class LaneKernel : public PermuteKernel {
  public:
    struct Key {
        CpuIsa isa;
        const LanePlan* plan;  // borrowed while the code is generated
    };
    explicit LaneKernel(const Key& key);

  private:
    using Control = std::array<uint8_t, LanePlan::kLaneBytes * LanePlan::kMaxLanes>;
    using Term = LanePlan::Term;
    using Output = LanePlan::Output;

    void emit_hoisted(int section) override;
    void emit_step(int section) override;
    void emit_output(const Output& output);
    void emit_load(const Vec& v, const Term& term, const Output& output);
    void emit_piece(const Xbyak::Xmm& v, const Term& term, int lane);
    void emit_shuffle(const Vec& v, const Term& term, const Output& output);
    void emit_store(const Output& output, const Vec& v);

    Vec part(int index, const Output& output) const;
    bool is_copy(const Output& output) const;

    const LanePlan* plan_;
    int turn_ = 0;
    std::vector<Control> hoisted_;
};

}  // namespace tombola::impl::cpu::x64
