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

// Cuts a scratchpad into arrays, each of which has that alignment. Without memory it only counts bytes, and its arrays are null. So one
// constructor of arrays serves both to tell how many bytes they take and to place them.
class Arena {
  public:
    explicit Arena(void* memory = nullptr) : memory_(static_cast<char*>(memory)) {}
    template <class T>
    T* take(size_t count) {
        auto* array = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
        bytes_ += aligned_size(count * sizeof(T));
        return array;
    }
    size_t bytes() const { return bytes_; }  // of all arrays

  private:
    char* memory_;
    size_t bytes_ = 0;
};

// Returns at least `bytes` bytes with that alignment; null if there is no memory left or `bytes` is 0.
void* thread_scratchpad(size_t bytes);

struct Scratchpad {
    void* data;
    size_t bytes;
};
// Takes the scratchpad of the calling thread away. An execution does so while it waits for others: the thread may run another execution
// meanwhile, and this one may continue on another thread.
Scratchpad take_thread_scratchpad();
// Makes it the scratchpad of the calling thread, in place of the one that this thread has.
void give_thread_scratchpad(Scratchpad taken);

// Returns memory aligned to 64 bytes, which aligned_free() frees; null if there is no memory left. An allocation of
// more than 32 MiB is aligned to 2 MiB and asks the system for transparent huge pages of that size.
void* aligned_malloc(size_t bytes);
void aligned_free(void* data);

}  // namespace tombola::impl
