// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_exponential: numbers with the density LAMBDA * e^(-LAMBDA * x), x >= 0.

#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct RandomExponentialDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_exponential;
    Alignment alignment = Alignment::tensorflow;
    MemoryDesc dst;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::make_tuple(field("alignment", &RandomExponentialDesc::alignment),
                               field("dst", &RandomExponentialDesc::dst),
                               default_field("global_seed", &RandomExponentialDesc::global_seed),
                               default_field("op_seed", &RandomExponentialDesc::op_seed));
    }
};

}  // namespace tombola::impl
