// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scratch memory of scratchpad mode library: one buffer a thread, which grows to the largest size that the
// thread was asked for and is freed with the thread. Primitive creation reserves it, so an execution on the same
// thread allocates nothing; the first execution on another thread may.

#include <cstddef>

namespace tombola::impl {

// What every scratchpad is aligned to, the caller's too.
constexpr size_t kScratchpadAlignment = 64;

// At least `bytes` bytes, aligned so; null when memory is out or bytes is 0.
void* thread_scratchpad(size_t bytes);

// Memory aligned to 64 bytes; null when memory is out. Freed with aligned_free. More than 32 MiB asks for pages of
// 2 MiB (transparent huge pages, where the system gives them to those who ask).
void* aligned_malloc(size_t bytes);
void aligned_free(void* data);

}  // namespace tombola::impl
