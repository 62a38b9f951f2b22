// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/stochastic_rounding.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

constexpr std::array kSourceTypes{DataType::f32};

}  // namespace

std::vector<ArgSpec> StochasticRoundingDesc::args() const {
    return {required_input(TOMBOLA_ARG_SRC, src), required_output(TOMBOLA_ARG_DST, dst),
            optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2),
            optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1),
            optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS)};
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_stochastic_rounding_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t src_desc, const_tombola_memory_desc_t dst_desc,
    uint64_t global_seed, uint64_t op_seed, const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<StochasticRoundingDesc>(
        primitive_desc, engine, attr, [&](StochasticRoundingDesc& desc) -> Status {
            TOMBOLA_TRY(check_tensor_with_layout(src_desc, "src_desc"));
            desc.src = *from_handle(src_desc);
            desc.global_seed = global_seed;
            desc.op_seed = op_seed;
            TOMBOLA_TRY(check_type(desc.src, "src_desc", kSourceTypes));
            TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
            const MemoryDesc& dst = *from_handle(dst_desc);
            TOMBOLA_TRY(check_type(dst, "dst_desc", desc.kTypes));
            if (!same_dims(dst, desc.src))
                return invalid("dst_desc is %s; expected %s, as src_desc",
                               dims_to_string(dst).c_str(), dims_to_string(desc.src).c_str());
            desc.dst = dst.is_any() ? desc.src : dst;
            desc.dst.data_type = dst.data_type;
            return {};
        });
}
