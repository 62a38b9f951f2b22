// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums the blocks of a row of weights in fewer instructions than SplitSumKernel and WeightSumKernel, for types of up to 32
// bits. If a block has a weight that is tiny beside the greatest one, the kernel stops there, and another kernel sums that
// block.
//
// With e = floor(log2 of the greatest weight) and L = ceil(log2 classes), W = w * 2^(61-L-e) < 2^(62-L). A weight is tiny if
// W < 1. The integer of any other weight is q = floor(W). A lane adds K weights to an f32 S, which begins as a power of two
// M with K * 2^(62-L) <= M. So S stays between M and 2M, where floats have the same distance U, and its bits as an integer
// count multiples of U:
//
//   S' = S + W, rounded
//   h  = S' - S           exact: a multiple of U
//   l  = W - h            exact: |l| <= U / 2
//
// near_sum_kernel.hpp says why the sum of the weights is that of S - M and all trunc(l). It requires U >= 2^24.
//
// Two vectors alternate, with an S each, because each step waits for the one before. They share one sum of trunc(l), whose
// lanes of 32 bits get 2K of them, plus kRestBias. K is chosen so that K * U <= 2^30 = kRestBias.
//
// The sums of a group, of 2K vectors, are added to those of the block: those of S as u32; those of trunc(l) as u64 lanes of
// two u32, and once more the upper halves alone. So
//
//   lower halves = both - upper halves * 2^32      modulo 2^64
//
// The sums of a block begin with what takes M and kRestBias of all of its groups away.

#include <cstdint>
#include <tuple>

#include "cpu/x64/weights/row_kernels.hpp"

namespace tombola::impl::cpu::x64 {

class PositiveSumKernel : public WeightOps {
  public:
    static constexpr int kMinLog = 9, kMaxLog = 36;
    // What depends on the number of classes.
    struct Shape {
        float start;          // M
        uint32_t unit_log;    // log2 U
        int32_t group_units;  // the units of a group
    };
    static Shape shape(int log_classes, CpuIsa isa);
    // What depends on the exponent field of the greatest weight too.
    struct Scale {
        float scale;        // 2^(61-L-e)
        uint32_t smallest;  // the bits of the smallest weight that is not tiny
    };
    static Scale scale(int field, int log_classes);

    enum class Zeros {
        tiny,     // A weight of 0 is tiny.
        allowed,  // It is not. This takes one more instruction.
    };
    using Key = std::tuple<CpuIsa, FloatType, Zeros>;
    struct Args {
        const void* src;
        const void* ahead;  // as in WeightSumKernel
        // At least 1. Out: how many are left; the first of them has a weight that is tiny.
        int64_t blocks;
        int64_t units;   // of each block, 1 to 32
        uint64_t* sums;  // out: one per block
        Shape shape;
        Scale scale;
        uint32_t start_units;              // what the sums of a block begin with: of S
        uint64_t start_both, start_upper;  // of trunc(l)
        RowFindings found;                 // out: the maxima, as those of SplitSumKernel
    };
    // Sets what follows from the shape and the units.
    static void set_starts(Args& args);

    explicit PositiveSumKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), false,
                    std::get<2>(key) == Zeros::tiny ? "weights.positive_sum"
                                                    : "weights.positive_sum.zeros"),
          zeros_(std::get<2>(key)) {}

  private:
    struct Set {  // of one vector of classes
        Vec x, h, sum;
    };
    void generate() override;
    void load_constants();
    void emit_group(const Reg& src, const Reg& ahead, const Reg& units);
    void emit_vectors(const Reg& src, const Reg& ahead, int vectors);
    void emit_pair(const Reg& src, int first, int vectors);
    void emit_check(const Reg& scratch, Label& too_small);
    void emit_sum(const Reg& args, const Reg& sums);

    Set set(int i) const { return {vec(3 * i), vec(3 * i + 1), vec(3 * i + 2)}; }
    Vec rest() const { return vec(6); }    // the sum of trunc(l), plus kRestBias, u32
    Vec minima() const { return vec(8); }  // with Zeros::allowed less 1, modulo 2^32
    Vec high() const { return vec(9); }    // of a block: the sum of S - M in units of U, u32
    Vec both() const { return vec(10); }   // of a block: the sum of trunc(l) of two lanes, u64
    Vec upper() const { return vec(11); }  // of a block: that of the upper of two lanes, u64

    Zeros zeros_;
    Vec scale_, start_;
    Held ones_;
};

}  // namespace tombola::impl::cpu::x64
