// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the primitives share that draw TensorFlow's or PyTorch's numbers into a tensor: the arguments that say where the
// stream stands.

#include <vector>

#include "common/arg_spec.hpp"
#include "common/status.hpp"
#include "common/types.hpp"

namespace tombola::impl {

// Adds the optional SEEDS, OFFSET, SRC_STATE, DST_STATE and DST_SEEDS.
void add_stream_args(std::vector<ArgSpec>& args, Alignment alignment);

// Refuses a value of the C enumeration that is no alignment.
Status check_alignment(tombola_alignment_t alignment);

}  // namespace tombola::impl
