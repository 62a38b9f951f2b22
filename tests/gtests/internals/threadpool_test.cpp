// SPDX-License-Identifier: Apache-2.0

// The THREADPOOL run-time behind parallel(): the pool that is active, and its absence.

#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <atomic>
#include <thread>
#include <vector>

#include "common/active_threadpool.hpp"
#include "common/parallel.hpp"
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
        const ActiveThreadpool active(&pool);
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
        std::atomic<int> wrong{0};
        const ActiveThreadpool active(&pool);
        const unsigned before = _mm_getcsr();
        _mm_setcsr(0xFF80);
        std::atomic<int> inner{0};
        parallel(8, [&](int, int) {
            if ((_mm_getcsr() & ~0x3Fu) != 0x1F80) ++wrong;
            if (max_threads() != 1) ++wrong;
            parallel(3, [&](int, int) { ++inner; });
        });
        EXPECT_EQ(_mm_getcsr(), 0xFF80u);
        _mm_setcsr(before);
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(inner, 24);
        EXPECT_EQ(pool.calls(), 1);
    }
}

TEST(ThreadpoolRuntime, ActivePoolsNest) {
    test::TestThreadpool outer(1), inner(1);
    EXPECT_EQ(active_threadpool(), nullptr);
    {
        const ActiveThreadpool first(&outer);
        {
            const ActiveThreadpool second(&inner);
            EXPECT_EQ(active_threadpool(), &inner);
        }
        EXPECT_EQ(active_threadpool(), &outer);
    }
    EXPECT_EQ(active_threadpool(), nullptr);
}

}  // namespace
}  // namespace tombola::impl
