// SPDX-License-Identifier: Apache-2.0

// The TBB run-time behind parallel(), in a task of the caller's.

#include <gtest/gtest.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <vector>

#include "common/parallel.hpp"

namespace tombola::impl {
namespace {

// TBB leaves out tasks whose context is cancelled. What parallel() runs belongs to the library, and is used afterwards.
TEST(TbbRuntime, EachPartRunsThoughTheCallersTaskIsCancelled) {
    std::vector<int> runs(33, 0);
    tbb::task_arena arena(4);
    arena.execute([&] {
        EXPECT_EQ(max_threads(), 4);
        tbb::task_group group;
        group.run_and_wait([&] {
            group.cancel();
            parallel(33, [&](int part, int parts) {
                EXPECT_EQ(parts, 33);
                ++runs[static_cast<size_t>(part)];
            });
        });
    });
    for (const int count : runs) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace tombola::impl
