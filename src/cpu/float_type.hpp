// SPDX-License-Identifier: Apache-2.0
#pragma once

// The four floating-point types that are computed with. The list is narrower than DataType, so a switch over it can be
// complete, and the compiler names every switch to which a new type must be added.

#include <cassert>

#include "common/types.hpp"

namespace tombola::impl::cpu {

enum class FloatType { f16, bf16, f32, f64 };

// `type` must be one of the four.
inline FloatType float_type_of(DataType type) {
    if (type == DataType::f16) return FloatType::f16;
    if (type == DataType::bf16) return FloatType::bf16;
    if (type == DataType::f32) return FloatType::f32;
    assert(type == DataType::f64);
    return FloatType::f64;
}

// The public type.
constexpr DataType data_type_of(FloatType type) {
    switch (type) {
        case FloatType::f16:
            return DataType::f16;
        case FloatType::bf16:
            return DataType::bf16;
        case FloatType::f32:
            return DataType::f32;
        case FloatType::f64:
            return DataType::f64;
    }
    return DataType::undef;
}

}  // namespace tombola::impl::cpu
