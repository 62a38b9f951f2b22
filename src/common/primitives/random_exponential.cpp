// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_exponential.hpp"

#include "common/create_primitive_desc.hpp"
#include "common/op_desc.hpp"
#include "common/primitives/stream_args.hpp"

namespace tombola::impl {

std::vector<ArgSpec> RandomExponentialDesc::args() const {
    std::vector<ArgSpec> args = {optional_input(TOMBOLA_ARG_LAMBDA, DataType::f64, 1),
                                 required_output(TOMBOLA_ARG_DST, dst)};
    add_stream_args(args, alignment);
    return args;
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_exponential_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, const_tombola_primitive_attr_t attr) {
    return api_call("random_exponential", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        TOMBOLA_TRY(check_alignment(alignment));
        TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
        const MemoryDesc dst = row_major_if_any(*from_handle(dst_desc));
        TOMBOLA_TRY(check_type(dst, "dst_desc",
                               {DataType::f16, DataType::bf16, DataType::f32, DataType::f64}));
        return create_primitive_desc(
            primitive_desc, engine,
            RandomExponentialDesc{static_cast<Alignment>(alignment), dst, global_seed, op_seed},
            attr);
    });
}
