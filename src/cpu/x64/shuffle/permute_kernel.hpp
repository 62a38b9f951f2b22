// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops around a permute program, shared by the kernels that carry one out.

#include <string>
#include <utility>
#include <vector>

#include "cpu/x64/shuffle/permute_program.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class PermuteKernel : public Vocabulary {
  public:
    using Args = PermuteArgs;
    void operator()(Args& args) const { run(&args); }

  protected:
    PermuteKernel(CpuIsa isa, const std::string& name, size_t max_code_bytes,
                  const ProgramLoop& loop, std::vector<SectionLoop> sections)
        : Vocabulary(isa, name, max_code_bytes), loop_(loop), sections_(std::move(sections)) {}

    template <class Plan>
    static std::vector<SectionLoop> section_loops(const Plan& plan) {
        std::vector<SectionLoop> loops;
        for (const auto& section : plan.sections) loops.push_back(section.loop);
        return loops;
    }

    // What stays in registers through the section's loop, and one inner step at s() and d().
    virtual void emit_hoisted(int section) = 0;
    virtual void emit_step(int section) = 0;

    Reg s() const { return gpr(3); }
    Reg d() const { return gpr(4); }
    Reg scratch() const { return gpr(8); }

  private:
    void generate() override;
    void emit_section(int section);
    void emit_steps(int section);
    void emit_first_advance(int section);
    void emit_advance();

    // Powers of two.
    int64_t aligned_to() const { return loop_.dst_step < 64 ? loop_.dst_step : 64; }
    bool steps_align() const { return loop_.granule > 0 && loop_.granule < aligned_to(); }
    Reg advance() const { return gpr(11); }

    ProgramLoop loop_;
    std::vector<SectionLoop> sections_;
};

}  // namespace tombola::impl::cpu::x64
