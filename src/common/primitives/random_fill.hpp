// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fills share. A fill is a primitive that draws a tensor of numbers from TensorFlow's or PyTorch's stream.
// Fills share the fields of the descriptor, its checks, and the arguments that give the position in the stream.

#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct RandomFillDesc {
    Alignment alignment = Alignment::tensorflow;
    MemoryDesc dst;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    static constexpr auto fields() {
        return std::make_tuple(field("alignment", &RandomFillDesc::alignment),
                               field("dst", &RandomFillDesc::dst),
                               default_field("global_seed", &RandomFillDesc::global_seed),
                               default_field("op_seed", &RandomFillDesc::op_seed));
    }
};

// Sets the fields from the arguments of a C function. Refuses a value that is no alignment, a destination that is no
// tensor, and every data type that is not in `types`.
Status set_fill(RandomFillDesc& desc, tombola_alignment_t alignment,
                const_tombola_memory_desc_t dst_desc, uint64_t global_seed, uint64_t op_seed,
                DataTypes types);

// Adds the optional SEEDS, OFFSET, SRC_STATE, DST_STATE and DST_SEEDS. The states are those of Philox, {n, op counter},
// or `mt19937_state_words` of MT19937.
void add_stream_args(std::vector<ArgSpec>& args, bool is_philox,
                     dim_t mt19937_state_words = TOMBOLA_MT19937_STATE_WORDS);

}  // namespace tombola::impl
