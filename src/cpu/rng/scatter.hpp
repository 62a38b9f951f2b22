// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies dense runs of elements, in logical row-major order, to their places in a layout, and from there.

#include <cstdint>

#include "common/memory_desc.hpp"

namespace tombola::impl::cpu {

// Writes elements [first, first + count), which lie densely at `from`, into the tensor at `data`.
void scatter(const MemoryDesc& desc, void* data, int64_t first, int64_t count, const void* from);

// Reads elements [first, first + count) of the tensor at `data` into a dense run at `to`.
void gather(const MemoryDesc& desc, const void* data, int64_t first, int64_t count, void* to);

}  // namespace tombola::impl::cpu
