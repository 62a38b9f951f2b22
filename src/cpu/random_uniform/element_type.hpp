// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C++ type of each element type that random_uniform serves: the one list of them.

#include <cstdint>

#include "common/status.hpp"
#include "common/types.hpp"
#include "cpu/float16.hpp"

namespace tombola::impl::cpu {

// body(T{}) with the T of `type`; unimplemented for a type that random_uniform does not serve. The body returns a
// Status or a Result.
template <class Body>
auto with_uniform_type(DataType type, Body&& body) -> decltype(body(float{})) {
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
        case DataType::s64:
            return body(int64_t{});
        case DataType::undef:
        case DataType::s8:
        case DataType::u8:
        case DataType::u32:
        case DataType::u64:
            break;
    }
    return unimplemented("no conversion to %s", name_of(type));
}

}  // namespace tombola::impl::cpu
