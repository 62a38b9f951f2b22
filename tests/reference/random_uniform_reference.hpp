// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_uniform, element by element from its definition, for both alignments.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/numeric.hpp"
#include "reference/word_source.hpp"
#include "tombola/tombola_random_uniform.h"

namespace tombola::reference {

struct UniformRequest : StreamRequest {
    tombola_int_draws_t int_draws = tombola_int_draws_spec;
    tombola_float_draws_t float_draws = tombola_float_draws_torch1;
    bool full_range = false;  // min and max are not looked at
    tombola_data_type_t type = tombola_f32;
    Scalar min{}, max{};
};

// Why the operator must refuse these values; empty if it must not.
std::string uniform_refusal(const UniformRequest& request);

// Words that one element takes.
int uniform_words(const UniformRequest& request);

// `count` elements in logical order. `state_out` is resized to the state after the call, unless null.
void random_uniform_reference(const UniformRequest& request, uint64_t count, void* dst,
                              std::vector<uint8_t>* state_out);

}  // namespace tombola::reference
