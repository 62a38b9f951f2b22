// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_normal, written from doc/random_normal.md, for both alignments.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/numeric.hpp"
#include "reference/word_source.hpp"
#include "tombola/tombola_random_normal.h"

namespace tombola::reference {

// The state is normal_state_bytes() bytes, or none.
struct NormalRequest : StreamRequest {
    tombola_data_type_t type = tombola_f32;
    double mean = 0, std = 1;  // numbers of the type
};

// Bytes of the state tensor: u64[2] {n, op counter}, or u32[628].
size_t normal_state_bytes(tombola_alignment_t alignment);

// Why the operator must refuse these values for `count` elements; empty if it must not.
std::string normal_refusal(const NormalRequest& request, uint64_t count);

// `count` elements in logical order. `state_out` is resized to the state after the call, unless null.
void random_normal_reference(const NormalRequest& request, uint64_t count, void* dst,
                             std::vector<uint8_t>* state_out);

}  // namespace tombola::reference
