// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scratch memory of scratchpad mode library: one buffer per thread. It grows to the largest size that was requested on
// the thread, and is freed when the thread ends. Primitive creation reserves it, so an execution on the same
// thread allocates nothing; the first execution on another thread may.

#include <cstddef>

namespace tombola::impl {

// The alignment of every scratchpad, also of the caller's.
constexpr size_t kScratchpadAlignment = 64;

// Returns at least `bytes` bytes with that alignment; null when memory is out or bytes is 0.
void* thread_scratchpad(size_t bytes);

// Memory aligned to 64 bytes; null when memory is out. Freed with aligned_free. More than 32 MiB asks for pages of
// 2 MiB (transparent huge pages, where the system gives them to those who ask).
void* aligned_malloc(size_t bytes);
void aligned_free(void* data);

}  // namespace tombola::impl
