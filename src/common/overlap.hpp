// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

namespace tombola::impl {

// Whether two tensors have a byte in common; padding counts, the gaps of strided layouts do not. `a` and `b` are the
// addresses of the first elements.
//
// The answer is exact, unless the layouts' strides are so different that the search for a common byte takes more than
// kMaxOverlapSteps steps. In that case the answer is true.
constexpr int kMaxOverlapSteps = 10000;
bool overlap(const void* a, const MemoryDesc& a_desc, const void* b, const MemoryDesc& b_desc);

}  // namespace tombola::impl
