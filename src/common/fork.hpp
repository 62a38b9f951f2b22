// SPDX-License-Identifier: Apache-2.0
#pragma once

// What keeps the library usable in a child of fork(). The child has one thread, the one that forked, and a copy of the
// memory as it was at that moment: locks that other threads held stay locked for ever, what they were changing stays
// half-changed, and the workers of a threading run-time are gone.
//
// - fork() waits until no thread is inside a ForkHold, and threads wait at its beginning while one forks. Everything
//   that takes a lock of the library or changes its caches holds one. Executions hold none.
// - fork() takes every ForkMutex. What needs only such a lock needs no hold, and is faster without one: a look-up of a
//   primitive that exists (primitive_cache.hpp).
// - forked_from_threads() tells the run-times that their workers may be gone.

#include <mutex>

namespace tombola::impl {

// While an object lives, no other thread forks. They may be nested.
class ForkHold {
  public:
    ForkHold();
    ~ForkHold();
    ForkHold(const ForkHold&) = delete;
    ForkHold& operator=(const ForkHold&) = delete;
};

// A mutex that is made inside a ForkHold and never destroyed. Nothing that begins a hold, forks or takes another ForkMutex
// may run under it, unless a hold has begun before.
class ForkMutex {
  public:
    ForkMutex();
    ForkMutex(const ForkMutex&) = delete;
    ForkMutex& operator=(const ForkMutex&) = delete;
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    ForkMutex* next() const { return next_; }  // in the list of all

  private:
    std::mutex mutex_;
    ForkMutex* next_;
};

// Whether this process is the child of one that had several threads when it forked, or a child of such a child.
bool forked_from_threads();

}  // namespace tombola::impl
