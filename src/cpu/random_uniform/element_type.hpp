// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C++ type of each element type that random_uniform serves.

#include <cassert>
#include <cstdint>

#include "common/types.hpp"
#include "cpu/float16.hpp"

namespace tombola::impl::cpu {

inline bool is_uniform_type(DataType type) {
    return type == DataType::f16 || type == DataType::bf16 || type == DataType::f32 ||
           type == DataType::f64 || type == DataType::s32 || type == DataType::s64;
}

// body(T{}) with the T of `type`, which is one of the six.
template <class Body>
auto with_uniform_type(DataType type, Body&& body) {
    switch (type) {
        case DataType::f16:
            return body(Float16{});
        case DataType::bf16:
            return body(BFloat16{});
        case DataType::f32:
            return body(float{});
        case DataType::f64:
            return body(double{});
        case DataType::s32:
            return body(int32_t{});
        default:
            assert(type == DataType::s64);
            return body(int64_t{});
    }
}

}  // namespace tombola::impl::cpu
