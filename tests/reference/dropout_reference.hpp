// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dropout, element by element from its definition.

#include <cstdint>
#include <string>
#include <vector>

#include "tombola/tombola_types.h"

namespace tombola::reference {

struct DropoutRequest {
    tombola_data_type_t type = tombola_f32;
    int draw_bits = 32;
    float p = 0.5f;
    uint64_t global_seed = 0, op_seed = 0;
    uint64_t offset = 0;  // in elements
};

// Why the operator must refuse P; empty if it must not.
std::string dropout_refusal(float p);

// For each of `count` elements whether it is kept.
std::vector<bool> dropout_keeps(const DropoutRequest& request, uint64_t count);

// `count` elements in logical order, which the mask keeps or drops.
void dropout_reference(const DropoutRequest& request, const std::vector<bool>& keeps,
                       const void* src, void* dst);

// The mask as MASK holds it: a byte for each element, or a bit, the lowest first.
std::vector<uint8_t> dropout_mask_bytes(const std::vector<bool>& keeps);
std::vector<uint8_t> dropout_mask_bits(const std::vector<bool>& keeps);

}  // namespace tombola::reference
