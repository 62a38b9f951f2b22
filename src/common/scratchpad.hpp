// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scratch memory of scratchpad mode library: one buffer per thread. It grows to the largest size that was requested on
// the thread, and is freed when the thread ends. Primitive creation reserves it, so an execution on the same thread
// allocates nothing. The first execution on another thread may allocate.

#include <cstddef>

namespace tombola::impl {

// The alignment of every scratchpad, the caller's included.
constexpr size_t kScratchpadAlignment = 64;

// The bytes that one part of a scratchpad takes so that the part after it has the same alignment.
constexpr size_t aligned_size(size_t bytes) {
    return (bytes + kScratchpadAlignment - 1) / kScratchpadAlignment * kScratchpadAlignment;
}

// Returns at least `bytes` bytes with that alignment; null if there is no memory left or `bytes` is 0.
void* thread_scratchpad(size_t bytes);

// Returns memory aligned to 64 bytes, which aligned_free() frees; null if there is no memory left. An allocation of
// more than 32 MiB is aligned to 2 MiB and asks the system for transparent huge pages of that size.
void* aligned_malloc(size_t bytes);
void aligned_free(void* data);

}  // namespace tombola::impl
