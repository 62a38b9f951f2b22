// SPDX-License-Identifier: Apache-2.0
#pragma once

// Channel shuffle, forward and backward.

#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/primitives/directed.hpp"

namespace tombola::impl {

struct ShuffleDesc : DirectedDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::shuffle;
    int axis = 0;
    dim_t group_size = 1;

    // The G with which the shuffle is executed. Backward is forward with C/G in the place of G.
    dim_t effective_group() const {
        return is_forward() ? group_size : src.dims[axis] / group_size;
    }

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::tuple_cat(DirectedDesc::fields(),
                              std::make_tuple(field("axis", &ShuffleDesc::axis),
                                              field("group", &ShuffleDesc::group_size)));
    }
};

}  // namespace tombola::impl
