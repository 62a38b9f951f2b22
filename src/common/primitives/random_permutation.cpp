// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_permutation.hpp"

#include "common/create_primitive_desc.hpp"
#include "common/primitives/random_fill.hpp"

namespace tombola::impl {
namespace {

constexpr dim_t kMaxRangeS32 = INT64_C(0x80000000);  // the greatest element is 2^31 - 1

Status check_permutation(PermutationAlignment alignment, const MemoryDesc& dst, dim_t range) {
    if (dst.ndims != 1) return invalid("dst_desc has %d dimensions; expected 1", dst.ndims);
    if (range < dst.dims[0])
        return invalid("range is %lld; expected at least %lld, the number of elements of dst_desc",
                       range, dst.dims[0]);
    if (dst.data_type == DataType::s32 && range > kMaxRangeS32)
        return invalid("dst_desc has the data type s32; expected s64 for a range of %lld", range);
    if (alignment == PermutationAlignment::pytorch && range >= TOMBOLA_PYTORCH_PERMUTATION_LIMIT)
        return invalid("range is %lld; expected less than %d under the pytorch alignment", range,
                       TOMBOLA_PYTORCH_PERMUTATION_LIMIT);
    return {};
}

}  // namespace

std::vector<ArgSpec> RandomPermutationDesc::args() const {
    std::vector<ArgSpec> args = {required_output(TOMBOLA_ARG_DST, dst)};
    add_stream_args(args, alignment == PermutationAlignment::philox);
    return args;
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_permutation_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_permutation_alignment_t alignment, const_tombola_memory_desc_t dst_desc,
    tombola_dim_t range, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_attr_t attr) {
    return create_primitive_desc<RandomPermutationDesc>(
        primitive_desc, engine, attr, [&](RandomPermutationDesc& desc) -> Status {
            TOMBOLA_TRY(set_enum(desc.alignment, alignment, "alignment"));
            desc.range = range;
            desc.global_seed = global_seed;
            desc.op_seed = op_seed;
            TOMBOLA_TRY(set_filled(desc.dst, dst_desc, "dst_desc", desc.kTypes));
            return check_permutation(desc.alignment, desc.dst, range);
        });
}
