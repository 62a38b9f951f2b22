// SPDX-License-Identifier: Apache-2.0

// The limit of threads that a stream has.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "faults/run.hpp"
#include "faults/work.hpp"
#include "gtests/common/test_threadpool.hpp"
#include "tombola/tombola_threadpool.hpp"

namespace tombola::test {
namespace {

bool runtime_is(const char* name) { return std::strcmp(version()->cpu_runtime, name) == 0; }

TEST(StreamThreads, ThereIsNoLimitAtFirstAndItCanBeRead) {
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    EXPECT_EQ(strm.get_max_threads(), 0);
    for (const int limit : {1, 7, 0}) {
        strm.set_max_threads(limit);
        EXPECT_EQ(strm.get_max_threads(), limit);
    }
}

TEST(StreamThreads, NegativeLimitsAndNullAreRefused) {
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    strm.set_max_threads(3);
    EXPECT_EQ(tombola_stream_set_max_threads(strm.get(), -1), tombola_invalid_arguments);
    EXPECT_NE(std::string(tombola_get_last_error()).find("max_threads is -1"), std::string::npos);
    EXPECT_EQ(strm.get_max_threads(), 3);
    int limit = 5;
    EXPECT_EQ(tombola_stream_set_max_threads(nullptr, 1), tombola_invalid_arguments);
    EXPECT_EQ(tombola_stream_get_max_threads(nullptr, &limit), tombola_invalid_arguments);
    EXPECT_EQ(tombola_stream_get_max_threads(strm.get(), nullptr), tombola_invalid_arguments);
    EXPECT_EQ(limit, 5);
}

// libgomp starts as many threads as a region has, and keeps them.
TEST(StreamThreads, OpenMpStartsNoMoreThreadsThanTheLimit) {
    if (!runtime_is("OMP")) GTEST_SKIP() << "not an OMP build";
    if (!threads_can_be_counted()) GTEST_SKIP() << "there is no /proc";
    std::string sum;
    for (const std::string limit : {"0", "1", "2", "3"}) {
        const ProbeResult result = run_faults_probe("threads " + limit, "OMP_NUM_THREADS=4");
        ASSERT_EQ(result.exit_code, 0) << result.output;
        EXPECT_EQ(result.value("threads"), limit == "0" ? "4" : limit);
        if (limit == "0") sum = result.value("sum");
        EXPECT_EQ(result.value("sum"), sum);
    }
    EXPECT_FALSE(sum.empty());
}

TEST(StreamThreads, AThreadPoolGetsNoMoreTasksThanTheLimit) {
    if (!runtime_is("THREADPOOL")) GTEST_SKIP() << "not a THREADPOOL build";
    struct CountingPool : TestThreadpool {
        using TestThreadpool::TestThreadpool;
        void parallel_for(int n, const std::function<void(int, int)>& fn) override {
            tasks = n;
            TestThreadpool::parallel_for(n, fn);
        }
        int tasks = 0;
    };
    CountingPool pool(3);
    const engine eng(engine::kind::cpu, 0);
    const BigFill fill(eng);
    stream strm = threadpool_interop::make_stream(eng, &pool);
    fill.execute(strm);
    EXPECT_EQ(pool.tasks, 4);
    const uint64_t sum = fill.sum();
    for (const int limit : {2, 3}) {
        strm.set_max_threads(limit);
        fill.clear();
        fill.execute(strm);
        EXPECT_EQ(pool.tasks, limit);
        EXPECT_EQ(fill.sum(), sum);
    }
    strm.set_max_threads(1);
    const int calls = pool.calls();
    fill.clear();
    fill.execute(strm);
    EXPECT_EQ(pool.calls(), calls);
    EXPECT_EQ(fill.sum(), sum);
}

// A pool that throws while its tasks run: one has begun, one begins late, one is never submitted.
class ThrowingPool : public threadpool_interop::threadpool_iface {
  public:
    ~ThrowingPool() override { join(); }
    void join() {
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }
    int get_num_threads() const override { return 3; }
    bool get_in_parallel() const override { return false; }
    uint64_t get_flags() const override { return flags; }
    void parallel_for(int n, const std::function<void(int, int)>& fn) override {
        std::atomic<bool> begun{false};
        threads_.emplace_back([&fn, n, &begun] {
            begun = true;
            fn(0, n);
        });
        while (!begun) std::this_thread::yield();
        threads_.emplace_back([fn, n] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            fn(1, n);
        });
        throw std::runtime_error("no more threads");
    }
    uint64_t flags = 0;

  private:
    std::vector<std::thread> threads_;
};

TEST(ThrowingThreadpool, GivesAStatusWhenNoTaskRunsAnyMore) {
    if (!runtime_is("THREADPOOL")) GTEST_SKIP() << "not a THREADPOOL build";
    const engine eng(engine::kind::cpu, 0);
    const BigFill fill(eng);
    fill.execute(stream(eng));
    const uint64_t sum = fill.sum();
    for (const uint64_t flags : {uint64_t{0}, threadpool_interop::threadpool_iface::ASYNCHRONOUS}) {
        ThrowingPool pool;
        pool.flags = flags;
        const stream strm = threadpool_interop::make_stream(eng, &pool);
        for (int repetition = 0; repetition < 3; ++repetition) {
            try {
                fill.execute(strm);
                FAIL() << "expected an error";
            } catch (const error& failure) {
                EXPECT_EQ(failure.status, tombola_runtime_error);
                EXPECT_NE(std::string(failure.what()).find("no more threads"), std::string::npos);
            }
            // Tasks that begin late write nothing.
            fill.clear();
            const uint64_t cleared = fill.sum();
            pool.join();
            EXPECT_EQ(fill.sum(), cleared);
        }
    }
    // The thread that had the failures executes as before.
    TestThreadpool pool(3);
    fill.execute(threadpool_interop::make_stream(eng, &pool));
    EXPECT_EQ(fill.sum(), sum);
}

}  // namespace
}  // namespace tombola::test
