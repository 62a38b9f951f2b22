// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sums the blocks of a row of weights in fewer instructions than WeightSumKernel, for types of up to 32 bits. It has three forms. The form
// for large weights stops at a block that has a tiny weight (defined below), a weight of 0 or an element with a sign. The form for weights
// that are large or 0 stops at the other two. The form for all elements sums all blocks.
//
// With e = floor(log2 of the greatest weight) and L = ceil(log2 classes), W = w * 2^(61-L-e) < 2^(62-L). A weight is tiny if
// 0 < W < 1. The integer of any other weight is q = floor(W). The form for all elements first brings tiny weights up to W = 1.
//
// The bits of an f32, times 2^29, are the bits of an f64 whose value is exactly w * 2^-896. A lane adds K of these f64 to an f64 S, which
// begins as M = 2^(52-896) * 2^(L+e-61), with K * 2^(62-L) <= 2^52. So S stays between M and 2M, where the distance of neighbouring floats
// is one unit of W. Additions round towards zero, so each adds floor(W) units. The bits of S as an integer count these units.
//
//   f32 lanes   | x1 | x0 | ...  become  even: x0 << 29,  odd: x1 << 29
//
// Two vectors alternate, with two sums each, because additions to one sum wait for one another. The bits of the sums, minus the bits of M,
// are added to the total of the block. This happens once per block if a sum has room for all weights of a block, otherwise after each step.
//
// The maxima show whether there are elements that are not allowed: as unsigned integers, elements with a sign are the greatest. Maxima and
// minima are found among the elements as they are stored. So they also show -0, although it is allowed.

#include <cstdint>
#include <tuple>

#include "cpu/x64/weights/row_kernels.hpp"

namespace tombola::impl::cpu::x64 {

class PositiveSumKernel : public WeightOps {
  public:
    static constexpr int kMinLog = 11;  // for the two weights that a sum gets from a step
    // The range of weights that a sum gets before it is added to the total.
    enum class Span { block, step };
    static Span span(int log_classes, CpuIsa isa);

    struct Scale {
        uint64_t start;         // the bits of M
        uint64_t minus_starts;  // of all sums of a lane
        // The smallest weight that is not tiny: an f32 or, if the form is not that for all elements, one element or two.
        uint32_t smallest;
    };
    enum class Elements {
        large,          // no tiny weight, no 0, no sign
        large_or_zero,  // takes one instruction more
        all,            // takes one and a half instructions more, with AVX2 two and a half
    };
    // field: the exponent field of the greatest weight.
    static Scale scale(FloatType type, int field, int log_classes, Elements elements);

    using Key = std::tuple<CpuIsa, FloatType, Elements, Span>;
    struct Args {
        BlockArgs blocks;  // of 1 to 32 units
        Scale scale;
        // Out: the maxima of the summed blocks, as unsigned integers of the elements' width. If there is -0 or an element that is not allowed,
        // a maximum is above those of finite weights.
        RowFindings found;
    };
    explicit PositiveSumKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), false,
                    std::string("weights.positive_sum") + suffix(std::get<2>(key))),
          elements_(std::get<2>(key)),
          span_(std::get<3>(key)) {}

  private:
    void generate() override;
    void load_constants();
    void emit_block(const Reg& src, const Reg& ahead, const Reg& left);
    void begin_sums();
    void end_sums();
    void emit_pair(const Reg& src, int first, int vectors);
    void emit_clamp(const Vec& x, const Vec& scratch);
    void find_maxima(const Reg& src, int first, int vectors);
    void find_minima(int vectors);
    void emit_check(const Reg& scratch, Label& stop);

    static const char* suffix(Elements elements) {
        return elements == Elements::large           ? ".large"
               : elements == Elements::large_or_zero ? ".large_or_zero"
                                                     : "";
    }
    bool sums_all() const { return elements_ == Elements::all; }
    bool allows_zero() const { return elements_ == Elements::large_or_zero; }
    bool compares_halves() const { return element_bytes() == 2; }

    static constexpr int kSums = 4;
    Vec total() const { return vec(6); }  // of a block, u64
    // The smallest elements so far; minus 1 if zeros are allowed. The form for all elements has Scale::smallest there.
    Vec minima() const { return vec(8); }
    Vec smallest() const { return vec(8); }
    Vec sum(int i) const { return vec(9 + i); }

    Elements elements_;
    Span span_;
    Vec widen_, start_;
    Held zero_, ones_;
};

}  // namespace tombola::impl::cpu::x64
