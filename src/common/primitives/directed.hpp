// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the primitives with a forward and a backward direction share: the tensor that is read and the tensor that is
// written, and the checks of their C functions.

#include <tuple>

#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct DirectedDesc {
    PropKind prop_kind = PropKind::undef;
    MemoryDesc src;  // the tensor that is read: SRC forward, DIFF_DST backward
    MemoryDesc dst;  // the tensor that is written: DST forward, DIFF_SRC backward

    bool is_forward() const { return prop_kind != PropKind::backward_data; }
    int src_arg() const { return is_forward() ? TOMBOLA_ARG_SRC : TOMBOLA_ARG_DIFF_DST; }
    int dst_arg() const { return is_forward() ? TOMBOLA_ARG_DST : TOMBOLA_ARG_DIFF_SRC; }

    static constexpr auto fields() {
        return std::make_tuple(field("prop_kind", &DirectedDesc::prop_kind),
                               field("src", &DirectedDesc::src), field("dst", &DirectedDesc::dst));
    }
};

// Sets the fields of a forward primitive from the arguments of its C function. DST gets the layout of SRC if dst_desc
// is null or its layout is open.
Status set_forward(DirectedDesc& desc, tombola_prop_kind_t prop_kind,
                   const_tombola_memory_desc_t src_desc, const_tombola_memory_desc_t dst_desc);

// Sets the fields of a backward primitive. The hint may be null. Otherwise it must be of a forward primitive of the
// given kind whose DST has the dimensions of DIFF_DST. If the layout of DIFF_DST is open, it becomes that of the hint's
// DST.
Status set_backward(DirectedDesc& desc, PrimitiveKind kind,
                    const_tombola_memory_desc_t diff_src_desc,
                    const_tombola_memory_desc_t diff_dst_desc,
                    const_tombola_primitive_desc_t hint_fwd_pd);

}  // namespace tombola::impl
