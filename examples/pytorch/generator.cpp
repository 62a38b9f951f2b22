// SPDX-License-Identifier: Apache-2.0
#include "generator.hpp"

namespace tombola_torch {

memory::data_type type_of(at::ScalarType type) {
    switch (type) {
        case at::kFloat:
            return memory::data_type::f32;
        case at::kDouble:
            return memory::data_type::f64;
        case at::kHalf:
            return memory::data_type::f16;
        case at::kBFloat16:
            return memory::data_type::bf16;
        case at::kInt:
            return memory::data_type::s32;
        case at::kLong:
            return memory::data_type::s64;
        default:
            TORCH_CHECK(false, "tombola does not draw ", c10::toString(type));
    }
}

Box box_of(const at::TensorIteratorBase& iterator, int operand) {
    if (iterator.ndim() == 0) return {{1}, {1}};
    const auto dims = iterator.shape();
    const auto strides = iterator.strides(operand);
    Box box{{dims.rbegin(), dims.rend()}, {strides.rbegin(), strides.rend()}};
    for (auto& stride : box.strides)
        stride /= iterator.element_size(operand);  // an iterator counts bytes
    return box;
}

Box dense(const memory::dims& dims) {
    Box box{dims, dims};
    int64_t stride = 1;
    for (size_t i = dims.size(); i-- > 0; stride *= dims[i]) box.strides[i] = stride;
    return box;
}

Words::Words(const at::Generator& generator)
    : blob_(generator.get_state()),
      state_(tombola::mt19937_normal_state_from_torch(blob_.data_ptr(),
                                                      static_cast<size_t>(blob_.numel()))) {}

void Words::hand_back(at::Generator& generator) {
    tombola::mt19937_normal_state_to_torch(state_, blob_.data_ptr(),
                                           static_cast<size_t>(blob_.numel()));
    generator.set_state(blob_);
}

}  // namespace tombola_torch
