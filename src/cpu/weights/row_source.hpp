// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a row of SRC class by class, in scalar C++: gets its values, checks it, and computes its weights as integers.
// The portable implementation uses nothing else. The generated kernels use it for rows that they cannot handle, and for
// the message about a row that is refused.

#include <cstdint>

#include "common/op_desc.hpp"
#include "common/status.hpp"
#include "cpu/float_type.hpp"
#include "cpu/weights/weight_exp.hpp"
#include "cpu/weights/weight_quantum.hpp"

namespace tombola::impl::cpu {

// A [rows, columns] tensor in any layout.
class MatrixLayout {
  public:
    explicit MatrixLayout(const MemoryDesc& desc) : desc_(desc) {}

    dim_t columns() const { return desc_.dims[1]; }
    // The offset in elements from the first element.
    dim_t offset(dim_t row, dim_t column) const {
        if (!desc_.is_blocked()) return row * desc_.strides[0] + column * desc_.strides[1];
        Dims index{};
        index[0] = row;
        index[1] = column;
        return desc_.offset_of(index);
    }
    // Whether the elements of a row are contiguous.
    bool has_dense_rows() const {
        return !desc_.is_blocked() && (desc_.strides[1] == 1 || desc_.dims[1] <= 1);
    }
    // Copies a row of the tensor at `data` to contiguous elements at `to`.
    void copy_row(const char* data, dim_t row, char* to) const;
    const MemoryDesc& desc() const { return desc_; }

  private:
    MemoryDesc desc_;
};

// What must be known about a whole row before the weight of one class can be computed.
struct RowScale {
    double greatest = 0;  // weight or logit
    int shift = 0;        // 61 - L - e
};

class RowSource {
  public:
    RowSource(const MatrixLayout& layout, const void* data, bool log_probs)
        : layout_(layout),
          data_(static_cast<const char*>(data)),
          type_(float_type_of(layout.desc().data_type)),
          log_probs_(log_probs) {}

    dim_t classes() const { return layout_.columns(); }

    // Reads a whole row. Refuses a row that is no distribution and, if `needed` > 1, a row with fewer than `needed`
    // classes of positive weight. The message names the row and the class.
    Status check(dim_t row, dim_t needed, RowScale& scale) const;

    // The scale of a row that has been checked, from its greatest weight or logit.
    RowScale scale_of(double greatest) const {
        return {greatest, quantum_shift(log_probs_ ? 1.0 : greatest, classes())};
    }

    // q of one class.
    uint64_t weight(dim_t row, dim_t k, const RowScale& scale) const {
        const double x = value(row, k);
        if (!log_probs_) return quantise(x, scale.shift);
        if (type_ == FloatType::f64)
            return quantise(weight_exp<WeightExpF64>(x - scale.greatest), scale.shift);
        const float d = static_cast<float>(x) - static_cast<float>(scale.greatest);
        return quantise(static_cast<double>(weight_exp<WeightExpF32>(d)), scale.shift);
    }

    // The element itself; every type is exact in f64.
    double value(dim_t row, dim_t k) const;

  private:
    const MatrixLayout& layout_;
    const char* data_;
    FloatType type_;
    bool log_probs_;
};

}  // namespace tombola::impl::cpu
