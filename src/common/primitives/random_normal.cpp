// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_normal.hpp"

#include "common/create_primitive_desc.hpp"
#include "common/op_desc.hpp"

namespace tombola::impl {
namespace {

constexpr dim_t kPhiloxStateWords = 2;  // n, op counter
constexpr dim_t kMt19937StateWords = TOMBOLA_MT19937_NORMAL_STATE_WORDS;

}  // namespace

std::vector<ArgSpec> RandomNormalDesc::args() const {
    const bool philox = alignment == Alignment::tensorflow;
    const DataType state_type = philox ? DataType::u64 : DataType::u32;
    const dim_t state_words = philox ? kPhiloxStateWords : kMt19937StateWords;
    return {optional_input(TOMBOLA_ARG_MEAN, dst.data_type, 1),
            optional_input(TOMBOLA_ARG_STD, dst.data_type, 1),
            required_output(TOMBOLA_ARG_DST, dst),
            optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2),
            optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1),
            optional_input(TOMBOLA_ARG_SRC_STATE, state_type, state_words),
            optional_output(TOMBOLA_ARG_DST_STATE, state_type, state_words, TOMBOLA_ARG_SRC_STATE),
            optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS)};
}

}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_random_normal_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, const_tombola_primitive_attr_t attr) {
    return api_call("random_normal", [&]() -> Status {
        TOMBOLA_TRY(check_not_null(primitive_desc, "primitive_desc"));
        TOMBOLA_TRY(check_not_null(engine, "engine"));
        if (alignment != tombola_alignment_tensorflow && alignment != tombola_alignment_pytorch)
            return invalid("alignment is %d; expected tensorflow or pytorch",
                           static_cast<int>(alignment));
        TOMBOLA_TRY(check_tensor(dst_desc, "dst_desc"));
        const MemoryDesc dst = row_major_if_any(*from_handle(dst_desc));
        TOMBOLA_TRY(check_type(dst, "dst_desc",
                               {DataType::f16, DataType::bf16, DataType::f32, DataType::f64}));
        return create_primitive_desc(
            primitive_desc, engine,
            RandomNormalDesc{static_cast<Alignment>(alignment), dst, global_seed, op_seed}, attr);
    });
}
