// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dropout, forward and backward.

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/primitives/directed.hpp"

namespace tombola::impl {

struct DropoutDesc : DirectedDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::dropout;
    // The types of the tensor that is read and of the one that is written.
    static constexpr std::array kTypes{DataType::f32, DataType::f16, DataType::bf16};
    int draw_bits = 32;
    DropoutMask mask_kind = DropoutMask::none;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    // The descriptor of MASK. There is no MASK if mask_kind is none.
    MemoryDesc mask() const;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::tuple_cat(
            DirectedDesc::fields(),
            std::make_tuple(field("draw_bits", &DropoutDesc::draw_bits),
                            field("mask_kind", &DropoutDesc::mask_kind),
                            default_field("global_seed", &DropoutDesc::global_seed),
                            default_field("op_seed", &DropoutDesc::op_seed)));
    }
};

}  // namespace tombola::impl
