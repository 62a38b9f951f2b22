// SPDX-License-Identifier: Apache-2.0

// The TBB run-time behind parallel(), in a task of the caller's.

#include <gtest/gtest.h>
#include <tbb/task.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "common/fp_env.hpp"
#include "common/parallel.hpp"
#include "common/scratchpad.hpp"

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

// Resumes suspended tasks one by one, on a thread of its own.
class Resumer {
  public:
    Resumer() : thread_([this] { run(); }) {}
    ~Resumer() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ended_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }
    void suspend() {
        tbb::task::suspend([this](tbb::task::suspend_point point) {
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                points_.push_back(point);
            }
            changed_.notify_one();
        });
    }

  private:
    void run() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return ended_ || !points_.empty(); });
            if (points_.empty()) return;
            const tbb::task::suspend_point point = points_.front();
            points_.pop_front();
            tbb::task::resume(point);
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<tbb::task::suspend_point> points_;
    bool ended_ = false;
    std::thread thread_;
};

// A thread that waits for the tasks of a region may take a task that is resumed, isolated or not. So another execution may run on it, and the
// region may end on another thread.
TEST(TbbRuntime, ResumedTasksDoNotUseTheScratchpadOfARegion) {
    constexpr int kTasks = 400;
    constexpr size_t kWords = 1024;
    std::atomic<int> wrong{0}, limits{0};
    Resumer resumer;
    tbb::task_arena arena(4);
    arena.execute([&] {
        tbb::task_group group;
        for (int task = 0; task < kTasks; ++task)
            group.run([&, task] {
                resumer.suspend();
                const ThreadLimit limit(3);
                // Every size is new, so that a scratchpad may be freed to grow.
                auto* words = static_cast<int*>(
                    thread_scratchpad((kWords + static_cast<size_t>(task)) * sizeof(int)));
                std::fill_n(words, kWords, task);
                parallel(3, [&](int, int) {
                    const auto end =
                        std::chrono::steady_clock::now() + std::chrono::microseconds(50);
                    while (std::chrono::steady_clock::now() < end) {
                    }
                });
                wrong +=
                    std::all_of(words, words + kWords, [&](int w) { return w == task; }) ? 0 : 1;
                limits += max_threads() > 3 ? 1 : 0;
            });
        group.wait();
    });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(limits, 0);
}

// TBB computes with floating-point numbers when it divides work. Its tasks have the modes that the thread had when it first used TBB.
TEST(TbbRuntime, ExceptionsThatTheCallerUnmasksDoNotTrap) {
    std::atomic<int> runs{0};
    int unmasked = 0;
    std::thread([&] {
        if (feenableexcept(FE_INEXACT) == -1) return;  // not on every AArch64
        {
            const DefaultFpEnv fp_env;
            for (int parts = 2; parts < 12; ++parts) parallel(parts, [&](int, int) { ++runs; });
        }
        unmasked = fegetexcept();
    }).join();
    if (unmasked == 0) GTEST_SKIP() << "this processor does not trap";
    EXPECT_EQ(unmasked, FE_INEXACT);
    EXPECT_EQ(runs, 65);
}

}  // namespace
}  // namespace tombola::impl
