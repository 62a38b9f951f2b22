// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/shuffle.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

Status set_group(ShuffleDesc& desc, int axis, dim_t group_size) {
    if (axis < 0 || axis >= desc.src.ndims)
        return invalid("axis is %d; expected 0 to %d", axis, desc.src.ndims - 1);
    if (group_size < 1) return invalid("group_size is %lld; expected at least 1", group_size);
    if (desc.src.dims[axis] % group_size != 0)
        return invalid("group_size is %lld; expected a divisor of %lld, the size of dimension %d",
                       group_size, desc.src.dims[axis], axis);
    desc.axis = axis;
    desc.group_size = group_size;
    return {};
}

// The forward shuffle that a backward one belongs to must shuffle the same axis in the same groups.
Status check_hint(const ShuffleDesc& forward, int axis, dim_t group_size) {
    if (forward.axis != axis)
        return invalid("axis is %d; expected %d, as in hint_fwd_pd", axis, forward.axis);
    if (forward.group_size != group_size)
        return invalid("group_size is %lld; expected %lld, as in hint_fwd_pd", group_size,
                       forward.group_size);
    return {};
}

}  // namespace

std::vector<ArgSpec> ShuffleDesc::args() const {
    return {required_input(src_arg(), src), required_output(dst_arg(), dst)};
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_shuffle_forward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_prop_kind_t prop_kind, const_tombola_memory_desc_t src_desc,
    const_tombola_memory_desc_t dst_desc, int axis, tombola_dim_t group_size,
    const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<ShuffleDesc>(
        primitive_desc, engine, attr, [&](ShuffleDesc& desc) -> Status {
            TOMBOLA_TRY(set_forward(desc, prop_kind, src_desc, dst_desc));
            return set_group(desc, axis, group_size);
        });
}

tombola_status_t tombola_shuffle_backward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t diff_src_desc, const_tombola_memory_desc_t diff_dst_desc, int axis,
    tombola_dim_t group_size, const_tombola_primitive_desc_t hint_fwd_pd,
    const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<ShuffleDesc>(
        primitive_desc, engine, attr, [&](ShuffleDesc& desc) -> Status {
            TOMBOLA_TRY(set_backward(desc, desc.kKind, diff_src_desc, diff_dst_desc, hint_fwd_pd));
            TOMBOLA_TRY(set_group(desc, axis, group_size));
            if (hint_fwd_pd == nullptr) return {};
            return check_hint(std::get<ShuffleDesc>(from_handle(hint_fwd_pd)->desc->op()), axis,
                              group_size);
        });
}
