// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loops around a permute program, shared by the kernels that carry one out.

#include <string>

#include "cpu/x64/shuffle/permute_program.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class PermuteKernel : public Vocabulary {
  public:
    using Args = PermuteArgs;
    void operator()(Args& args) const { run(&args); }

  protected:
    PermuteKernel(CpuIsa isa, const std::string& name, size_t max_code_bytes, int64_t src_step,
                  int64_t dst_step, int sections)
        : Vocabulary(isa, name, max_code_bytes),
          src_step_(src_step),
          dst_step_(dst_step),
          sections_(sections) {}

    // What stays in registers through the section's loop, and one inner step at s() and d().
    virtual void emit_hoisted(int section) = 0;
    virtual void emit_step(int section) = 0;

    Reg s() const { return gpr(3); }
    Reg d() const { return gpr(4); }
    Reg scratch() const { return gpr(8); }

  private:
    void generate() override;
    void emit_section(int section);

    int64_t src_step_, dst_step_;
    int sections_;
};

}  // namespace tombola::impl::cpu::x64
