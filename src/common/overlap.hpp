// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/memory_desc.hpp"

namespace tombola::impl {

// Whether two tensors have a byte in common. Padding belongs to a tensor; the gaps of a strided layout do not. `a` and
// `b` are the addresses of the first elements.
//
// The answer is exact if the search for a common byte takes at most kMaxOverlapSteps steps. Strides that differ very
// much may need more. In that case the answer is true.
constexpr int kMaxOverlapSteps = 10000;
bool overlap(const void* a, const MemoryDesc& a_desc, const void* b, const MemoryDesc& b_desc);

}  // namespace tombola::impl
