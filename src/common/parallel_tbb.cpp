// SPDX-License-Identifier: Apache-2.0
// TBB: the arena that the calling thread is in, which may be the caller's own. It is one thread in a child of fork(),
// which does not have the workers of its parent.
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <system_error>

#include "common/fork.hpp"
#include "common/fp_env.hpp"
#include "common/parallel_runtime.hpp"

// ThreadSanitizer sees neither how libtbb hands tasks to its workers nor how it waits for them, because libtbb is not built
// for it. So this file, with TBB's headers in it, is not instrumented either. It tells ThreadSanitizer by these functions
// when tasks begin and end.
#ifdef TOMBOLA_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace tombola::impl {
namespace {

// What happens before publish() on one thread happens before what follows receive() on another.
class Handover {
  public:
#ifdef TOMBOLA_THREAD_SANITIZER
    void publish() { __tsan_release(this); }
    void receive() { __tsan_acquire(this); }
#else
    void publish() {}
    void receive() {}
#endif
};

}  // namespace

const char* runtime_name() { return "TBB"; }

int runtime_threads() {
    return forked_from_threads() ? 1 : std::max(1, tbb::this_task_arena::max_concurrency());
}

void runtime_run(int tasks, int /*threads*/, FunctionRef<void(int)> body) {
    // Isolated: a thread that waits takes no other task of the caller. (It may take a task that is resumed.) The context is isolated too: if
    // the caller's task is cancelled, these tasks run all the same, because what they write is used afterwards.
    tbb::task_group_context context(tbb::task_group_context::isolated);
    Handover start, end;
    std::atomic<bool> begun{false};
    start.publish();
    try {
        const DefaultFpEnv::Masked fp_env;  // the partitioner computes with inexact numbers
        tbb::this_task_arena::isolate([&] {
            tbb::parallel_for(
                0, tasks,
                [&](int task) {
                    begun.store(true, std::memory_order_relaxed);
                    start.receive();
                    body(task);
                    end.publish();
                },
                tbb::static_partitioner(), context);
        });
    } catch (const std::system_error&) {  // the system has refused a thread
        if (begun) throw;
        for (int task = 0; task < tasks; ++task) body(task);
    }
    end.receive();
}

}  // namespace tombola::impl
