// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_uniform.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {

std::vector<ArgSpec> RandomUniformDesc::args() const {
    const MemoryDesc bound = MemoryDesc::vector(dst.data_type, 1);
    std::vector<ArgSpec> args;
    if (!full_range)
        for (const int arg : {TOMBOLA_ARG_MIN, TOMBOLA_ARG_MAX})
            args.push_back(required_input(arg, bound, ArgSpec::Match::vector));
    args.push_back(required_output(TOMBOLA_ARG_DST, dst));
    add_stream_args(args, alignment == Alignment::tensorflow);
    return args;
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_uniform_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, tombola_int_draws_t int_draws, const_tombola_primitive_attr_t attr) {
    return tombola_random_uniform_primitive_desc_create_with_rules(
        primitive_desc, engine, alignment, dst_desc, global_seed, op_seed, int_draws,
        tombola_float_draws_torch1, 0, attr);
}

tombola_status_t tombola_random_uniform_primitive_desc_create_with_rules(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, tombola_int_draws_t int_draws, tombola_float_draws_t float_draws,
    int full_range, const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<RandomUniformDesc>(
        primitive_desc, engine, attr, [&](RandomUniformDesc& desc) -> Status {
            TOMBOLA_TRY(set_fill(desc, alignment, dst_desc, global_seed, op_seed, desc.kTypes));
            TOMBOLA_TRY(set_enum(desc.int_draws, int_draws, "int_draws"));
            TOMBOLA_TRY(set_enum(desc.float_draws, float_draws, "float_draws"));
            TOMBOLA_TRY(check_flag(full_range, "full_range"));
            if (full_range != 0 && desc.alignment != Alignment::pytorch)
                return invalid("full_range is %d with the alignment %s; expected pytorch",
                               full_range, name_of(desc.alignment));
            if (full_range != 0 && desc.dst.data_type != DataType::s32 &&
                desc.dst.data_type != DataType::s64)
                return invalid("full_range is %d with a dst_desc of %s; expected s32 or s64",
                               full_range, name_of(desc.dst.data_type));
            desc.full_range = full_range == 1;
            return {};
        });
}
