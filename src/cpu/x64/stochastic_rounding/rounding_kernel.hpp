// SPDX-License-Identifier: Apache-2.0
#pragma once

// f32 to bf16 or f16, rounded up or down by draws of 16 bits. The specification in scalar form is
// cpu/stochastic_rounding/stochastic_round.hpp. With m = |x| as an integer:
//
//   bf16   min(m + d, max(m, 7F7FFFFF)) >> 16. The first operand of min is the rounded number. The second keeps a
//          finite number finite, and leaves infinity and NaN as they are. Then the quiet bit of a NaN is set.
//   f16    1. y = m + c, rounded towards zero, where c is 2^-14 for m < 2^-14, otherwise 0. So the last place of y is
//             2^-37 for m < 2^-14, as specified; otherwise y is m.
//          2. If y < 65504, d mod 2^13 is added to y as an integer. For m < 2^-14 the sum is limited to 2^-13.
//          3. y - c is converted towards zero: this drops 13 bits, and no finite number becomes infinite.
//
// Lanes: draws in c0 and c2, 16 bits each, in order. Half of such a register, widened to 32 bits, serves one vector of
// f32.
//
// Registers:  of the stream: c1 draws, c3 m
//             own: x and two scratch registers; then constants on AVX-512, or two more scratch registers on AVX2

#include <tuple>

#include "common/types.hpp"
#include "cpu/x64/rng/philox_transform.hpp"

namespace tombola::impl::cpu::x64 {

class RoundingKernel : public PhiloxTransformGenerator {
  public:
    using Key = std::tuple<CpuIsa, PhiloxLanes, DataType>;  // the type of the result
    struct Parameters {
        Pointers pointers;
    };
    static TransformShape shape(const Key& key);
    explicit RoundingKernel(const Key& key);

  private:
    void load_values() override;
    void emit_group(const Stream& s, const Xbyak::RegExp& from, const Xbyak::RegExp& to,
                    const Xbyak::RegExp& mask, bool streaming) override;
    // The results are in the low half of `draw`. x, draw and m are overwritten.
    void emit_bf16(const Vec& x, const Vec& draw, const Vec& m);
    void emit_f16(const Vec& x, const Vec& draw, const Vec& m);

    DataType type_;
    Held magnitude_bits_, sign_bits_, draw_bits_, max_, min_normal_, twice_min_normal_;
};

}  // namespace tombola::impl::cpu::x64
