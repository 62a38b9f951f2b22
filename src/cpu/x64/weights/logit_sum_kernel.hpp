// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums the weights of blocks of logits, for types of up to 32 bits. It has two forms. One is for logits that are not far below the greatest
// one, and stops at a block that has others. The other form sums all blocks.
//
// With L = ceil(log2 classes), the kernel computes W = w * 2^(61-L), so that the integer of a weight is
// q = max(1, floor(W)). A lane adds K weights to an f32 S, which begins as a power of two M with K * 2^(61-L) <= M. So S
// stays between M and 2M, where floats have the same distance U, and its bits as an integer count multiples of U:
//
//   S' = S + W, rounded
//   h  = S' - S           exact: a multiple of U
//   l  = W - h            exact: |l| <= U / 2
//
// S' is rounded to nearest, and S' + l = S + W exactly ("fast two-sum": Knuth, The Art of Computer Programming, volume 2,
// 4.2.2, theorem C). So neither the order of the weights nor the rounding of ties changes the result. The sum of the lane is
// (S - M) + the sum of all trunc(l), because trunc(l) = floor(W) - h:
//
//   W < 2^23      W may have a fraction. It is less than U / 2, because U >= 2^24. So h = 0 and l = W.
//   W >= 2^23     W is an integer, and so is l.
//
// K is chosen so that K * U / 2 <= 2^30: then the sum of all trunc(l) has 32 bits.
//
// W is at least 1 if n, the integer next to d / ln 2, is at least L - 60: w = p * 2^n with p > 0.7. The kernel computes
// with z = -(kRound + C + n), where C = 188 - L. So the low bits of z are n + C, and shifted by 23 they are the f32
// 2^(n+61-L). n >= L - 60 if and only if bit 7 is set and the sign and the exponent are those of -kRound. A logit far
// below the greatest makes z positive or less in magnitude. So the form for near logits looks at the logical and of all z.
//
// The form for all logits brings each d below F up to F, whose W is 2^0.25, so that floor(W) = 1. If d is below `flush`, it uses 0 in place of
// 2^(n+61-L), so that W = 0. This takes one instruction more for a vector, with AVX2 four.
//
// C changes no rounding of d * log2(e) to the integer n, because no d above kFlush has a product halfway between two integers: log2e has 24
// significant bits and is odd in the last one.
//
// Instead of d <= 0 the kernel has e = -d, so that a logit in memory is the second operand of the subtraction.

#include <cstdint>
#include <tuple>

#include "cpu/weights/weight_exp.hpp"
#include "cpu/x64/weights/logit_passes.hpp"

namespace tombola::impl::cpu::x64 {

class LogitSumKernel : public LogitPasses {
  public:
    static constexpr int kMinLog = 11, kMaxLog = 36;
    // What depends on the number of classes.
    struct Shape {
        float round;          // kRound + C
        float start;          // M
        float farthest;       // -F
        uint32_t unit_log;    // log2 U
        int32_t group_units;  // number of units in which a lane adds K weights
    };
    static Shape shape(int log_classes, CpuIsa isa);

    enum class Logits {
        near,  // not far below the greatest one
        all,
    };
    using Key = std::tuple<CpuIsa, FloatType, bool, Logits>;  // ISA, type, scaled, logits
    struct Args {
        // Of 1 to 32 units. The form for near logits stops at a block if it has a logit that is too far below, or if the first classes of the
        // next block have one.
        LogitArgs row;
        float limit;  // -flush, for all logits
        Shape shape;
        RowFindings found;  // out, unless scaled
    };
    explicit LogitSumKernel(const Key& key);

  private:
    void generate() override;
    void load_constants();
    static constexpr int kMasks = 4;  // registers for masks of the limit
    int turn_sets() const override;
    void list_steps();
    void list_limit_steps();
    void emit_power(const Set& set);
    void emit_blocks(bool in_passes, Label& too_far);
    void emit_group(const Reg& units, bool in_passes);
    void emit_check(Label& too_far);
    void emit_sum();

    Vec sum() const { return vec(6); }   // S
    Vec rest() const { return vec(9); }  // the sum of trunc(l), plus kRestBias, u32
    Vec all() const { return vec(11); }  // near logits: the logical and of all z of the call
    // All logits: whether e is within the limit.
    Mask within(const Set& r) const { return {Xbyak::Opmask(3 + r.vector % kMasks), vec(11)}; }

    // The free slots of the frame: three of Spread, and of a block
    Address high() const { return slot(3); }  // the sum of S - M in units of U, u32
    Address low() const { return slot(4); }   // the sum of trunc(l), u64

    bool near_;
    Spread limit_, farthest_;
    Held log2e_, ln2_hi_, ln2_lo_, one_, c_[WeightExpF32::kDegree - 1];
};

}  // namespace tombola::impl::cpu::x64
