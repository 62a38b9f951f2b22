// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C++ type of a data type.

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/status.hpp"
#include "common/types.hpp"
#include "cpu/float16.hpp"

namespace tombola::impl::cpu {

constexpr DataType data_type_of(Float16) { return DataType::f16; }
constexpr DataType data_type_of(BFloat16) { return DataType::bf16; }
constexpr DataType data_type_of(float) { return DataType::f32; }
constexpr DataType data_type_of(double) { return DataType::f64; }
constexpr DataType data_type_of(uint8_t) { return DataType::u8; }
constexpr DataType data_type_of(int32_t) { return DataType::s32; }
constexpr DataType data_type_of(int64_t) { return DataType::s64; }

// Calls body(T{}) with the C++ type T of `type`. The caller lists the types that it serves; every other type is refused
// by name. The body returns a Status or a Result.
template <class... Served, class Body>
auto with_element_type(DataType type, const Body& body) {
    using Answer = std::common_type_t<decltype(body(Served{}))...>;
    std::optional<Answer> answer;
    const bool served =
        ((type == data_type_of(Served{}) && (answer.emplace(body(Served{})), true)) || ...);
    return served ? std::move(*answer)
                  : Answer(unimplemented("no conversion to %s", name_of(type)));
}

}  // namespace tombola::impl::cpu
