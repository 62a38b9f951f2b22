// SPDX-License-Identifier: Apache-2.0
#pragma once

// multinomial from doc/multinomial.md, class by class: weights as integers by exact arithmetic on significands
// and exponents, sums in 128 bits, and a linear search for each sample.

#include <cstdint>
#include <string>
#include <vector>

#include "tombola/tombola_types.h"

namespace tombola::reference {

struct MultinomialRequest {
    tombola_data_type_t type = tombola_f32;  // of probs
    bool with_replacement = true;
    bool log_probs = false;
    int64_t batch = 0, classes = 0, samples = 0;
    uint64_t global_seed = 0, op_seed = 0;
    uint64_t offset = 0;           // in samples
    std::vector<double> uniforms;  // batch * samples of them, or none: the stream's
};

// e^d for d <= 0 as doc/multinomial.md spells it out, in f32 and in f64.
float weight_exp_f32(float d);
double weight_exp_f64(double d);

// The integers of one row. `probs` are the row's elements. Empty, with the reason in `refusal`, for a row that
// is no distribution.
std::vector<uint64_t> multinomial_weights(const MultinomialRequest& request, const void* probs,
                                          std::string& refusal);

// t = max(1, ceil(u * sum)).
uint64_t multinomial_target(double u, uint64_t sum);

// Why the operator must refuse these values, with the row ("row 3, class 17: ..."); empty if it must not.
std::string multinomial_refusal(const MultinomialRequest& request, const void* probs);

// Draws all rows: indices receives batch * samples classes, or none, with the refusal returned.
std::string multinomial_reference(const MultinomialRequest& request, const void* probs,
                                  std::vector<int64_t>& indices);

}  // namespace tombola::reference
