// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/dropout.hpp"

#include <string>

#include "common/create_primitive_desc.hpp"
#include "common/op_desc.hpp"

namespace tombola::impl {
namespace {

constexpr dim_t kBitsPerByte = 8;

Status check_data_type(const MemoryDesc& desc, const char* name) {
    return check_type(desc, name, {DataType::f32, DataType::f16, DataType::bf16});
}

Status check_draws(int draw_bits, tombola_dropout_mask_t mask_kind) {
    if (draw_bits != 32 && draw_bits != 16 && draw_bits != 8)
        return invalid("draw_bits is %d; expected 32, 16 or 8", draw_bits);
    if (mask_kind != tombola_dropout_mask_none && mask_kind != tombola_dropout_mask_u8 &&
        mask_kind != tombola_dropout_mask_bits)
        return invalid("mask_kind is %d; expected none, u8 or bits", static_cast<int>(mask_kind));
    return {};
}

// The forward dropout that a backward one belongs to must be of the same shape and draw the same mask.
Status check_hint(const_tombola_primitive_desc_t hint, const MemoryDesc& diff_dst, int draw_bits,
                  DropoutMask mask_kind) {
    const auto* forward = std::get_if<DropoutDesc>(&from_handle(hint)->desc->op());
    if (forward == nullptr || !forward->is_forward())
        return invalid("hint_fwd_pd is not of a forward dropout");
    if (forward->draw_bits != draw_bits)
        return invalid("draw_bits is %d; expected %d, as in hint_fwd_pd", draw_bits,
                       forward->draw_bits);
    if (forward->mask_kind != mask_kind)
        return invalid("mask_kind is %s; expected %s, as in hint_fwd_pd", name_of(mask_kind),
                       name_of(forward->mask_kind));
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
    MemoryDesc desc = std::get<DropoutDesc>(from_handle(hint)->desc->op()).dst;
    desc.data_type = diff_dst.data_type;
    return desc;
}

}  // namespace

MemoryDesc DropoutDesc::mask() const {
    if (mask_kind == DropoutMask::bits)
        return MemoryDesc::vector(DataType::u8, (src.nelems() + kBitsPerByte - 1) / kBitsPerByte);
    // DIFF_SRC has the layout of the forward dropout's SRC, whose mask it takes.
    MemoryDesc desc = is_forward() ? src : dst;
    desc.data_type = DataType::u8;
    return desc;
}

std::vector<ArgSpec> DropoutDesc::args() const {
    const bool may_be_in_place = same_layout(src, dst);
    std::vector<ArgSpec> specs = {
        required_input(src_arg(), src),
        required_input(TOMBOLA_ARG_P, MemoryDesc::vector(DataType::f32, 1), ArgSpec::Match::vector),
        required_output(dst_arg(), dst, may_be_in_place ? src_arg() : 0),
        optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2),
        optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1)};
    if (is_forward())
        specs.push_back(
            optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS));
    if (mask_kind != DropoutMask::none) {
        const auto match =
            mask_kind == DropoutMask::bits ? ArgSpec::Match::vector : ArgSpec::Match::exact;
        specs.push_back(is_forward() ? optional_output(TOMBOLA_ARG_MASK, mask(), match)
                                     : optional_input(TOMBOLA_ARG_MASK, mask(), match));
    }
    return specs;
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_dropout_forward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_prop_kind_t prop_kind, const_tombola_memory_desc_t src_desc,
    const_tombola_memory_desc_t dst_desc, int draw_bits, tombola_dropout_mask_t mask_kind,
    uint64_t global_seed, uint64_t op_seed, const_tombola_primitive_attr_t attr) {
    return api_call("dropout", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        if (prop_kind != tombola_forward_training && prop_kind != tombola_forward_inference)
            return invalid("prop_kind is %s; expected forward_training or forward_inference",
                           prop_kind == tombola_backward_data ? name_of(PropKind::backward_data)
                                                              : std::to_string(prop_kind).c_str());
        TOMBOLA_TRY(check_tensor_with_layout(src_desc, "src_desc"));
        const MemoryDesc& src = *from_handle(src_desc);
        TOMBOLA_TRY(check_data_type(src, "src_desc"));
        const MemoryDesc dst = TOMBOLA_TRY(written_desc(dst_desc, "dst_desc", src, "src_desc"));
        TOMBOLA_TRY(check_draws(draw_bits, mask_kind));
        return create_primitive_desc(
            primitive_desc, engine,
            DropoutDesc{static_cast<PropKind>(prop_kind), src, dst, draw_bits,
                        static_cast<DropoutMask>(mask_kind), global_seed, op_seed},
            attr);
    });
}

tombola_status_t tombola_dropout_backward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t diff_src_desc, const_tombola_memory_desc_t diff_dst_desc,
    int draw_bits, tombola_dropout_mask_t mask_kind, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_desc_t hint_fwd_pd, const_tombola_primitive_attr_t attr) {
    return api_call("dropout", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        TOMBOLA_TRY(check_tensor(diff_dst_desc, "diff_dst_desc"));
        TOMBOLA_TRY(check_data_type(*from_handle(diff_dst_desc), "diff_dst_desc"));
        TOMBOLA_TRY(check_draws(draw_bits, mask_kind));
        const auto mask = static_cast<DropoutMask>(mask_kind);
        if (hint_fwd_pd != nullptr)
            TOMBOLA_TRY(check_hint(hint_fwd_pd, *from_handle(diff_dst_desc), draw_bits, mask));
        const MemoryDesc diff_dst =
            TOMBOLA_TRY(diff_dst_with_layout(*from_handle(diff_dst_desc), hint_fwd_pd));
        const MemoryDesc diff_src =
            TOMBOLA_TRY(written_desc(diff_src_desc, "diff_src_desc", diff_dst, "diff_dst_desc"));
        return create_primitive_desc(primitive_desc, engine,
                                     DropoutDesc{PropKind::backward_data, diff_dst, diff_src,
                                                 draw_bits, mask, global_seed, op_seed},
                                     attr);
    });
}
