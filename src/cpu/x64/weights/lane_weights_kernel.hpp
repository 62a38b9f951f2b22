// SPDX-License-Identifier: Apache-2.0
#pragma once

// The weights of several short rows at once: lane i has row i. SRC comes transposed, so that a vector has the same class of all rows. A
// row then needs no call of its own, no padding, and no maximum over the lanes of a vector.
//
// Rows come out in slots of 64 bits. With f32 lanes, the even rows come first and then the odd rows, because that is how
// WeightOps::emit_weights() splits a vector.

#include <cstdint>
#include <tuple>

#include "cpu/x64/weights/weight_ops.hpp"

namespace tombola::impl::cpu::x64 {

class LaneWeightsKernel : public WeightOps {
  public:
    using Key = std::tuple<CpuIsa, FloatType, bool>;  // ISA, type, logits
    struct Args {
        const void* src;    // the first class; the kernel reads a whole vector of every class
        int64_t step;       // bytes from class to class
        int64_t classes;    // at least 1
        uint64_t top;       // 1 + L; for logits, plus the exponent field of 1.0
        uint64_t* weights;  // out: [classes][slots]
        uint64_t* sums;     // out: [slots]
        // out: not 0 if a row is refused, or if its greatest weight has an exponent field below kMinField. Then nothing else is written.
        uint64_t exceptional;
    };
    explicit LaneWeightsKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), std::get<2>(key), "weights.lanes") {}

    static constexpr int kMaxRows = 16;
    static int rows(CpuIsa isa, FloatType type) {
        return shape_of(isa).bytes / (type == FloatType::f64 ? 8 : 4);
    }
    // The slot of a row.
    static int slot(int row, int rows, FloatType type) {
        return type == FloatType::f64 ? row : row / 2 + row % 2 * (rows / 2);
    }

  private:
    void generate() override;
    void emit_maxima(const Reg& src, const Reg& step, const Reg& left, const Mask& exceptional);
    void emit_scale(const Address& top, const Mask& exceptional);
    void emit_classes(const Reg& src, const Reg& step, const Reg& weights, const Reg& left);
};

}  // namespace tombola::impl::cpu::x64
