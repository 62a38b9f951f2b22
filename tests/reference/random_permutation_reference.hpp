// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_permutation, element by element from its definition (doc/random_permutation.md), for both alignments.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tombola/tombola_random_permutation.h"

namespace tombola::reference {

struct PermutationRequest {
    tombola_permutation_alignment_t alignment = tombola_permutation_pytorch;
    int64_t range = 0;
    uint64_t global_seed = 0, op_seed = 0;
    uint64_t offset = 0;
    std::vector<uint8_t> state;  // permutation_state_bytes() of them, or none
};

// Bytes of the state tensor: u64[2] {n, op counter}, or u32[625].
size_t permutation_state_bytes(tombola_permutation_alignment_t alignment);

// Why the operator must refuse these values for `count` elements; empty if it must not.
std::string permutation_refusal(const PermutationRequest& request, int64_t count);

// Elements offset ... offset + count - 1. `state_out` is resized to the state after the call, unless null.
std::vector<int64_t> random_permutation_reference(const PermutationRequest& request, int64_t count,
                                                  std::vector<uint8_t>* state_out);

}  // namespace tombola::reference
