// SPDX-License-Identifier: Apache-2.0
#include "common/scratchpad.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <memory>

namespace tombola::impl {
namespace {

constexpr size_t kAlignment = 64;

// Beyond this size glibc maps every allocation afresh (its mmap threshold grows no further), so all of its pages
// are still to come, and large ones save page faults now and table walks later. Below, a freed block is handed
// out again with its pages, which an alignment to large pages would prevent.
constexpr size_t kLargePagesBytes = size_t{32} << 20;
constexpr size_t kLargePage = size_t{2} << 20;

struct AlignedDeleter {
    void operator()(void* data) const { aligned_free(data); }
};

struct Scratchpad {
    std::unique_ptr<void, AlignedDeleter> data;
    size_t bytes = 0;
};

}  // namespace

void* aligned_malloc(size_t bytes) {
    void* data = nullptr;
    const bool large = bytes > kLargePagesBytes;
    if (posix_memalign(&data, large ? kLargePage : kAlignment, bytes == 0 ? 1 : bytes) != 0)
        return nullptr;
#ifdef MADV_HUGEPAGE
    if (large) madvise(data, bytes, MADV_HUGEPAGE);  // a request: without large pages all is well
#endif
    return data;
}

void aligned_free(void* data) { std::free(data); }

void* thread_scratchpad(size_t bytes) {
    thread_local Scratchpad scratchpad;
    if (bytes == 0) return nullptr;
    if (bytes > scratchpad.bytes) {
        scratchpad.data.reset();  // freed first: nothing in it is kept
        scratchpad.data.reset(aligned_malloc(bytes));
        scratchpad.bytes = scratchpad.data ? bytes : 0;
    }
    return scratchpad.data.get();
}

}  // namespace tombola::impl
