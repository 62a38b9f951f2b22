// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_exponential.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {

std::vector<ArgSpec> RandomExponentialDesc::args() const {
    std::vector<ArgSpec> args = {optional_input(TOMBOLA_ARG_LAMBDA, DataType::f64, 1),
                                 required_output(TOMBOLA_ARG_DST, dst)};
    add_stream_args(args, alignment == Alignment::tensorflow);
    return args;
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_exponential_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<RandomExponentialDesc>(
        primitive_desc, engine, attr, [&](RandomExponentialDesc& desc) -> Status {
            return set_fill(desc, alignment, dst_desc, global_seed, op_seed, desc.kTypes);
        });
}
