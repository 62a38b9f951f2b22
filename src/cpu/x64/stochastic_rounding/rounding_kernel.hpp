// SPDX-License-Identifier: Apache-2.0
#pragma once

// f32 to bf16 or f16, rounded up or down by draws of 16 bits. The specification in scalar form is
// cpu/stochastic_rounding/stochastic_round.hpp. With m = |x| as an integer:
//
//   bf16   min(m + d, max(m, 7F7FFFFF)) >> 16: below the greatest finite number that is (m + d) >> 16; from there on the
//          second operand decides, and infinity and NaN stay what they are. NaN becomes quiet by a bit.
//   f16    y = m + c, rounded towards zero, with c = 2^-14 for m < 2^-14, otherwise 0. So below 2^-14 the last place of y
//          is 2^-37, as specified, and from there on y is m
//          d mod 2^13 is added to y as an integer, except from 65504 on, and the sum is at most 2^-13 for m < 2^-14
//          less c, it is converted towards zero: 13 bits are dropped, and no finite number becomes infinite
//
// Lanes: draws in c0 and c2, 16 bits each, in order. A half of such a register, widened to 32 bits, serves one vector of f32.
//
// Registers:  those of the stream: t x, c1 draws, c3 m; then two of scratch; on AVX-512 constants, on AVX2 two more of scratch

#include <tuple>

#include "common/types.hpp"
#include "cpu/x64/rng/philox_transform.hpp"

namespace tombola::impl::cpu::x64 {

class RoundingKernel : public PhiloxTransformGenerator {
  public:
    using Key = std::tuple<CpuIsa, DataType>;  // with the type of the result
    struct Parameters {
        Pointers pointers;
    };
    static Result<PhiloxTransformKernel> kernel(const Key& key);
    explicit RoundingKernel(const Key& key);

  private:
    void load_values() override;
    void emit_group(const Stream& s, const Xbyak::RegExp& from, const Xbyak::RegExp& to,
                    const Xbyak::RegExp& mask, bool streaming) override;
    // The results into half the register of the draws. All registers are overwritten.
    void emit_bf16(const Vec& x, const Vec& draw, const Vec& m);
    void emit_f16(const Vec& x, const Vec& draw, const Vec& m);

    DataType type_;
    Held magnitude_bits_, sign_bits_, draw_bits_, max_, min_normal_, twice_min_normal_;
};

}  // namespace tombola::impl::cpu::x64
