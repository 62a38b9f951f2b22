// SPDX-License-Identifier: Apache-2.0
#include "common/scratchpad.hpp"

#include <cstdlib>
#include <memory>

namespace tombola::impl {
namespace {

constexpr size_t kAlignment = 64;

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
    return posix_memalign(&data, kAlignment, bytes == 0 ? 1 : bytes) == 0 ? data : nullptr;
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
