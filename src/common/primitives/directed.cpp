// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/directed.hpp"

#include <string>
#include <type_traits>

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

// The directed part of a descriptor; null if the primitive has no direction.
const DirectedDesc* directed(const OpDesc& op) {
    return std::visit(
        [](const auto& desc) -> const DirectedDesc* {
            if constexpr (std::is_base_of_v<DirectedDesc, std::decay_t<decltype(desc)>>)
                return &desc;
            return nullptr;
        },
        op);
}

}  // namespace

Status set_forward(DirectedDesc& desc, tombola_prop_kind_t prop_kind,
                   const_tombola_memory_desc_t src_desc, const_tombola_memory_desc_t dst_desc) {
    if (prop_kind != tombola_forward_training && prop_kind != tombola_forward_inference)
        return invalid("prop_kind is %s; expected forward_training or forward_inference",
                       prop_kind == tombola_backward_data ? name_of(PropKind::backward_data)
                                                          : std::to_string(prop_kind).c_str());
    TOMBOLA_TRY(check_tensor_with_layout(src_desc, "src_desc"));
    desc.prop_kind = static_cast<PropKind>(prop_kind);
    desc.src = *from_handle(src_desc);
    return set_written(desc.dst, dst_desc, "dst_desc", desc.src, "src_desc");
}

Status set_backward(DirectedDesc& desc, PrimitiveKind kind,
                    const_tombola_memory_desc_t diff_src_desc,
                    const_tombola_memory_desc_t diff_dst_desc,
                    const_tombola_primitive_desc_t hint_fwd_pd) {
    TOMBOLA_TRY(check_tensor(diff_dst_desc, "diff_dst_desc"));
    const MemoryDesc& diff_dst = *from_handle(diff_dst_desc);
    desc.prop_kind = PropKind::backward_data;
    desc.src = diff_dst;
    if (hint_fwd_pd != nullptr) {
        const OpDesc& hint = from_handle(hint_fwd_pd)->desc->op();
        const DirectedDesc* forward = directed(hint);
        if (kind_of(hint) != kind || !forward->is_forward())
            return invalid("hint_fwd_pd is of a %s%s; expected one of a forward %s",
                           forward != nullptr && !forward->is_forward() ? "backward " : "",
                           name_of(kind_of(hint)), name_of(kind));
        if (!same_dims(forward->dst, diff_dst))
            return invalid("diff_dst_desc is %s; expected %s, as in hint_fwd_pd",
                           dims_to_string(diff_dst).c_str(), dims_to_string(forward->dst).c_str());
        if (diff_dst.is_any()) desc.src = forward->dst;
        desc.src.data_type = diff_dst.data_type;
    }
    if (desc.src.is_any())
        return invalid(
            "diff_dst_desc has the layout any; expected hint_fwd_pd with it, or strides "
            "or another tag");
    return set_written(desc.dst, diff_src_desc, "diff_src_desc", desc.src, "diff_dst_desc");
}

}  // namespace tombola::impl
