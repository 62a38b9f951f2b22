// SPDX-License-Identifier: Apache-2.0
#include "cpu/weights/row_source.hpp"

#include <cstring>
#include <limits>

#include "cpu/float16.hpp"

namespace tombola::impl::cpu {
namespace {

template <class T>
T element(const char* data, dim_t offset) {
    T value;
    std::memcpy(&value, data + offset * static_cast<dim_t>(sizeof(T)), sizeof value);
    return value;
}

template <class T>
void copy_row_of(const MatrixLayout& layout, const char* data, dim_t row, char* to) {
    const dim_t columns = layout.columns();
    const auto copy = [&](dim_t offset, dim_t column) {
        const T value = element<T>(data, offset);
        std::memcpy(to + column * static_cast<dim_t>(sizeof(T)), &value, sizeof value);
    };
    if (layout.desc().is_blocked()) {
        for (dim_t k = 0; k < columns; ++k) copy(layout.offset(row, k), k);
        return;
    }
    const dim_t first = layout.offset(row, 0), stride = layout.desc().strides[1];
    for (dim_t k = 0; k < columns; ++k) copy(first + k * stride, k);
}

}  // namespace

void MatrixLayout::copy_row(const char* data, dim_t row, char* to) const {
    switch (size_of(desc_.data_type)) {
        case 2:
            return copy_row_of<uint16_t>(*this, data, row, to);
        case 4:
            return copy_row_of<uint32_t>(*this, data, row, to);
        default:
            return copy_row_of<uint64_t>(*this, data, row, to);
    }
}

double RowSource::value(dim_t row, dim_t k) const {
    const dim_t offset = layout_.offset(row, k);
    switch (type_) {
        case FloatType::f16:
            return static_cast<double>(to_f32(element<Float16>(data_, offset)));
        case FloatType::bf16:
            return static_cast<double>(to_f32(element<BFloat16>(data_, offset)));
        case FloatType::f32:
            return static_cast<double>(element<float>(data_, offset));
        case FloatType::f64:
            return element<double>(data_, offset);
    }
    return 0;
}

Status RowSource::check(dim_t row, dim_t needed, RowScale& scale) const {
    const double kInf = std::numeric_limits<double>::infinity();
    double greatest = log_probs_ ? -kInf : 0;
    for (dim_t k = 0; k < classes(); ++k) {
        const double x = value(row, k);
        if (log_probs_ && !(x < kInf))
            return invalid("SRC: row %lld, class %lld: the logit is %g; expected a number or -inf",
                           row, k, x);
        if (!log_probs_ && !(x >= 0 && x < kInf))
            return invalid(
                "SRC: row %lld, class %lld: the weight is %g; expected 0 <= weight < inf", row, k,
                x);
        if (x > greatest) greatest = x;
    }
    if (log_probs_ && greatest == -kInf)
        return invalid(
            "SRC: row %lld: all %lld logits are -inf; expected a class that can be drawn", row,
            classes());
    if (!log_probs_ && greatest == 0)
        return invalid("SRC: row %lld: all %lld weights are 0; expected a class that can be drawn",
                       row, classes());
    scale = scale_of(greatest);
    if (needed <= 1) return {};
    dim_t positive = 0;
    for (dim_t k = 0; k < classes(); ++k) positive += weight(row, k, scale) != 0 ? 1 : 0;
    if (positive < needed)
        return invalid(
            "SRC: row %lld: %lld of %lld classes have a positive weight; expected at least %lld, "
            "as many as are "
            "drawn without replacement",
            row, positive, classes(), needed);
    return {};
}

}  // namespace tombola::impl::cpu
