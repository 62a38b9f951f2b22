// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_bernoulli.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

constexpr std::array kProbabilityTypes{DataType::f32, DataType::f64};

}  // namespace

std::vector<ArgSpec> RandomBernoulliDesc::args() const {
    // A blocked layout of one element is no vector.
    const bool vector = has_one_p() && !p.is_blocked();
    const auto match = vector ? ArgSpec::Match::vector : ArgSpec::Match::exact;
    std::vector<ArgSpec> args = {required_input(TOMBOLA_ARG_P, p, match),
                                 required_output(TOMBOLA_ARG_DST, dst)};
    add_stream_args(args, alignment == Alignment::tensorflow);
    return args;
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_bernoulli_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc,
    const_tombola_memory_desc_t p_desc, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<RandomBernoulliDesc>(
        primitive_desc, engine, attr, [&](RandomBernoulliDesc& desc) -> Status {
            TOMBOLA_TRY(set_fill(desc, alignment, dst_desc, global_seed, op_seed, desc.kTypes));
            TOMBOLA_TRY(check_tensor_with_layout(p_desc, "p_desc"));
            desc.p = *from_handle(p_desc);
            TOMBOLA_TRY(check_type(desc.p, "p_desc", kProbabilityTypes));
            if (desc.has_one_p() || same_dims(desc.p, desc.dst)) return {};
            return invalid("p_desc has the dimensions %s; expected 1, or dst_desc's %s",
                           dims_to_string(desc.p).c_str(), dims_to_string(desc.dst).c_str());
        });
}
