// SPDX-License-Identifier: Apache-2.0

// The THREADPOOL run-time behind parallel(): the pool that is active, and its absence.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "common/active_threadpool.hpp"
#include "common/parallel.hpp"
#include "gtests/common/fp_control.hpp"
#include "gtests/common/test_threadpool.hpp"

namespace tombola::impl {
namespace {

TEST(ThreadpoolRuntime, WithoutAPoolEverythingStaysOnTheCallingThread) {
    EXPECT_EQ(max_threads(), 1);
    const std::thread::id self = std::this_thread::get_id();
    parallel(4, [&](int, int) { EXPECT_EQ(std::this_thread::get_id(), self); });
}

TEST(ThreadpoolRuntime, EachPartRunsOnceAndHasEndedOnReturn) {
    for (const bool asynchronous : {false, true}) {
        test::TestThreadpool pool(3, asynchronous);
        SpareJobs jobs;
        const ActiveThreadpool active(&pool, &jobs);
        EXPECT_EQ(max_threads(), asynchronous ? 3 : 4);
        for (int repetition = 0; repetition < 200; ++repetition) {
            std::vector<int> runs(33, 0);
            parallel(33, [&](int part, int parts) {
                EXPECT_EQ(parts, 33);
                ++runs[static_cast<size_t>(part)];
            });
            for (const int count : runs) ASSERT_EQ(count, 1);
        }
        EXPECT_EQ(pool.calls(), 200);
    }
}

TEST(ThreadpoolRuntime, WorkersRunUnderTheDefaultEnvironmentAndDoNotNest) {
    for (const bool asynchronous : {false, true}) {
        test::TestThreadpool pool(3, asynchronous);
        SpareJobs jobs;
        std::atomic<int> wrong{0};
        const ActiveThreadpool active(&pool, &jobs);
        const uint64_t before = test::fp_control();
        test::set_fp_control(test::kFpDefault | test::kFpFlush | test::kFpToZero);
        const uint64_t own = test::fp_control();
        std::atomic<int> inner{0};
        parallel(8, [&](int, int) {
            if ((test::fp_control() & test::kFpModes) != test::kFpDefault) ++wrong;
            if (max_threads() != 1) ++wrong;
            parallel(3, [&](int, int) { ++inner; });
        });
        EXPECT_EQ(test::fp_control(), own);
        test::set_fp_control(before);
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(inner, 24);
        EXPECT_EQ(pool.calls(), 1);
    }
}

TEST(ThreadpoolRuntime, ActivePoolsNest) {
    test::TestThreadpool outer(1), inner(1);
    SpareJobs jobs;
    EXPECT_EQ(active_threadpool().pool, nullptr);
    {
        const ActiveThreadpool first(&outer, &jobs);
        {
            const ActiveThreadpool second(&inner, &jobs);
            EXPECT_EQ(active_threadpool().pool, &inner);
        }
        EXPECT_EQ(active_threadpool().pool, &outer);
    }
    EXPECT_EQ(active_threadpool().pool, nullptr);
}

// Executions on one stream may take place at the same time: each has a job of its own, and one more than there is room for
// is freed.
TEST(ThreadpoolRuntime, JobsAreKeptAndNeverShared) {
    SpareJobs jobs;
    std::vector<std::unique_ptr<ThreadpoolJob>> taken;
    std::set<ThreadpoolJob*> different;
    for (int i = 0; i < 12; ++i) {
        taken.push_back(jobs.take());
        different.insert(taken.back().get());
    }
    EXPECT_EQ(different.size(), 12u);
    for (auto& job : taken) jobs.give(std::move(job));
    for (int i = 0; i < 8; ++i) {
        taken.push_back(jobs.take());
        EXPECT_EQ(different.erase(taken.back().get()), 1u);
    }
}

}  // namespace
}  // namespace tombola::impl
