// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_uniform: uniform numbers in [MIN, MAX).

#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct RandomUniformDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_uniform;
    Alignment alignment = Alignment::tensorflow;
    MemoryDesc dst;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;
    IntDraws int_draws = IntDraws::spec;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::make_tuple(field("alignment", &RandomUniformDesc::alignment),
                               field("dst", &RandomUniformDesc::dst),
                               default_field("global_seed", &RandomUniformDesc::global_seed),
                               default_field("op_seed", &RandomUniformDesc::op_seed),
                               field("int_draws", &RandomUniformDesc::int_draws));
    }
};

}  // namespace tombola::impl
