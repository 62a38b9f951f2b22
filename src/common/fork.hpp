// SPDX-License-Identifier: Apache-2.0
#pragma once

// What keeps the library usable in a child of fork(). The child has one thread, the one that forked, and a copy of the
// memory as it was at that moment: locks that other threads held stay locked for ever, what they were changing stays
// half-changed, and the workers of a threading run-time are gone.
//
// - fork() waits until no thread is inside a ForkHold, and threads wait at its beginning while one forks. Everything
//   that takes a lock of the library or changes its caches holds one. Executions hold none.
// - forked_from_threads() tells the run-times that their workers may be gone.

namespace tombola::impl {

// While an object lives, no other thread forks. They may be nested.
class ForkHold {
  public:
    ForkHold();
    ~ForkHold();
    ForkHold(const ForkHold&) = delete;
    ForkHold& operator=(const ForkHold&) = delete;
};

// Whether this process is the child of one that had several threads when it forked, or a child of such a child.
bool forked_from_threads();

}  // namespace tombola::impl
