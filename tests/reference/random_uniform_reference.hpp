// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_uniform, element by element from its definition, for both alignments.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/numeric.hpp"
#include "tombola/tombola_random_uniform.h"

namespace tombola::reference {

struct UniformRequest {
    tombola_alignment_t alignment = tombola_alignment_tensorflow;
    tombola_int_draws_t int_draws = tombola_int_draws_spec;
    tombola_data_type_t type = tombola_f32;
    Scalar min{}, max{};
    uint64_t global_seed = 0, op_seed = 0;
    uint64_t offset = 0;         // in elements
    std::vector<uint8_t> state;  // state_bytes() of them, or none
};

// Bytes of the state tensor: u64[2] {n, op counter}, or u32[625].
size_t uniform_state_bytes(tombola_alignment_t alignment);

// Why the operator must refuse these values; empty if it must not.
std::string uniform_refusal(const UniformRequest& request);

// Words that one element takes.
int uniform_words(const UniformRequest& request);

// `count` elements in logical order. `state_out` is resized to the state after the call, unless null.
void random_uniform_reference(const UniformRequest& request, uint64_t count, void* dst,
                              std::vector<uint8_t>* state_out);

}  // namespace tombola::reference
