// SPDX-License-Identifier: Apache-2.0

// Streams on a thread pool of the caller's: in a THREADPOOL build executions run on it, in any other build such
// a stream is refused.

#include "tombola/tombola_threadpool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>

#include "gtests/common/test_threadpool.hpp"

#ifdef __SANITIZE_ADDRESS__
// Of the sanitizer's run-time.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void*, size_t),
                                                         void (*)(const volatile void*));
#endif

namespace tombola::test {
namespace {

bool is_threadpool_build() { return std::strcmp(version()->cpu_runtime, "THREADPOOL") == 0; }

// A shuffle of 8 MiB, which is worth sharing: src[i] = i, axis 0 as a matrix of kRows x kColumns.
class BigShuffle {
  public:
    static constexpr int64_t kRows = 1024, kColumns = 2048;

    explicit BigShuffle(const engine& eng)
        : desc_({kRows * kColumns}, memory::data_type::s32, memory::format_tag::a),
          src_(desc_, eng),
          dst_(desc_, eng),
          shuffle_(shuffle_forward::primitive_desc(eng, prop_kind::forward_inference, desc_, desc_,
                                                   0, kColumns)) {
        auto* values = static_cast<int32_t*>(src_.get_data_handle());
        std::iota(values, values + kRows * kColumns, 0);
    }

    // Whether the execution gave the transposed matrix.
    bool is_right_on(const stream& strm) {
        auto* result = static_cast<int32_t*>(dst_.get_data_handle());
        std::memset(result, 0x5A, static_cast<size_t>(kRows * kColumns) * sizeof *result);
        shuffle_.execute(strm, {{TOMBOLA_ARG_SRC, src_}, {TOMBOLA_ARG_DST, dst_}});
        for (int64_t column = 0; column < kColumns; ++column)
            for (int64_t row = 0; row < kRows; ++row)
                if (result[column * kRows + row] != row * kColumns + column) return false;
        return true;
    }

