// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a threading run-time supplies to parallel.cpp. One file for each, parallel_<runtime>.cpp, of which
// TOMBOLA_CPU_RUNTIME chooses one; nesting and the floating-point environment are parallel.cpp's.

#include "common/parallel.hpp"

namespace tombola::impl {

// As tombola_version()->cpu_runtime spells it.
const char* runtime_name();

// The number of threads that runtime_run() would share work among, called from here; at least 1.
int runtime_threads();

// Calls body(task) once for each task of [0, tasks), 1 < tasks <= runtime_threads(), each on any thread, and returns
// when all have ended. A thread that waits for the others must run nothing but tasks of this very call meanwhile:
// another execution on it would use the same scratchpad.
void runtime_run(int tasks, FunctionRef<void(int task)> body);

}  // namespace tombola::impl
