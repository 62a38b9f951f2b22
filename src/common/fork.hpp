// SPDX-License-Identifier: Apache-2.0
#pragma once

// What keeps the library usable in a child of fork(). The child has one thread, the one that forked, and a copy of the
// memory as it was at that moment. Locks that other threads held stay locked for ever, data that they were changing
// stays half-changed, and the workers of a threading run-time do not exist.
//
// - fork() waits until no thread is inside a ForkHold. While a thread forks, other threads wait before their hold.
//   Outside executions, code that takes a std::mutex of the library or stores in its caches is inside a ForkHold.
// - fork() locks every ForkMutex. So code that takes only a ForkMutex needs no hold, and is faster without one. The
//   look-up of a primitive that exists is such code (primitive_cache.hpp).
// - The guard of a static object in a function is a lock, too. So such an object is made inside a ForkHold: by made_once(), or
//   in code that is inside one anyway. Constants that need no code to be made have no guard.
// - forked_from_threads() tells the threading run-times that their workers may not exist.

#include <atomic>
#include <mutex>
#include <type_traits>

namespace tombola::impl {

// While an object lives, no other thread forks. Holds may be nested.
class ForkHold {
  public:
    ForkHold();
    ~ForkHold();
    ForkHold(const ForkHold&) = delete;
    ForkHold& operator=(const ForkHold&) = delete;
};

// A mutex that is made inside a ForkHold and never destroyed. Code that holds it must not begin a ForkHold, fork or
// take another ForkMutex, unless it took the mutex inside a ForkHold.
class ForkMutex {
  public:
    ForkMutex();
    ForkMutex(const ForkMutex&) = delete;
    ForkMutex& operator=(const ForkMutex&) = delete;
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    ForkMutex* next() const { return next_; }  // in the list of all ForkMutexes

  private:
    std::mutex mutex_;
    ForkMutex* next_;
};

// Returns what the first call of make() returned. `make` is a lambda: each lambda in the source has its own value. Objects with a
// destructor are made on the heap and never destroyed, because static objects and threads may use the library until the process ends.
template <class Make>
const auto& made_once(const Make& make) {
    using Value = std::decay_t<decltype(make())>;
    static_assert(std::is_trivially_destructible_v<Value>);
    static std::atomic<const Value*> existing{nullptr};
    if (const Value* found = existing.load(std::memory_order_acquire)) return *found;
    const ForkHold hold;
    static const Value value = make();
    existing.store(&value, std::memory_order_release);
    return value;
}

// Whether this process is the child of one that had several threads when it forked, or a child of such a child.
bool forked_from_threads();

}  // namespace tombola::impl
