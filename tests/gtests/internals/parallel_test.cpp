// SPDX-License-Identifier: Apache-2.0

#include "common/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "common/machine.hpp"
#include "gtests/common/fp_control.hpp"

namespace tombola::impl {
namespace {

TEST(Split, RangesCoverInOrderAndStartAtMultiples) {
    for (const int64_t count : {0, 1, 2, 3, 15, 16, 17, 1000, 1001})
        for (const int parts : {1, 2, 3, 7, 64})
            for (const int64_t multiple : {1, 2, 16, 100}) {
                int64_t next = 0;
                int64_t longest = 0;
                int64_t shortest = INT64_MAX;
                for (int part = 0; part < parts; ++part) {
                    const Range range = split(count, part, parts, multiple);
                    ASSERT_EQ(range.begin, next);
                    ASSERT_LE(range.begin, range.end);
                    if (range.begin < count) {
                        ASSERT_EQ(range.begin % multiple, 0);
                    }
                    next = range.end;
                    longest = std::max(longest, range.end - range.begin);
                    shortest = std::min(shortest, range.end - range.begin);
                }
                ASSERT_EQ(next, count);
                // Near-equal: no two differ by more than one multiple, the cut-off tail aside.
                ASSERT_LE(longest - shortest, 2 * multiple);
            }
}

TEST(Parallel, EachPartRunsOnce) {
    for (const int parts : {1, 2, 3, 8, 33}) {
        std::vector<std::atomic<int>> runs(static_cast<size_t>(parts));
        parallel(parts, [&](int part, int all) {
            EXPECT_EQ(all, parts);
            ++runs[static_cast<size_t>(part)];
        });
        for (const auto& run : runs) EXPECT_EQ(run, 1);
    }
}

TEST(Parallel, RangesCoverOnceBelowAndAboveTheThreshold) {
    for (const Work& work : {moving(0), moving(size_t{1} << 40)}) {
        std::vector<std::atomic<int>> visits(1001);
        parallel_ranges(1001, 16, work, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
        });
        for (const auto& count : visits) ASSERT_EQ(count, 1);
    }
}

TEST(Parallel, RegionsInsideRegionsStayOnTheirThread) {
    std::atomic<int> runs{0};
    parallel(4, [&](int, int) {
        EXPECT_EQ(max_threads(), 1);
        parallel(3, [&](int, int) { ++runs; });
    });
    EXPECT_EQ(runs, 12);
}

TEST(Parallel, WorkersHaveTheDefaultFloatingPointEnvironment) {
    constexpr uint64_t kUnusual = test::kFpDefault | test::kFpFlush | test::kFpToZero;
    const uint64_t before = test::fp_control();
    test::set_fp_control(kUnusual);
    std::atomic<int> wrong{0};
    parallel(8, [&](int, int) {
        if ((test::fp_control() & test::kFpModes) != test::kFpDefault) ++wrong;
    });
    const uint64_t after = test::fp_control();
    test::set_fp_control(before);
    EXPECT_EQ(after, kUnusual);
    EXPECT_EQ(wrong, 0);
}

TEST(Parallel, ALimitBoundsTheThreadsAndEndsWithItsScope) {
    const int without = max_threads();
    for (const int limit : {1, 2, 3, 1000}) {
        const ThreadLimit scope(limit);
        EXPECT_EQ(max_threads(), std::min(without, limit));
        std::mutex mutex;
        std::set<std::thread::id> threads;
        std::vector<int> runs(40, 0);
        parallel(40, [&](int part, int) {
            const std::lock_guard<std::mutex> lock(mutex);
            threads.insert(std::this_thread::get_id());
            ++runs[static_cast<size_t>(part)];
        });
        EXPECT_LE(threads.size(), static_cast<size_t>(limit));
        EXPECT_EQ(runs, std::vector<int>(40, 1));
        {
            const ThreadLimit inner(kNoThreadLimit);
            EXPECT_EQ(max_threads(), without);
        }
        EXPECT_EQ(max_threads(), std::min(without, limit));
    }
    EXPECT_EQ(max_threads(), without);
}

// A part for each item, and no more than processors; one if there are no items.
TEST(Parallel, PartsThatAScratchpadIsPlannedFor) {
    const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    for (const int64_t items : {1, 2, 3})
        EXPECT_EQ(max_parts(items), std::min<int64_t>(items, all));
    EXPECT_EQ(max_parts(0), 1);
    EXPECT_EQ(max_parts(int64_t{1} << 40), all);
}

// Regions of many tasks and of few run on the same threads. The ids are the system's: those of std::thread are used again.
// CMakeLists.txt runs this once more with seven threads.
TEST(Parallel, RegionsOfAllSizesRunOnTheSameThreads) {
    const int threads = max_threads();
    std::mutex mutex;
    std::set<pid_t> ids;
    for (int region = 0; region < 20; ++region)
        for (const int parts : {threads, 2})
            parallel(parts, [&](int, int) {
                const std::lock_guard<std::mutex> lock(mutex);
                ids.insert(static_cast<pid_t>(syscall(SYS_gettid)));
            });
    EXPECT_LE(ids.size(), static_cast<size_t>(threads));
}

// Each test of parts_for() has a thread of its own, which has seen no workers yet.
template <class Body>
void on_new_thread(const Body& body) {
    std::thread(body).join();
}

TEST(PartsFor, SmallWorkStaysOnTheCallingThread) {
    on_new_thread([] {
        const double waking = machine_sizes().waking;
        EXPECT_EQ(parts_for({0}), 1);
        EXPECT_EQ(parts_for({waking}), 1);
        EXPECT_EQ(parts_for({1e30}), max_threads());
        EXPECT_EQ(parts_for({2 * waking}), std::min(2, max_threads()));
    });
}

// Threads that wait for the same memory gain nothing. Long work is shared nevertheless.
TEST(PartsFor, WorkThatWaitsForMemoryStaysOnTheCallingThread) {
    on_new_thread([] {
        const double waking = machine_sizes().waking;
        EXPECT_EQ(parts_for({3 * waking, 2.5 * waking}), 1);
        EXPECT_EQ(parts_for({3 * waking, 1.5 * waking}), std::min(3, max_threads()));
        EXPECT_EQ(parts_for({1000 * waking, 1000 * waking}), max_threads());
    });
}

// Work that does not pay is shared once in a while, in order to see whether workers are awake.
TEST(PartsFor, WorkersAreTried) {
    on_new_thread([] {
        if (max_threads() == 1) return;
        int calls = 0;
        while (parts_for({machine_sizes().waking}) == 1) ASSERT_LT(++calls, 1000);
        EXPECT_GT(calls, 1);
        parallel(2, [](int, int) {});
        EXPECT_EQ(parts_for({1}), 1);
        EXPECT_EQ(parts_for({1e30}), max_threads());
    });
}

// Rows are divided, but for a few long ones, which the threads share. CMakeLists.txt runs this once more with seven threads.
TEST(PartsFor, FewRowsAreDividedUnlessEachIsWorthMoreThreads) {
    on_new_thread([] {
        const double waking = machine_sizes().waking;
        const int threads = max_threads();
        EXPECT_EQ(parts_for_rows(1, {1e30}), 1);
        EXPECT_EQ(parts_for_rows(1000, {1e30}), threads);
        EXPECT_EQ(parts_for_rows(1000, {waking}), 1);
        EXPECT_EQ(parts_for_rows(2, {3 * waking}), std::min(2, threads));
        EXPECT_EQ(parts_for_rows(2, {1e30}), threads <= 2 ? threads : 1);
        EXPECT_EQ(parts_for_rows(3, {9 * waking}), std::min(3, threads));
    });
}

}  // namespace
}  // namespace tombola::impl
