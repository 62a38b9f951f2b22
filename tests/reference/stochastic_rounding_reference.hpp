// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stochastic rounding, element by element from its definition, in real numbers.

#include <cstdint>

#include "tombola/tombola_types.h"

namespace tombola::reference {

struct RoundingRequest {
    tombola_data_type_t type = tombola_bf16;  // of the result: bf16 or f16
    uint64_t global_seed = 0, op_seed = 0;
    uint64_t offset = 0;  // in elements
};

// One element: x, given by its bits, with the draw of 16 bits.
uint16_t stochastic_round(tombola_data_type_t type, uint32_t x_bits, uint32_t draw);

// `count` elements in logical order.
void stochastic_rounding_reference(const RoundingRequest& request, uint64_t count, const void* src,
                                   void* dst);

}  // namespace tombola::reference
