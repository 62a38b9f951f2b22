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

#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "cpu/weights/weight_exp.hpp"
#include "cpu/x64/weights/row_kernels.hpp"

namespace tombola::impl::cpu::x64 {

class LogitSumKernel : public WeightOps {
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
        BlockArgs blocks;
        uint32_t greatest;  // bits of an f32
        uint32_t ratio;     // the same, if scaled
        float limit;        // -flush, for all logits
        Shape shape;
        RowFindings found;  // out, unless scaled
    };
    explicit LogitSumKernel(const Key& key);

  private:
    struct Set {  // one vector of classes
        Vec e, p;
        Xbyak::Opmask within;  // the limit; on AVX2 this mask is in the place of z
        Address z;             // 2^(n+61-L)
        Reg from;              // where the classes of all sets begin
        int vector;            // index of the set's vector in these classes
    };
    using Sets = std::vector<Set>;
    // A step of a set at one time of a pass. It may belong to the next pass.
    struct Place {
        int time;
        bool of_next;
        std::function<void()> emit;
    };
    void generate() override;
    void load_constants();
    Set set(int i) const;
    static constexpr int kMasks = 4;  // registers for masks of the limit
    int turn_sets() const;            // number of sets that take each step together
    // Number of sets of a pass. They begin at different times.
    int pass_sets() const { return registers() == 32 ? 8 : 4; }
    int pass_units() const { return pass_sets() / vectors_per_unit(); }
    Vec operand(const Held& value);
    void list_steps();
    void list_limit_steps();
    void emit_power(const Set& set);
    void emit_blocks(bool in_passes, Label& too_far);
    void emit_group(const Reg& units, bool in_passes);
    void emit_turns(const Reg& units);
    void emit_units(int units);
    void emit_begin_passes();
    void emit_passes(const Reg& units);
    std::vector<Place> places();
    void emit_advance(int units);
    void emit_load(const Sets& sets);
    void emit_check(Label& too_far);
    void emit_sum();

    Reg src() const { return gpr(1); }
    Reg ahead() const { return gpr(2); }
    Reg blocks() const { return gpr(3); }
    Reg units() const { return gpr(4); }
    Reg sums() const { return gpr(5); }
    Reg left() const { return gpr(6); }  // units of the block; also scratch
    Reg next() const { return gpr(8); }  // the classes of the next pass

    Vec sum() const { return vec(6); }       // S
    Vec rest() const { return vec(9); }      // the sum of trunc(l), plus kRestBias, u32
    Vec scratch() const { return vec(10); }  // also for a constant that has no register
    Vec all() const { return vec(11); }      // near logits: the logical and of all z of the call
    // All logits: whether e is within the limit.
    Mask within(const Set& r) const { return {r.within, vec(11)}; }

    // The stack: three slots of Spread, these, and the z of each set.
    static constexpr int kFirstZ = 6;
    Address slot(int i) const { return ptr[rsp + i * bytes()]; }
    Address high() const { return slot(3); }  // of a block: the sum of S - M in units of U, u32
    Address low() const { return slot(4); }   // of a block: the sum of trunc(l), u64

    Address last_pass() const { return slot(5); }  // address of the classes of the last pass

    bool scaled_, near_;
    std::vector<std::function<void(const Sets&)>> steps_;
    size_t polynomial_ = 0;  // index of the first step of the polynomial
    Spread ratio_, limit_, farthest_;
    Held log2e_, ln2_hi_, ln2_lo_, one_, c_[WeightExpF32::kDegree - 1];
};

}  // namespace tombola::impl::cpu::x64
