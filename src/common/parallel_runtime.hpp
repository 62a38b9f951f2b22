// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a threading run-time provides to parallel.cpp. There is one file per run-time, parallel_<runtime>.cpp, and the
// CMake option TOMBOLA_CPU_RUNTIME chooses one. parallel.cpp handles nesting and the floating-point environment.

#include "common/parallel.hpp"

namespace tombola::impl {

// As tombola_version()->cpu_runtime spells it.
const char* runtime_name();

// The number of threads that runtime_run() would use if it were called here; at least 1.
int runtime_threads();

// Calls body(task) once for each task of [0, tasks), where 1 < tasks <= threads <= runtime_threads(). Any of `threads` threads may run a
// task. Returns when all tasks have ended, perhaps on another thread than it was called on.
void runtime_run(int tasks, int threads, FunctionRef<void(int task)> body);

}  // namespace tombola::impl
