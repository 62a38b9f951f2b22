// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transcendental functions of doc/maths.md as generated code: operation by
// operation those of cpu/maths/, so the bits are the same. A kernel that needs
// one derives from Maths. Constants are held by hold(), so a kernel calls
// set_held_range() and then the hold_...() of each function that it uses.
//
// Scratch registers are those from vec(scratch) on, as many as the comment
// says. They are overwritten, and x, angle, sine and cosine are none of them.

#include <functional>
#include <initializer_list>
#include <vector>

#include "cpu/maths/ln_f32.hpp"
#include "cpu/maths/sin_cos.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class Maths : public Vocabulary {
  protected:
    using Vocabulary::Vocabulary;

    // The instructions of a computation, one in each step. Computations on
    // different registers are emitted alternately, so that independent
    // instructions stand near each other. If one long chain of dependent
    // instructions followed another, the processor's queue would fill up.
    using Steps = std::vector<std::function<void()>>;
    static void emit_interleaved(const std::vector<Steps>& programs);
    static Steps one_after_another(std::initializer_list<Steps> parts);

    // x = ln x, lanes of f32: positive normal numbers. 4 scratch registers.
    void hold_ln_f32();
    Steps ln_f32_steps(const Vec& x, int scratch);
    // x = ln x, lanes of f64: positive normal numbers. 7 scratch registers.
    void hold_ln_f64();
    Steps ln_f64_steps(const Vec& x, int scratch);

    // The sine and the cosine of `angle`, in lanes from 0 to 2 pi, both without a sign that they have in common. Afterwards that common
    // sign is the highest bit of the lanes of vec(scratch); the other bits there are junk. `angle` and k1 are overwritten. 2 scratch
    // registers.
    //
    // The caller provides the angle in quarters of the circle, rounded to the
    // nearest integer: as f32 in vec(scratch + 1), where quarter.unit is one
    // quarter, and as an integer from bit quarter.bit of vec(scratch) on, with
    // zeros below that bit. octant_f32_steps() computes both for every angle.
    struct Quarter {
        int bit;
        float unit;
    };
    static constexpr Quarter kOctants{1, 2.0f};  // of octant_f32_steps()
    void hold_octants_f32();
    Steps octant_f32_steps(const Vec& angle, int scratch);
    void hold_sin_cos_f32(const Quarter& quarter);
    Steps sin_cos_f32_steps(const Vec& sine, const Vec& cosine, const Vec& angle, int scratch);
    // The same in f64. These steps find the quarters themselves. 6 scratch registers.
    void hold_sin_cos_f64();
    Steps sin_cos_f64_steps(const Vec& sine, const Vec& cosine, const Vec& angle, int scratch);

  private:
    struct LnF32Constants {
        Held min_m, exponent_mask, one, half, ln2_hi, ln2_lo, c[LnF32::kTerms];
    } ln_f32_;
    struct LnF64Constants {
        Held bias, one_exponent, round, one, two, half, ln2_hi, ln2_lo, l[7];
    } ln_f64_;
    struct OctantF32Constants {
        Held four_per_pi, int_one, even;
    } octant_f32_;
    struct SinCosF32Constants {
        int bit;
        Held one, half, pi4[3], cos[3], sin[3];
    } sin_cos_f32_;
    struct SinCosF64Constants {
        Held two_per_pi, round, one, half, pi2_hi, pi2_lo, cos[SinCosF64::kTerms],
            sin[SinCosF64::kTerms];
    } sin_cos_f64_;
};

}  // namespace tombola::impl::cpu::x64
