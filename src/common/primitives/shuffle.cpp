// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/shuffle.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

Status check_group(const MemoryDesc& desc, int axis, dim_t group_size) {
    if (axis < 0 || axis >= desc.ndims)
        return invalid("axis is %d; expected 0 to %d", axis, desc.ndims - 1);
    if (group_size < 1)
        return invalid("group_size is %lld; expected at least 1",
                       static_cast<long long>(group_size));
    if (desc.dims[axis] % group_size != 0)
        return invalid("group_size %lld does not divide dimension %d of size %lld",
                       static_cast<long long>(group_size), axis,
                       static_cast<long long>(desc.dims[axis]));
    return {};
}

// The forward shuffle that a backward one belongs to must shuffle the same axis in the same groups.
Status check_hint(const ShuffleDesc& forward, int axis, dim_t group_size) {
    if (forward.axis != axis)
        return invalid("axis is %d; expected %d, as in hint_fwd_pd", axis, forward.axis);
    if (forward.group_size != group_size)
        return invalid("group_size is %lld; expected %lld, as in hint_fwd_pd",
                       static_cast<long long>(group_size),
                       static_cast<long long>(forward.group_size));
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
    return create_primitive_desc(primitive_desc, engine, attr, [&]() -> Result<ShuffleDesc> {
        const DirectedDesc forward = TOMBOLA_TRY(make_forward(prop_kind, src_desc, dst_desc));
        TOMBOLA_TRY(check_group(forward.src, axis, group_size));
        return ShuffleDesc{forward, axis, group_size};
    });
}

tombola_status_t tombola_shuffle_backward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t diff_src_desc, const_tombola_memory_desc_t diff_dst_desc, int axis,
    tombola_dim_t group_size, const_tombola_primitive_desc_t hint_fwd_pd,
    const_tombola_primitive_attr_t attr) {
    return create_primitive_desc(primitive_desc, engine, attr, [&]() -> Result<ShuffleDesc> {
        const DirectedDesc backward = TOMBOLA_TRY(
            make_backward(ShuffleDesc::kKind, diff_src_desc, diff_dst_desc, hint_fwd_pd));
        TOMBOLA_TRY(check_group(backward.src, axis, group_size));
        if (hint_fwd_pd != nullptr)
            TOMBOLA_TRY(check_hint(std::get<ShuffleDesc>(from_handle(hint_fwd_pd)->desc->op()),
                                   axis, group_size));
        return ShuffleDesc{backward, axis, group_size};
    });
}
