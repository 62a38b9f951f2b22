// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dropout, forward and backward.

#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct DropoutDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::dropout;
    PropKind prop_kind = PropKind::undef;
    MemoryDesc src;  // DIFF_DST of a backward dropout: the tensor that is read
    MemoryDesc dst;  // DIFF_SRC of a backward dropout: the tensor that is written
    int draw_bits = 32;
    DropoutMask mask_kind = DropoutMask::none;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    bool is_forward() const { return prop_kind != PropKind::backward_data; }
    int src_arg() const { return is_forward() ? TOMBOLA_ARG_SRC : TOMBOLA_ARG_DIFF_DST; }
    int dst_arg() const { return is_forward() ? TOMBOLA_ARG_DST : TOMBOLA_ARG_DIFF_SRC; }
    // The descriptor of MASK. There is none without a mask.
    MemoryDesc mask() const;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::make_tuple(field("prop_kind", &DropoutDesc::prop_kind),
                               field("src", &DropoutDesc::src), field("dst", &DropoutDesc::dst),
                               field("draw_bits", &DropoutDesc::draw_bits),
                               field("mask_kind", &DropoutDesc::mask_kind),
                               default_field("global_seed", &DropoutDesc::global_seed),
                               default_field("op_seed", &DropoutDesc::op_seed));
    }
};

}  // namespace tombola::impl
