// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies dense runs of elements, in logical row-major order, to their places in a layout.

#include <cstdint>

#include "common/memory_desc.hpp"

namespace tombola::impl::cpu {

// Writes elements [first, first + count), which lie densely at `from`, into the tensor at `data`.
void scatter(const MemoryDesc& desc, void* data, int64_t first, int64_t count, const void* from);

}  // namespace tombola::impl::cpu
