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

Result<DirectedDesc> make_forward(tombola_prop_kind_t prop_kind,
                                  const_tombola_memory_desc_t src_desc,
                                  const_tombola_memory_desc_t dst_desc) {
    if (prop_kind != tombola_forward_training && prop_kind != tombola_forward_inference)
        return invalid("prop_kind is %s; expected forward_training or forward_inference",
                       prop_kind == tombola_backward_data ? name_of(PropKind::backward_data)
                                                          : std::to_string(prop_kind).c_str());
    TOMBOLA_TRY(check_tensor_with_layout(src_desc, "src_desc"));
    const MemoryDesc& src = *from_handle(src_desc);
    const MemoryDesc dst = TOMBOLA_TRY(written_desc(dst_desc, "dst_desc", src, "src_desc"));
    return DirectedDesc{static_cast<PropKind>(prop_kind), src, dst};
}

Result<DirectedDesc> make_backward(PrimitiveKind kind, const_tombola_memory_desc_t diff_src_desc,
                                   const_tombola_memory_desc_t diff_dst_desc,
                                   const_tombola_primitive_desc_t hint_fwd_pd) {
    TOMBOLA_TRY(check_tensor(diff_dst_desc, "diff_dst_desc"));
    MemoryDesc diff_dst = *from_handle(diff_dst_desc);
    if (hint_fwd_pd != nullptr) {
        const OpDesc& hint = from_handle(hint_fwd_pd)->desc->op();
        const DirectedDesc* forward = directed(hint);
        if (kind_of(hint) != kind || !forward->is_forward())
            return invalid("hint_fwd_pd is not of a forward %s", name_of(kind));
        if (!same_dims(forward->dst, diff_dst))
            return invalid("diff_dst_desc is %s; expected %s, as in hint_fwd_pd",
                           dims_to_string(diff_dst).c_str(), dims_to_string(forward->dst).c_str());
        if (diff_dst.is_any()) {
            const DataType type = diff_dst.data_type;
            diff_dst = forward->dst;
            diff_dst.data_type = type;
        }
    }
    if (diff_dst.is_any())
        return invalid(
            "diff_dst_desc has the layout any; expected hint_fwd_pd with it, or strides "
            "or another tag");
    const MemoryDesc diff_src =
        TOMBOLA_TRY(written_desc(diff_src_desc, "diff_src_desc", diff_dst, "diff_dst_desc"));
    return DirectedDesc{PropKind::backward_data, diff_dst, diff_src};
}

}  // namespace tombola::impl
