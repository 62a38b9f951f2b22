// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_bernoulli: 1 with the probability P, otherwise 0.

#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct RandomBernoulliDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_bernoulli;
    Alignment alignment = Alignment::tensorflow;
    MemoryDesc dst;
    MemoryDesc p;  // one element, or the dimensions of dst
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    // One probability for all elements: P has the dimensions [1].
    bool has_one_p() const { return p.ndims == 1 && p.dims[0] == 1; }

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::make_tuple(field("alignment", &RandomBernoulliDesc::alignment),
                               field("dst", &RandomBernoulliDesc::dst),
                               field("p", &RandomBernoulliDesc::p),
                               default_field("global_seed", &RandomBernoulliDesc::global_seed),
                               default_field("op_seed", &RandomBernoulliDesc::op_seed));
    }
};

}  // namespace tombola::impl
