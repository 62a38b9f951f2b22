// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_permutation.hpp"

#include <cinttypes>

#include "common/create_primitive_desc.hpp"
#include "common/op_desc.hpp"

namespace tombola::impl {
namespace {

constexpr dim_t kPhiloxStateWords = 2;  // n, op counter
constexpr dim_t kMt19937StateWords = TOMBOLA_MT19937_STATE_WORDS;
constexpr dim_t kMaxRangeS32 = INT64_C(0x80000000);  // the greatest element is 2^31 - 1

Status check_permutation(PermutationAlignment alignment, const MemoryDesc& dst, dim_t range) {
    if (dst.ndims != 1) return invalid("dst_desc has %d dimensions; expected 1", dst.ndims);
    TOMBOLA_TRY(check_type(dst, "dst_desc", {DataType::s32, DataType::s64}));
    if (range < dst.dims[0])
        return invalid("range is %" PRId64 "; expected at least %" PRId64
                       ", the number of elements of dst_desc",
                       int64_t{range}, int64_t{dst.dims[0]});
    if (dst.data_type == DataType::s32 && range > kMaxRangeS32)
        return invalid("dst_desc has the data type s32; expected s64 for a range of %" PRId64,
                       int64_t{range});
    if (alignment == PermutationAlignment::pytorch && range >= TOMBOLA_PYTORCH_PERMUTATION_LIMIT)
        return invalid("range is %" PRId64 "; expected less than %d under the pytorch alignment",
                       int64_t{range}, TOMBOLA_PYTORCH_PERMUTATION_LIMIT);
    return {};
}

}  // namespace

std::vector<ArgSpec> RandomPermutationDesc::args() const {
    const bool philox = alignment == PermutationAlignment::philox;
    const DataType state_type = philox ? DataType::u64 : DataType::u32;
    const dim_t state_words = philox ? kPhiloxStateWords : kMt19937StateWords;
    return {required_output(TOMBOLA_ARG_DST, dst),
            optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2),
            optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1),
            optional_input(TOMBOLA_ARG_SRC_STATE, state_type, state_words),
            optional_output(TOMBOLA_ARG_DST_STATE, state_type, state_words, TOMBOLA_ARG_SRC_STATE),
            optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS)};
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_permutation_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_permutation_alignment_t alignment, const_tombola_memory_desc_t dst_desc,
    tombola_dim_t range, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_attr_t attr) {
    return api_call("random_permutation", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        if (alignment != tombola_permutation_pytorch && alignment != tombola_permutation_philox)
            return invalid("alignment is %d; expected pytorch or philox",
                           static_cast<int>(alignment));
        TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
        const MemoryDesc dst = row_major_if_any(*from_handle(dst_desc));
        const auto kind = static_cast<PermutationAlignment>(alignment);
        TOMBOLA_TRY(check_permutation(kind, dst, range));
        return create_primitive_desc(primitive_desc, engine,
                                     RandomPermutationDesc{kind, dst, range, global_seed, op_seed},
                                     attr);
    });
}
