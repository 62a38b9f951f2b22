// SPDX-License-Identifier: Apache-2.0
#pragma once

// The caller's thread pool during an execution. tombola_primitive_execute() sets it from the stream, and
// parallel_threadpool.cpp reads it, so the functions in between do not have to pass it on.

#include <utility>

#include "common/threadpool_job.hpp"
#include "tombola/tombola_threadpool_iface.hpp"

namespace tombola::impl {

struct ThreadpoolInUse {
    threadpool_interop::threadpool_iface* pool = nullptr;
    SpareJobs* spare = nullptr;  // not null if there is a pool
};

inline ThreadpoolInUse& active_threadpool() {
    thread_local ThreadpoolInUse active;
    return active;
}

// Not inlined: an execution may continue on another thread, where an address that was computed before would be wrong.
__attribute__((noinline)) inline ThreadpoolInUse exchange_active_threadpool(ThreadpoolInUse next) {
    return std::exchange(active_threadpool(), next);
}

// Makes `pool`, which may be null, the active pool of this thread for as long as the object lives. `spare` must live
// longer. It is not used if there is no pool.
class ActiveThreadpool {
  public:
    ActiveThreadpool(threadpool_interop::threadpool_iface* pool, SpareJobs* spare)
        : before_(exchange_active_threadpool({pool, spare})) {}
    ~ActiveThreadpool() { exchange_active_threadpool(before_); }
    ActiveThreadpool(const ActiveThreadpool&) = delete;
    ActiveThreadpool& operator=(const ActiveThreadpool&) = delete;

  private:
    ThreadpoolInUse before_;
};

}  // namespace tombola::impl
