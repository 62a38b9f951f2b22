// SPDX-License-Identifier: Apache-2.0
// OMP: OpenMP's team of the calling thread. It is one thread inside the caller's own parallel region, and also in a
// child of fork(), where libgomp would wait for ever for the workers of the parent.
#include <omp.h>

#include "common/fork.hpp"
#include "common/parallel_runtime.hpp"

namespace tombola::impl {

const char* runtime_name() { return "OMP"; }

int runtime_threads() {
    return forked_from_threads() || omp_in_parallel() ? 1 : omp_get_max_threads();
}

// Every team has all threads, those without a task too. For a smaller team, libgomp ends the threads that have no place in it,
// and it makes them again for the next larger one.
void runtime_run(int tasks, int threads, FunctionRef<void(int)> body) {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int task = 0; task < tasks; ++task) body(task);
}

}  // namespace tombola::impl
