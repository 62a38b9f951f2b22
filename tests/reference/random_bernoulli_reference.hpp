// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_bernoulli, element by element from doc/random_bernoulli.md.

#include <cstdint>
#include <string>
#include <vector>

#include "reference/word_source.hpp"
#include "tombola/tombola_types.h"

namespace tombola::reference {

struct BernoulliRequest : StreamRequest {
    tombola_data_type_t type = tombola_f32;
    tombola_data_type_t p_type = tombola_f32;  // tombola_f32 or tombola_f64
    bool one_p = true;                         // one probability for all elements
    std::vector<double> p;                     // in logical order; values of p_type
};

// Why the operator must refuse these values; empty if it must not.
std::string bernoulli_refusal(const BernoulliRequest& request);

// `count` elements in logical order. `state_out` is resized to the state after the call, unless null.
void random_bernoulli_reference(const BernoulliRequest& request, uint64_t count, void* dst,
                                std::vector<uint8_t>* state_out);

}  // namespace tombola::reference
