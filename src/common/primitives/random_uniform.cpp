// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_uniform.hpp"

#include "common/create_primitive_desc.hpp"
#include "common/op_desc.hpp"
#include "common/primitives/stream_args.hpp"

namespace tombola::impl {

std::vector<ArgSpec> RandomUniformDesc::args() const {
    const MemoryDesc bound = MemoryDesc::vector(dst.data_type, 1);
    std::vector<ArgSpec> args = {required_input(TOMBOLA_ARG_MIN, bound, ArgSpec::Match::vector),
                                 required_input(TOMBOLA_ARG_MAX, bound, ArgSpec::Match::vector),
                                 required_output(TOMBOLA_ARG_DST, dst)};
    add_stream_args(args, alignment);
    return args;
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_uniform_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, tombola_int_draws_t int_draws, const_tombola_primitive_attr_t attr) {
    return api_call("random_uniform", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        TOMBOLA_TRY(check_alignment(alignment));
        if (int_draws != tombola_int_draws_spec && int_draws != tombola_int_draws_torch1 &&
            int_draws != tombola_int_draws_torch2)
            return invalid("int_draws is %d; expected spec, torch1 or torch2",
                           static_cast<int>(int_draws));
        TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
        const MemoryDesc dst = row_major_if_any(*from_handle(dst_desc));
        TOMBOLA_TRY(check_type(dst, "dst_desc",
                               {DataType::f16, DataType::bf16, DataType::f32, DataType::f64,
                                DataType::s32, DataType::s64}));
        return create_primitive_desc(
            primitive_desc, engine,
            RandomUniformDesc{static_cast<Alignment>(alignment), dst, global_seed, op_seed,
                              static_cast<IntDraws>(int_draws)},
            attr);
    });
}
