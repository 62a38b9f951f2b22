// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_permutation: a permutation of 0 ... range - 1, or a part of one.

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct RandomPermutationDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_permutation;
    // The types of DST.
    static constexpr std::array kTypes = kIndexTypes;
    PermutationAlignment alignment = PermutationAlignment::pytorch;
    MemoryDesc dst;
    dim_t range = 0;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::make_tuple(field("alignment", &RandomPermutationDesc::alignment),
                               field("dst", &RandomPermutationDesc::dst),
                               field("range", &RandomPermutationDesc::range),
                               default_field("global_seed", &RandomPermutationDesc::global_seed),
                               default_field("op_seed", &RandomPermutationDesc::op_seed));
    }
};

}  // namespace tombola::impl
