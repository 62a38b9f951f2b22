// SPDX-License-Identifier: Apache-2.0

// The TBB run-time behind parallel(), in a task of the caller's.

#include <gtest/gtest.h>
#include <tbb/task_group.h>

#include <vector>

#include "common/parallel.hpp"

namespace tombola::impl {
namespace {

// TBB leaves out tasks whose context is cancelled. What parallel() runs belongs to the library, and is used afterwards.
TEST(TbbRuntime, EachPartRunsThoughTheCallersTaskIsCancelled) {
    for (const bool before : {true, false}) {
        std::vector<int> runs(33, 0);
        tbb::task_group group;
        group.run_and_wait([&] {
            if (before) group.cancel();
            parallel(33, [&](int part, int parts) {
                EXPECT_EQ(parts, 33);
                if (part == 0) group.cancel();
                ++runs[static_cast<size_t>(part)];
            });
        });
        for (const int count : runs) EXPECT_EQ(count, 1);
    }
}

}  // namespace
}  // namespace tombola::impl
