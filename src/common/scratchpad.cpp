// SPDX-License-Identifier: Apache-2.0
#include "common/scratchpad.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdlib>
#include <utility>

namespace tombola::impl {
namespace {

// Above this size, the greatest mmap threshold of glibc, each allocation is a new mapping whose pages do not exist yet.
// Large pages then save page faults at first use and page-table walks later. A smaller block may reuse a freed block
// with its pages. Alignment to large pages would prevent that.
constexpr size_t kLargePagesBytes = size_t{32} << 20;
constexpr size_t kLargePage = size_t{2} << 20;

// It has no destructor: static objects are destroyed after the main thread's thread_local objects, and their
// destructors may still execute primitives.
thread_local Scratchpad scratchpad = {nullptr, 0};

void free_scratchpad() {
    aligned_free(scratchpad.data);
    scratchpad = {nullptr, 0};
}

// A POSIX key frees a thread's scratchpad when the thread ends. A thread_local object with a destructor is not used,
// because registering that destructor ends the process if there is no memory left. The key is deleted when the library
// is unloaded, which may be before the thread ends.
pthread_key_t thread_end;
bool thread_end_is_known = false;
const struct ThreadEndKey {
    ThreadEndKey() {
        thread_end_is_known =
            pthread_key_create(&thread_end, [](void*) { free_scratchpad(); }) == 0;
    }
    ~ThreadEndKey() {
        if (std::exchange(thread_end_is_known, false)) pthread_key_delete(thread_end);
    }
} key;

}  // namespace

void* aligned_malloc(size_t bytes) {
    void* data = nullptr;
    const bool large = bytes > kLargePagesBytes;
    if (posix_memalign(&data, large ? kLargePage : kScratchpadAlignment, bytes == 0 ? 1 : bytes) !=
        0)
        return nullptr;
#ifdef MADV_HUGEPAGE
    if (large) madvise(data, bytes, MADV_HUGEPAGE);  // only a hint; small pages work too
#endif
    return data;
}

void aligned_free(void* data) { std::free(data); }

void* thread_scratchpad(size_t bytes) {
    if (bytes == 0) return nullptr;
    if (bytes > scratchpad.bytes) {
        free_scratchpad();  // before the allocation: nothing in it is kept
        scratchpad.data = aligned_malloc(bytes);
        scratchpad.bytes = scratchpad.data != nullptr ? bytes : 0;
        if (thread_end_is_known && pthread_setspecific(thread_end, scratchpad.data) != 0)
            free_scratchpad();  // there is no memory left
    }
    return scratchpad.data;
}

Scratchpad take_thread_scratchpad() { return std::exchange(scratchpad, {nullptr, 0}); }

void give_thread_scratchpad(Scratchpad taken) {
    aligned_free(scratchpad.data);
    scratchpad = taken;
    // On another thread than before. If there is no memory left, the scratchpad stays when the thread ends.
    if (taken.data != nullptr && thread_end_is_known && pthread_getspecific(thread_end) == nullptr)
        pthread_setspecific(thread_end, taken.data);
}

}  // namespace tombola::impl
