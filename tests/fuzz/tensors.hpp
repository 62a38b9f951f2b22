// SPDX-License-Identifier: Apache-2.0
#pragma once

// Descriptors and values of tensors, made of a fuzzer's bytes.

#include "fuzz/fuzz.hpp"

namespace tombola::fuzz {

using Dims = std::vector<tombola_dim_t>;

// 1 to `most_ndims` sizes, few of them 0, with at most `most_elements` elements.
Dims small_dims(Input& in, int most_ndims, tombola_dim_t most_elements);
// Any of the library's types; now and then a number that is none.
tombola_data_type_t any_type(Input& in);

// Row-major, a tag, permuted, with gaps, in blocks, behind an offset, or left open. Null where the library refuses.
test::MemoryDesc any_layout(Input& in, const Dims& dims, tombola_data_type_t type);
// Descriptors that nothing would want: any numbers at all.
test::MemoryDesc wild_desc(Input& in);

// Fills `bytes` bytes with elements of a type: zeros, numbers from 0 to 1, numbers of both signs and most magnitudes,
// numbers that are special, or any bits.
void fill(Input& in, tombola_data_type_t type, uint8_t* data, size_t bytes);

}  // namespace tombola::fuzz