  private:
    memory::desc desc_;
    memory src_, dst_;
    shuffle_forward shuffle_;
};

TEST(Threadpool, OtherBuildsRefuse) {
    if (is_threadpool_build()) GTEST_SKIP() << "this is a THREADPOOL build";
    const engine eng(engine::kind::cpu, 0);
    TestThreadpool pool(1);
    try {
        threadpool_interop::make_stream(eng, &pool);
        FAIL() << "expected an error";
    } catch (const error& failure) {
        EXPECT_EQ(failure.status, tombola_unimplemented);
        EXPECT_NE(std::string(failure.message).find(version()->cpu_runtime), std::string::npos)
            << failure.message;
    }
    void* found = &pool;
    EXPECT_EQ(tombola_threadpool_interop_stream_get_threadpool(stream(eng).get(), &found),
              tombola_success);
    EXPECT_EQ(found, nullptr);
}

TEST(Threadpool, NullArgumentsAreRefused) {
    const engine eng(engine::kind::cpu, 0);
    const stream strm(eng);
    tombola_stream_t out = nullptr;
    void* found = nullptr;
    EXPECT_EQ(tombola_threadpool_interop_stream_create(nullptr, eng.get(), nullptr),
              tombola_invalid_arguments);
    EXPECT_EQ(tombola_threadpool_interop_stream_create(&out, nullptr, nullptr),
              tombola_invalid_arguments);
    EXPECT_EQ(tombola_threadpool_interop_stream_get_threadpool(nullptr, &found),
              tombola_invalid_arguments);
    EXPECT_EQ(tombola_threadpool_interop_stream_get_threadpool(strm.get(), nullptr),
              tombola_invalid_arguments);
}

TEST(Threadpool, ExecutionsRunOnTheStreamsPool) {
    if (!is_threadpool_build()) GTEST_SKIP() << "not a THREADPOOL build";
    const engine eng(engine::kind::cpu, 0);
    BigShuffle shuffle(eng);
    for (const bool asynchronous : {false, true}) {
        TestThreadpool pool(3, asynchronous);
        TestThreadpool other(2, asynchronous);
        const stream strm = threadpool_interop::make_stream(eng, &pool);
        EXPECT_EQ(threadpool_interop::get_threadpool(strm), &pool);
        EXPECT_TRUE(shuffle.is_right_on(strm));
        EXPECT_GT(pool.calls(), 0);
        // Each stream on its own pool, and on none without one.
        const int calls = pool.calls();
        EXPECT_TRUE(shuffle.is_right_on(threadpool_interop::make_stream(eng, &other)));
        EXPECT_GT(other.calls(), 0);
        EXPECT_TRUE(shuffle.is_right_on(stream(eng)));
        EXPECT_TRUE(shuffle.is_right_on(threadpool_interop::make_stream(eng, nullptr)));
        EXPECT_EQ(pool.calls(), calls);
    }
}

// Nothing is known of the pool when the primitive is created, and yet its rows are shared out.
TEST(Threadpool, RowsOfAMultinomialAreShared) {
    if (!is_threadpool_build()) GTEST_SKIP() << "not a THREADPOOL build";
    if (std::thread::hardware_concurrency() < 2)
        GTEST_SKIP() << "one processor: rows are not shared";
    constexpr int64_t kBatch = 64, kClasses = 32000;
    const engine eng(engine::kind::cpu, 0);
    const memory::desc probs_desc({kBatch, kClasses}, memory::data_type::f32,
                                  memory::format_tag::ab);
    const memory::desc dst_desc({kBatch, 1}, memory::data_type::s32, memory::format_tag::ab);
    const memory probs(probs_desc, eng), dst(dst_desc, eng);
    // One class per row has all the weight, so every sample is known.
    auto* weights = static_cast<float*>(probs.get_data_handle());
    std::memset(weights, 0, kBatch * kClasses * sizeof *weights);
    for (int64_t row = 0; row < kBatch; ++row) weights[row * kClasses + 7 * row] = 1;
    for (const bool portable : {false, true}) {
        multinomial::primitive_desc pd(multinomial::desc(probs_desc, dst_desc, true, false, 1, 2),
                                       eng);
        while (portable && std::strcmp(pd.impl_info_str(), "portable") != 0)
            ASSERT_TRUE(pd.next_impl());
        const multinomial draw(pd);
        TestThreadpool pool(2);
        draw.execute(threadpool_interop::make_stream(eng, &pool),
                     {{TOMBOLA_ARG_SRC, probs}, {TOMBOLA_ARG_DST, dst}});
        EXPECT_GT(pool.calls(), 0) << pd.impl_info_str();
        const auto* drawn = static_cast<const int32_t*>(dst.get_data_handle());
        for (int64_t row = 0; row < kBatch; ++row) EXPECT_EQ(drawn[row], 7 * row);
    }
}

TEST(Threadpool, ExecutionsInsideATaskOfThePoolStayOnItsThread) {
    if (!is_threadpool_build()) GTEST_SKIP() << "not a THREADPOOL build";
    const engine eng(engine::kind::cpu, 0);
    TestThreadpool pool(2);
    const stream strm = threadpool_interop::make_stream(eng, &pool);
    std::atomic<int> right{0};
    pool.parallel_for(4, [&](int, int) { right += BigShuffle(eng).is_right_on(strm) ? 1 : 0; });
    EXPECT_EQ(right, 4);
    EXPECT_EQ(pool.calls(), 1);
}

// A pool may make its threads when it is asked for their number, or for work. They inherit what the calling thread has then.
class RoundingPool : public threadpool_interop::threadpool_iface {
  public:
    int get_num_threads() const override {
        in_number = std::fegetround();
        return 2;
    }
    bool get_in_parallel() const override { return false; }
    void parallel_for(int n, const std::function<void(int, int)>& fn) override {
        in_work = std::fegetround();
        for (int i = 0; i < n; ++i) fn(i, n);
    }
    uint64_t get_flags() const override { return 0; }
    mutable int in_number = FE_TONEAREST;
    int in_work = FE_TONEAREST;
};

TEST(Threadpool, ThePoolHasTheFloatingPointModesOfTheCaller) {
    if (!is_threadpool_build()) GTEST_SKIP() << "not a THREADPOOL build";
    const engine eng(engine::kind::cpu, 0);
    BigShuffle shuffle(eng);
    RoundingPool pool;
    const stream strm = threadpool_interop::make_stream(eng, &pool);
    std::fesetround(FE_UPWARD);
    const bool is_right = shuffle.is_right_on(strm);
    const int after = std::fegetround();
    std::fesetround(FE_TONEAREST);
    EXPECT_TRUE(is_right);
    EXPECT_EQ(after, FE_UPWARD);
    EXPECT_EQ(pool.in_number, FE_UPWARD);
    EXPECT_EQ(pool.in_work, FE_UPWARD);
}

#ifdef __SANITIZE_ADDRESS__
// A pool that allocates nothing: the calling thread runs all tasks.
class CallersOwnPool : public threadpool_interop::threadpool_iface {
  public:
    int get_num_threads() const override { return 3; }
    bool get_in_parallel() const override { return false; }
    void parallel_for(int n, const std::function<void(int, int)>& fn) override {
        tasks += n;
        for (int i = 0; i < n; ++i) fn(i, n);
    }
    uint64_t get_flags() const override { return 0; }
    int tasks = 0;
};

std::atomic<bool> counting{false};
std::atomic<long> allocations{0};
#endif

// The first execution of a thread whose work is shared. out_of_memory_test.cpp has the other run-times.
TEST(Threadpool, ExecutingAllocatesNothing) {
    if (!is_threadpool_build()) GTEST_SKIP() << "not a THREADPOOL build";
#ifndef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "only the address sanitizer tells of allocations";
#else
    static const int hooks = __sanitizer_install_malloc_and_free_hooks(
        [](const volatile void*, size_t) {
            if (counting) ++allocations;
        },
        [](const volatile void*) {});
    ASSERT_GT(hooks, 0);
    const engine eng(engine::kind::cpu, 0);
    CallersOwnPool pool;
    const stream strm = threadpool_interop::make_stream(eng, &pool);
    constexpr memory::dim kCount = 4 << 20;
    const memory::desc md({kCount}, memory::data_type::s32, memory::format_tag::a);
    const memory src(md, eng), dst(md, eng);
    const shuffle_forward shuffle(
        shuffle_forward::primitive_desc(eng, prop_kind::forward_inference, md, md, 0, 2));
    const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src.get()}, {TOMBOLA_ARG_DST, dst.get()}};
    counting = true;
    void* volatile one = std::malloc(1);  // which shows that the hooks count
    std::free(one);
    const tombola_status_t status = tombola_primitive_execute(shuffle.get(), strm.get(), 2, args);
    counting = false;
    EXPECT_EQ(status, tombola_success);
    EXPECT_EQ(allocations, 1);
    EXPECT_GT(pool.tasks, 1);
#endif
}

}  // namespace
}  // namespace tombola::test
