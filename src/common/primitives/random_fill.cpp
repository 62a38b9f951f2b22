// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/random_fill.hpp"

#include "common/create_primitive_desc.hpp"

namespace tombola::impl {
namespace {

constexpr dim_t kPhiloxStateWords = 2;  // n, op counter

}  // namespace

Status set_fill(RandomFillDesc& desc, tombola_alignment_t alignment,
                const_tombola_memory_desc_t dst_desc, uint64_t global_seed, uint64_t op_seed,
                DataTypes types) {
    TOMBOLA_TRY(set_enum(desc.alignment, alignment, "alignment"));
    desc.global_seed = global_seed;
    desc.op_seed = op_seed;
    return set_filled(desc.dst, dst_desc, "dst_desc", types);
}

void add_stream_args(std::vector<ArgSpec>& args, bool is_philox, dim_t mt19937_state_words) {
    const DataType type = is_philox ? DataType::u64 : DataType::u32;
    const dim_t words = is_philox ? kPhiloxStateWords : mt19937_state_words;
    args.push_back(optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2));
    args.push_back(optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1));
    args.push_back(optional_input(TOMBOLA_ARG_SRC_STATE, type, words));
    args.push_back(optional_output(TOMBOLA_ARG_DST_STATE, type, words, TOMBOLA_ARG_SRC_STATE));
    args.push_back(optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS));
}

}  // namespace tombola::impl
