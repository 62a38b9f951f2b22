// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stores that bypass the caches ("streaming" stores): when they are used, and how they end.
//
// Other threads may see such stores late, until the thread that stored executes a fence. So the permission to stream is
// an object, and its end is the fence:
//
//     const StreamingStores stores(bypasses_caches(bytes));
//     generate(to, stores.allowed());     // any number of calls
//
// One fence serves a whole run of a tensor: a fence waits until its stores have reached memory, so that one after each
// chunk of a few KiB would make a large tensor slower.

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/machine.hpp"
#include "common/parallel.hpp"

namespace tombola::impl::cpu {

// Whether a tensor is so large that it does not stay in the caches. Stores that bypass the caches do not read the memory
// first.
inline bool bypasses_caches(size_t bytes) { return bytes >= machine_sizes().streaming_bytes; }

// Work that computes for `computing` nanoseconds, reads and writes `bytes` bytes in all, and writes `streamed` of them past the caches.
inline Work work_of(double computing, size_t bytes, size_t streamed) {
    const double shared = machine_sizes().shared_stores;
    const double least = shared > 0 ? static_cast<double>(streamed) / shared : 0;
    return {std::max({computing, moving(bytes).nanoseconds, least}), least};
}

class StreamingStores {
  public:
    explicit StreamingStores(bool allowed) : allowed_(allowed) {}
    ~StreamingStores() {
#if defined(__x86_64__)
        if (allowed_) _mm_sfence();
#endif
    }
    StreamingStores(const StreamingStores&) = delete;
    StreamingStores& operator=(const StreamingStores&) = delete;

    bool allowed() const { return allowed_; }

  private:
    bool allowed_;
};

// The size in bytes of a cache line. The first streaming store of a kernel is aligned to it.
inline constexpr uintptr_t kStreamingAlignment = 64;

// Whether an address is a multiple of `alignment`, a power of two.
inline bool is_aligned(const void* address, int64_t alignment) {
    return (reinterpret_cast<uintptr_t>(address) & static_cast<uintptr_t>(alignment - 1)) == 0;
}

// The number of bytes from the start of a line to an address.
inline uintptr_t bytes_into_line(const void* address) {
    return reinterpret_cast<uintptr_t>(address) % kStreamingAlignment;
}

}  // namespace tombola::impl::cpu
