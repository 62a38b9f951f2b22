// SPDX-License-Identifier: Apache-2.0
// SEQ: everything on the calling thread.
#include "common/parallel_runtime.hpp"

namespace tombola::impl {

const char* runtime_name() { return "SEQ"; }

int runtime_threads() { return 1; }

void runtime_run(int tasks, int /*threads*/, FunctionRef<void(int)> body) {
    for (int task = 0; task < tasks; ++task) body(task);
}

}  // namespace tombola::impl
