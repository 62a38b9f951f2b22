// SPDX-License-Identifier: Apache-2.0
#pragma once

// Channel shuffle, forward and backward.

#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct ShuffleDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::shuffle;
    PropKind prop_kind = PropKind::undef;
    MemoryDesc src;  // DIFF_DST of a backward shuffle: the tensor that is read
    MemoryDesc dst;  // DIFF_SRC of a backward shuffle: the tensor that is written
    int axis = 0;
    dim_t group_size = 1;

    bool is_forward() const { return prop_kind != PropKind::backward_data; }
    // The G with which the shuffle is executed. Backward is forward with C/G in the place of G.
    dim_t effective_group() const {
        return is_forward() ? group_size : src.dims[axis] / group_size;
    }

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::make_tuple(field("prop_kind", &ShuffleDesc::prop_kind),
                               field("src", &ShuffleDesc::src), field("dst", &ShuffleDesc::dst),
                               field("axis", &ShuffleDesc::axis),
                               field("group", &ShuffleDesc::group_size));
    }
};

}  // namespace tombola::impl
