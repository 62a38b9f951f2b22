// SPDX-License-Identifier: Apache-2.0
// TBB: the arena that the calling thread is in, which may be the caller's own. It is one thread in a child of fork(),
// which does not have the workers of its parent.
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "common/fork.hpp"
#include "common/parallel_runtime.hpp"

namespace tombola::impl {

const char* runtime_name() { return "TBB"; }

int runtime_threads() {
    return forked_from_threads() ? 1 : std::max(1, tbb::this_task_arena::max_concurrency());
}

void runtime_run(int tasks, FunctionRef<void(int)> body) {
    // Isolation: a thread that waits must not take a task of the caller, which might execute another primitive on it.
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(
            0, tasks, [&](int task) { body(task); }, tbb::static_partitioner());
    });
}

}  // namespace tombola::impl
