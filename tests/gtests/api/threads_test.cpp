// SPDX-License-Identifier: Apache-2.0

// Several threads create and execute at the same time: one primitive shared by all, and primitives
// of their own through a cache too small for them.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "gtests/common/tensor.hpp"

namespace tombola::test {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 50;

template <class Body>
void on_threads(const Body& body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back([&body, t] { body(t); });
    for (std::thread& thread : threads) thread.join();
}

// Row r of [rows, columns * group] holds bytes r + 7 i; shuffled by hand.
struct Problem {
    tombola_dim_t rows, columns, group;
    MemoryDesc desc() const { return row_major({rows, columns * group}, tombola_u8); }
    std::vector<uint8_t> source() const {
        std::vector<uint8_t> bytes(static_cast<size_t>(rows * columns * group));
        for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(7 * i + i / 251);
        return bytes;
    }
    std::vector<uint8_t> expected() const {
        const std::vector<uint8_t> from = source();
        std::vector<uint8_t> to(from.size());
        for (tombola_dim_t r = 0; r < rows; ++r)
            for (tombola_dim_t u = 0; u < columns; ++u)
                for (tombola_dim_t v = 0; v < group; ++v)
                    to[static_cast<size_t>(r * columns * group + u + v * columns)] =
                        from[static_cast<size_t>(r * columns * group + u * group + v)];
        return to;
    }
};

TEST(Threads, ShareOnePrimitive) {
    const Engine engine = cpu_engine();
    const Problem problem = {64, 12, 8};
    const MemoryDesc desc = problem.desc();
    PrimitiveDesc pd;
    ASSERT_EQ(tombola_shuffle_forward_primitive_desc_create(pd.out(), engine, tombola_forward, desc,
                                                            desc, 1, problem.group, nullptr),
              tombola_success)
        << last_error();
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), pd), tombola_success);
    std::vector<uint8_t> source = problem.source();
    const Memory src = memory_over(desc, engine, source.data());
    const std::vector<uint8_t> expected = problem.expected();
    std::atomic<int> wrong{0};
    on_threads([&](int) {
        const Stream stream = default_stream(engine);
        for (int round = 0; round < kRounds; ++round) {
            std::vector<uint8_t> result(source.size());
            const Memory dst = memory_over(desc, engine, result.data());
            const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}};
            if (tombola_primitive_execute(primitive, stream, 2, args) != tombola_success ||
                result != expected)
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
}

TEST(Threads, CreateThroughASmallCache) {
    int before = 0;
    ASSERT_EQ(tombola_get_primitive_cache_capacity(&before), tombola_success);
    ASSERT_EQ(tombola_set_primitive_cache_capacity(2), tombola_success);
    const Engine engine = cpu_engine();
    std::atomic<int> wrong{0};
    on_threads([&](int thread) {
        const Stream stream = default_stream(engine);
        for (int round = 0; round < kRounds; ++round) {
            const Problem problem = {5, 3 + (round + thread) % 4, 4};
            const MemoryDesc desc = problem.desc();
            PrimitiveDesc pd;
            Primitive primitive;
            if (tombola_shuffle_forward_primitive_desc_create(pd.out(), engine, tombola_forward,
                                                              desc, desc, 1, problem.group,
                                                              nullptr) != tombola_success ||
                tombola_primitive_create(primitive.out(), pd) != tombola_success) {
                ++wrong;
                continue;
            }
            std::vector<uint8_t> source = problem.source();
            std::vector<uint8_t> result(source.size());
            const Memory src = memory_over(desc, engine, source.data());
            const Memory dst = memory_over(desc, engine, result.data());
            const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}};
            if (tombola_primitive_execute(primitive, stream, 2, args) != tombola_success ||
                result != problem.expected())
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
    ASSERT_EQ(tombola_set_primitive_cache_capacity(before), tombola_success);
}

TEST(Threads, EachHasItsOwnLastError) {
    std::atomic<int> wrong{0};
    on_threads([&](int thread) {
        for (int round = 0; round < kRounds; ++round) {
            tombola_set_verbose(100 + thread);
            if (last_error().find("level is " + std::to_string(100 + thread)) == std::string::npos)
                ++wrong;
        }
    });
    EXPECT_EQ(wrong, 0);
    std::string fresh = "unset";
    std::thread([&] { fresh = last_error(); }).join();
    EXPECT_EQ(fresh, "");
}

}  // namespace
}  // namespace tombola::test
