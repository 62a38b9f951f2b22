// SPDX-License-Identifier: Apache-2.0
#pragma once

// The natural logarithm of f64 lanes: ln() of cpu/maths/ln.hpp, operation by operation.

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class LnF64Ops : public Vocabulary {
  protected:
    using Vocabulary::Vocabulary;

    // Holds the constants, as many as registers allow. The kernel has called set_held_range().
    void load_ln_constants();

    // x = ln x for positive normal numbers. The scratch registers are overwritten.
    struct LnVecs {
        Vec x, k, s, z, z2, z4, r, t;
    };
    void emit_ln(const LnVecs& v);

    const Held& one() const { return one_; }  // 1.0

  private:
    void emit_reduction(const LnVecs& v);
    void emit_polynomial(const LnVecs& v);

    Held one_, two_, half_, bias_, magic_, magic_and_bias_, ln2_hi_, ln2_lo_, l_[7];
};

}  // namespace tombola::impl::cpu::x64
