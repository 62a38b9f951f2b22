// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C++ type of a data type.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/status.hpp"
#include "common/types.hpp"
#include "cpu/float16.hpp"

namespace tombola::impl::cpu {

template <DataType kType>
constexpr auto element_of() {
    if constexpr (kType == DataType::f16) return Float16{};
    if constexpr (kType == DataType::bf16) return BFloat16{};
    if constexpr (kType == DataType::f32) return float{};
    if constexpr (kType == DataType::f64) return double{};
    if constexpr (kType == DataType::u8) return uint8_t{};
    if constexpr (kType == DataType::s32) return int32_t{};
    if constexpr (kType == DataType::s64) return int64_t{};
}

template <const auto& kTypes, class Body, size_t... kIndex>
auto with_element_type(DataType type, const Body& body, std::index_sequence<kIndex...>) {
    using Answer = std::common_type_t<decltype(body(element_of<kTypes[kIndex]>()))...>;
    std::optional<Answer> answer;
    const bool served =
        ((type == kTypes[kIndex] && (answer.emplace(body(element_of<kTypes[kIndex]>())), true)) ||
         ...);
    return served ? std::move(*answer)
                  : Answer(unimplemented("no conversion to %s", name_of(type)));
}

// Calls body(T{}) with the C++ type T of `type`, which is one of the array kTypes; every other type is refused by name. The
// body returns a Status or a Result.
template <const auto& kTypes, class Body>
auto with_element_type(DataType type, const Body& body) {
    return with_element_type<kTypes>(type, body, std::make_index_sequence<kTypes.size()>());
}

}  // namespace tombola::impl::cpu
