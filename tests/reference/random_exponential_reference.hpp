// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_exponential, element by element from doc/random_exponential.md.

#include <cstdint>
#include <string>
#include <vector>

#include "reference/word_source.hpp"
#include "tombola/tombola_types.h"

namespace tombola::reference {

struct ExponentialRequest : StreamRequest {
    tombola_data_type_t type = tombola_f32;
    double lambda = 1;
};

// Why the operator must refuse these values; empty if it must not.
std::string exponential_refusal(const ExponentialRequest& request);

// `count` elements in logical order. `state_out` is resized to the state after the call, unless null.
void random_exponential_reference(const ExponentialRequest& request, uint64_t count, void* dst,
                                  std::vector<uint8_t>* state_out);

}  // namespace tombola::reference
