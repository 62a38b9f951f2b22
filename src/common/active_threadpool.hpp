// SPDX-License-Identifier: Apache-2.0
#pragma once

// The caller's thread pool during an execution. tombola_primitive_execute() sets it from the stream, and
// parallel_threadpool.cpp reads it, so the functions in between do not have to pass it on.

#include "tombola/tombola_threadpool_iface.hpp"

namespace tombola::impl {

inline threadpool_interop::threadpool_iface*& active_threadpool() {
    thread_local threadpool_interop::threadpool_iface* pool = nullptr;
    return pool;
}

// Makes `pool`, which may be null, the active pool of this thread for as long as the object lives.
class ActiveThreadpool {
  public:
    explicit ActiveThreadpool(threadpool_interop::threadpool_iface* pool)
        : before_(active_threadpool()) {
        active_threadpool() = pool;
    }
    ~ActiveThreadpool() { active_threadpool() = before_; }
    ActiveThreadpool(const ActiveThreadpool&) = delete;
    ActiveThreadpool& operator=(const ActiveThreadpool&) = delete;

  private:
    threadpool_interop::threadpool_iface* before_;
};

}  // namespace tombola::impl
