// SPDX-License-Identifier: Apache-2.0
#include "common/primitives/stream_args.hpp"

#include "tombola/tombola_random_uniform.h"

namespace tombola::impl {
namespace {

constexpr dim_t kPhiloxStateWords = 2;  // n, op counter
constexpr dim_t kMt19937StateWords = TOMBOLA_MT19937_STATE_WORDS;

}  // namespace

void add_stream_args(std::vector<ArgSpec>& args, Alignment alignment) {
    const bool philox = alignment == Alignment::tensorflow;
    const DataType type = philox ? DataType::u64 : DataType::u32;
    const dim_t words = philox ? kPhiloxStateWords : kMt19937StateWords;
    args.push_back(optional_input(TOMBOLA_ARG_SEEDS, DataType::u64, 2));
    args.push_back(optional_input(TOMBOLA_ARG_OFFSET, DataType::u64, 1));
    args.push_back(optional_input(TOMBOLA_ARG_SRC_STATE, type, words));
    args.push_back(optional_output(TOMBOLA_ARG_DST_STATE, type, words, TOMBOLA_ARG_SRC_STATE));
    args.push_back(optional_output(TOMBOLA_ARG_DST_SEEDS, DataType::u64, 2, TOMBOLA_ARG_SEEDS));
}

Status check_alignment(tombola_alignment_t alignment) {
    if (alignment == tombola_alignment_tensorflow || alignment == tombola_alignment_pytorch)
        return {};
    return invalid("alignment is %d; expected tensorflow or pytorch", static_cast<int>(alignment));
}

}  // namespace tombola::impl
