// SPDX-License-Identifier: Apache-2.0
#pragma once

// The words of a stream in order, one by one, for the references of all primitives that draw.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "reference/mt19937_reference.hpp"
#include "reference/philox_reference.hpp"
#include "tombola/tombola_random_uniform.h"

namespace tombola::reference {

struct StreamRequest {
    tombola_alignment_t alignment = tombola_alignment_tensorflow;
    uint64_t global_seed = 0, op_seed = 0;
    uint64_t offset = 0;         // in elements
    std::vector<uint8_t> state;  // stream_state_bytes() of them, or none
};

// Bytes of the state tensor: u64[2] {n, op counter}, or u32[625].
size_t stream_state_bytes(tombola_alignment_t alignment);

// Why an operator must refuse the state; empty if it must not.
std::string stream_refusal(const StreamRequest& request);

// The words of one request in order, from the element at the offset on. An element takes `words` of them.
class PhiloxSource {
  public:
    PhiloxSource(const StreamRequest& request, int words);
    uint32_t next();
    // TensorFlow reserves 256 blocks an element, whatever it uses.
    std::vector<uint8_t> state_after(uint64_t count) const;

  private:
    PhiloxCounter start_, counter_;
    PhiloxKey key_;
    std::array<uint32_t, 4> block_;
    size_t word_;
    uint64_t offset_;
};

class MtSource {
  public:
    MtSource(const StreamRequest& request, int words);
    uint32_t next() { return mt_.next(); }
    // After all words of `count` elements have been drawn.
    std::vector<uint8_t> state_after(uint64_t count) const;

  private:
    Mt19937 mt_;
};

// The words of `count` elements. `state_out` is resized to the state after the call, unless null.
std::vector<uint32_t> stream_words(const StreamRequest& request, int words, uint64_t count,
                                   std::vector<uint8_t>* state_out);

}  // namespace tombola::reference
