// SPDX-License-Identifier: Apache-2.0
// OMP: OpenMP's team of the calling thread; one thread inside the caller's own parallel region.
#include <omp.h>

#include <algorithm>

#include "common/parallel_runtime.hpp"

namespace tombola::impl {

const char* runtime_name() { return "OMP"; }

int runtime_threads() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

void runtime_run(int parts, FunctionRef<void(int)> body) {
#pragma omp parallel for schedule(static, 1) num_threads(std::min(parts, runtime_threads()))
    for (int part = 0; part < parts; ++part) body(part);
}

}  // namespace tombola::impl
