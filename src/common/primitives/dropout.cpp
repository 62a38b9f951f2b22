// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/dropout.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

constexpr dim_t kBitsPerByte = 8;

// Sets the fields that both directions have and DirectedDesc lacks. `name` is the argument that is read.
Status set_draws(DropoutDesc& desc, const char* name, int draw_bits,
                 tombola_dropout_mask_t mask_kind, uint64_t global_seed, uint64_t op_seed) {
    TOMBOLA_TRY(check_type(desc.src, name, desc.kTypes));
    if (draw_bits != 32 && draw_bits != 16 && draw_bits != 8)
        return invalid("draw_bits is %d; expected 32, 16 or 8", draw_bits);
    desc.draw_bits = draw_bits;
    TOMBOLA_TRY(set_enum(desc.mask_kind, mask_kind, "mask_kind"));
    desc.global_seed = global_seed;
    desc.op_seed = op_seed;
    return {};
}

// The forward dropout that a backward one belongs to must draw the same mask.
Status check_hint(const DropoutDesc& forward, const DropoutDesc& backward) {
    if (forward.draw_bits != backward.draw_bits)
        return invalid("draw_bits is %d; expected %d, as in hint_fwd_pd", backward.draw_bits,
                       forward.draw_bits);
    if (forward.mask_kind != backward.mask_kind)
        return invalid("mask_kind is %s; expected %s, as in hint_fwd_pd",
                       name_of(backward.mask_kind), name_of(forward.mask_kind));
    return {};
}

}  // namespace

MemoryDesc DropoutDesc::mask() const {
    if (mask_kind == DropoutMask::bits)
        return MemoryDesc::vector(DataType::u8, (src.nelems() + kBitsPerByte - 1) / kBitsPerByte);
    // The forward dropout wrote MASK in the layout of SRC, which DIFF_SRC has here.
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
    return create_primitive_desc<DropoutDesc>(
        primitive_desc, engine, attr, [&](DropoutDesc& desc) -> Status {
            TOMBOLA_TRY(set_forward(desc, prop_kind, src_desc, dst_desc));
            return set_draws(desc, "src_desc", draw_bits, mask_kind, global_seed, op_seed);
        });
}

tombola_status_t tombola_dropout_backward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t diff_src_desc, const_tombola_memory_desc_t diff_dst_desc,
    int draw_bits, tombola_dropout_mask_t mask_kind, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_desc_t hint_fwd_pd, const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<DropoutDesc>(
        primitive_desc, engine, attr, [&](DropoutDesc& desc) -> Status {
            TOMBOLA_TRY(set_backward(desc, desc.kKind, diff_src_desc, diff_dst_desc, hint_fwd_pd));
            TOMBOLA_TRY(
                set_draws(desc, "diff_dst_desc", draw_bits, mask_kind, global_seed, op_seed));
            if (hint_fwd_pd == nullptr) return {};
            return check_hint(std::get<DropoutDesc>(from_handle(hint_fwd_pd)->desc->op()), desc);
        });
}
