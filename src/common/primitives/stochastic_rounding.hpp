// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stochastic rounding of f32 to a 16-bit floating-point type.

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct StochasticRoundingDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::stochastic_rounding;
    // The types of DST.
    static constexpr std::array kTypes{DataType::bf16, DataType::f16};
    MemoryDesc src;
    MemoryDesc dst;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::make_tuple(field("src", &StochasticRoundingDesc::src),
                               field("dst", &StochasticRoundingDesc::dst),
                               default_field("global_seed", &StochasticRoundingDesc::global_seed),
                               default_field("op_seed", &StochasticRoundingDesc::op_seed));
    }
};

}  // namespace tombola::impl
