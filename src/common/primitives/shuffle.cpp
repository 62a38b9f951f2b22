// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/shuffle.hpp"

#include <string>

#include "common/create_primitive_desc.hpp"
#include "common/op_desc.hpp"

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

// The forward shuffle that a backward one belongs to must be of the same shape.
Status check_hint(const_tombola_primitive_desc_t hint, const MemoryDesc& diff_dst, int axis,
                  dim_t group_size) {
    const auto* forward = std::get_if<ShuffleDesc>(&from_handle(hint)->desc->op());
    if (forward == nullptr || !forward->is_forward())
        return invalid("hint_fwd_pd is not of a forward shuffle");
    if (forward->axis != axis)
        return invalid("axis is %d; expected %d, as in hint_fwd_pd", axis, forward->axis);
    if (forward->group_size != group_size)
        return invalid("group_size is %lld; expected %lld, as in hint_fwd_pd",
                       static_cast<long long>(group_size),
                       static_cast<long long>(forward->group_size));
    if (forward->dst.ndims != diff_dst.ndims || forward->dst.dims != diff_dst.dims)
        return invalid("diff_dst_desc is %s; expected %s, as in hint_fwd_pd",
                       dims_to_string(diff_dst.ndims, diff_dst.dims.data()).c_str(),
                       dims_to_string(forward->dst.ndims, forward->dst.dims.data()).c_str());
    return {};
}

Result<MemoryDesc> diff_dst_with_layout(const MemoryDesc& diff_dst,
                                        const_tombola_primitive_desc_t hint) {
    if (!diff_dst.is_any()) return diff_dst;
    if (hint == nullptr)
        return invalid(
            "diff_dst_desc has the layout any; expected hint_fwd_pd with it, or strides "
            "or another tag");
    MemoryDesc desc = std::get<ShuffleDesc>(from_handle(hint)->desc->op()).dst;
    desc.data_type = diff_dst.data_type;
    return desc;
}

}  // namespace

std::vector<ArgSpec> ShuffleDesc::args() const {
    if (is_forward())
        return {required_input(TOMBOLA_ARG_SRC, src), required_output(TOMBOLA_ARG_DST, dst)};
    return {required_input(TOMBOLA_ARG_DIFF_DST, src), required_output(TOMBOLA_ARG_DIFF_SRC, dst)};
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_shuffle_forward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_prop_kind_t prop_kind, const_tombola_memory_desc_t src_desc,
    const_tombola_memory_desc_t dst_desc, int axis, tombola_dim_t group_size,
    const_tombola_primitive_attr_t attr) {
    return api_call("shuffle", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        if (prop_kind != tombola_forward_training && prop_kind != tombola_forward_inference)
            return invalid("prop_kind is %s; expected forward_training or forward_inference",
                           prop_kind == tombola_backward_data ? name_of(PropKind::backward_data)
                                                              : std::to_string(prop_kind).c_str());
        TOMBOLA_TRY(check_tensor_with_layout(src_desc, "src_desc"));
        const MemoryDesc& src = *from_handle(src_desc);
        TOMBOLA_TRY(check_group(src, axis, group_size));
        const MemoryDesc dst = TOMBOLA_TRY(written_desc(dst_desc, "dst_desc", src, "src_desc"));
        return create_primitive_desc(
            primitive_desc, engine,
            ShuffleDesc{static_cast<PropKind>(prop_kind), src, dst, axis, group_size}, attr);
    });
}

tombola_status_t tombola_shuffle_backward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t diff_src_desc, const_tombola_memory_desc_t diff_dst_desc, int axis,
    tombola_dim_t group_size, const_tombola_primitive_desc_t hint_fwd_pd,
    const_tombola_primitive_attr_t attr) {
    return api_call("shuffle", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        TOMBOLA_TRY(check_tensor(diff_dst_desc, "diff_dst_desc"));
        TOMBOLA_TRY(check_group(*from_handle(diff_dst_desc), axis, group_size));
        if (hint_fwd_pd != nullptr)
            TOMBOLA_TRY(check_hint(hint_fwd_pd, *from_handle(diff_dst_desc), axis, group_size));
        const MemoryDesc diff_dst =
            TOMBOLA_TRY(diff_dst_with_layout(*from_handle(diff_dst_desc), hint_fwd_pd));
        const MemoryDesc diff_src =
            TOMBOLA_TRY(written_desc(diff_src_desc, "diff_src_desc", diff_dst, "diff_dst_desc"));
        return create_primitive_desc(
            primitive_desc, engine,
            ShuffleDesc{PropKind::backward_data, diff_dst, diff_src, axis, group_size}, attr);
    });
}
