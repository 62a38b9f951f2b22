// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums the blocks of a row of weights in fewer instructions than SplitSumKernel and WeightSumKernel, for types of up to 32
// bits. If a block has a weight that is tiny beside the greatest one, or an element with a sign, the kernel stops there, and
// another kernel sums that block.
//
// With e = floor(log2 of the greatest weight) and L = ceil(log2 classes), W = w * 2^(61-L-e) < 2^(62-L). A weight is tiny if
// W < 1. The integer of any other weight is q = floor(W).
//
// The bits of an f32, times 2^29, are those of an f64: of w * 2^-896, exactly. A lane adds K of them to an f64 S, which begins
// as M = 2^(52-896) * 2^(L+e-61), with K * 2^(62-L) <= 2^52. So S stays between M and 2M, where floats have the distance of
// one unit of W. Additions round towards zero: each adds floor(W) units, and the bits of S as an integer count them.
//
//   f32 lanes   | x1 | x0 | ...  become  even: x0 << 29,  odd: x1 << 29
//
// Two vectors alternate, with two sums each, because additions to a sum wait for one another. The bits of the sums, less those
// of M, are added to the total of the block: once where the sums have room for all weights of a block, or after each step.
//
// The maxima tell of elements that are not allowed. They and the minima are found among the elements as they are stored; where
// -0 is allowed, as f32. As unsigned integers, elements with a sign are the greatest.

#include <cstdint>
#include <tuple>

#include "cpu/x64/weights/row_kernels.hpp"

namespace tombola::impl::cpu::x64 {

class PositiveSumKernel : public WeightOps {
  public:
    static constexpr int kMinLog = 11;  // for the two weights that a sum gets from a step
    enum class Span { block, step };    // of the weights that a sum gets
    static Span span(int log_classes, CpuIsa isa);

    struct Scale {
        uint64_t start;         // the bits of M
        uint64_t minus_starts;  // of all sums of a lane
        uint32_t smallest;      // the smallest weight that is not tiny, as one element or two
    };
    enum class Zeros {
        tiny,   // A weight of 0 is tiny.
        plain,  // It is not. This takes one more instruction.
        any,    // Nor is -0. This takes two and a half more, with 16 bits four.
    };
    // field: the exponent field of the greatest weight.
    static Scale scale(FloatType type, int field, int log_classes, Zeros zeros);

    using Key = std::tuple<CpuIsa, FloatType, Zeros, Span>;
    struct Args {
        const void* src;
        const void* ahead;  // as in WeightSumKernel
        // At least 1. Out: how many are left; the first of them has a weight that is tiny or has a sign.
        int64_t blocks;
        int64_t units;   // of each block, 1 to 32
        uint64_t* sums;  // out: one per block
        Scale scale;
        // Out: the maxima of the summed blocks, of elements of the type (with Zeros::any, of f32) as unsigned integers. They
        // are above those of finite weights if there is an element that is not allowed.
        RowFindings found;
    };
    explicit PositiveSumKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), false,
                    std::string("weights.positive_sum") + suffix(std::get<2>(key))),
          zeros_(std::get<2>(key)),
          span_(std::get<3>(key)) {}

  private:
    void generate() override;
    void load_constants();
    void emit_block(const Reg& src, const Reg& ahead, const Reg& left);
    void begin_sums();
    void end_sums();
    void emit_pair(const Reg& src, int first, int vectors);
    void find_extremes(const Reg& src, int first, int vectors);
    void emit_check(const Reg& scratch, Label& stop);

    static const char* suffix(Zeros zeros) {
        return zeros == Zeros::tiny ? "" : zeros == Zeros::plain ? ".zeros" : ".any_zeros";
    }
    bool compares_halves() const { return element_bytes() == 2 && zeros_ != Zeros::any; }

    static constexpr int kSums = 4;
    Vec total() const { return vec(6); }   // of a block, u64
    Vec minima() const { return vec(8); }  // where zeros are allowed, less 1
    Vec sum(int i) const { return vec(9 + i); }

    Zeros zeros_;
    Span span_;
    Vec widen_, start_;
    Held ones_, zero_;
};

}  // namespace tombola::impl::cpu::x64
