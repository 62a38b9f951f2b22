// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_bernoulli.hpp"

#include <algorithm>

#include "common/create_primitive_desc.hpp"
#include "common/op_desc.hpp"
#include "common/primitives/stream_args.hpp"

namespace tombola::impl {
namespace {

Status check_p_dims(const RandomBernoulliDesc& desc) {
    const MemoryDesc &p = desc.p, &dst = desc.dst;
    const bool same = p.ndims == dst.ndims &&
                      std::equal(p.dims.begin(), p.dims.begin() + p.ndims, dst.dims.begin());
    if (desc.has_one_p() || same) return {};
    return invalid("p_desc has the dimensions %s; expected 1, or dst_desc's %s",
                   dims_to_string(p.ndims, p.dims.data()).c_str(),
                   dims_to_string(dst.ndims, dst.dims.data()).c_str());
}

}  // namespace

std::vector<ArgSpec> RandomBernoulliDesc::args() const {
    const auto match = has_one_p() ? ArgSpec::Match::vector : ArgSpec::Match::exact;
    std::vector<ArgSpec> args = {required_input(TOMBOLA_ARG_P, p, match),
                                 required_output(TOMBOLA_ARG_DST, dst)};
    add_stream_args(args, alignment);
    return args;
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_bernoulli_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc,
    const_tombola_memory_desc_t p_desc, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_attr_t attr) {
    return api_call("random_bernoulli", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        TOMBOLA_TRY(check_alignment(alignment));
        TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
        TOMBOLA_TRY(check_tensor_with_layout(p_desc, "p_desc"));
        const RandomBernoulliDesc desc{static_cast<Alignment>(alignment),
                                       row_major_if_any(*from_handle(dst_desc)),
                                       *from_handle(p_desc), global_seed, op_seed};
        TOMBOLA_TRY(check_type(desc.dst, "dst_desc",
                               {DataType::u8, DataType::s32, DataType::s64, DataType::f16,
                                DataType::bf16, DataType::f32, DataType::f64}));
        TOMBOLA_TRY(check_type(desc.p, "p_desc", {DataType::f32, DataType::f64}));
        TOMBOLA_TRY(check_p_dims(desc));
        return create_primitive_desc(primitive_desc, engine, desc, attr);
    });
}
