// SPDX-License-Identifier: Apache-2.0

// Many threads execute one primitive of every kind, while others create and destroy primitives, and the caches shrink and
// grow under them. What every execution must write is what the portable implementation wrote before, alone.
// TOMBOLA_CONCURRENCY_MS says how long that goes on.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "gtests/common/handles.hpp"
#include "gtests/common/problems.hpp"

namespace tombola::test {
namespace {

using Clock = std::chrono::steady_clock;

tombola_engine_t the_engine() {
    static const Engine engine = cpu_engine();
    return engine;
}

// A problem with memory of its own. Two of them may share a primitive.
class Work {
  public:
    // `copies`: how many such tensors the first dimension of a fill's tensor holds, so that there is work to share.
    explicit Work(const Problem& problem, tombola_dim_t copies = 1) : problem_(&problem) {
        for (const Problem::Tensor& tensor : problem.tensors) {
            if (tensor.arg == kNoArg) break;
            DimVector dims(tensor.dims, tensor.dims + tensor.ndims);
            if (tensor.arg == TOMBOLA_ARG_DST) dims[0] *= copies;
            mds_.push_back(tagged(dims, tensor.type, tensor.tag));
            raw_mds_.push_back(mds_.back());
            const size_t bytes = tombola_memory_desc_get_size(mds_.back());
            buffers_.emplace_back(bytes, uint8_t{0});
            if (tensor.type == tombola_f32)
                for (size_t at = 0; at + 4 <= bytes; at += 4) {
                    const auto value = static_cast<float>(tensor.value);
                    std::memcpy(&buffers_.back()[at], &value, 4);
                }
            if (is_output(tensor.arg)) output_ = buffers_.size() - 1;
            memories_.push_back(memory_over(mds_.back(), the_engine(), buffers_.back().data()));
            args_.push_back({tensor.arg, memories_.back()});
        }
    }

    Primitive create(bool portable) const {
        PrimitiveDesc pd;
        Primitive primitive;
        if (problem_->create(pd.out(), the_engine(), raw_mds_.data(), nullptr) != tombola_success)
            return primitive;
        while (portable && impl_name(pd) != "portable" &&
               tombola_primitive_desc_next_impl(pd) == tombola_success) {
        }
        tombola_primitive_create(primitive.out(), pd);
        return primitive;
    }
    // What the execution writes; empty if it fails.
    std::vector<uint8_t> run(const Primitive& primitive, const Stream& stream) {
        std::memset(buffers_[output_].data(), 0xA5, buffers_[output_].size());
        if (tombola_primitive_execute(primitive, stream, static_cast<int>(args_.size()),
                                      args_.data()) != tombola_success)
            return {};
        return buffers_[output_];
    }

  private:
    static bool is_output(int arg) { return arg == TOMBOLA_ARG_DST || arg == TOMBOLA_ARG_DIFF_SRC; }

    const Problem* problem_;
    std::vector<MemoryDesc> mds_;
    std::vector<tombola_memory_desc_t> raw_mds_;
    std::vector<std::vector<uint8_t>> buffers_;
    std::vector<Memory> memories_;
    std::vector<tombola_exec_arg_t> args_;
    size_t output_ = 0;
};

// The fills can be any size, because they have no other tensor of DST's shape.
bool can_grow(const Problem& problem) {
    return std::strncmp(problem.name, "random_uniform", 14) == 0 ||
           std::strncmp(problem.name, "random_normal", 13) == 0 ||
           std::strncmp(problem.name, "random_generator", 16) == 0;
}
// Threads share this many numbers of Philox's stream in every threading run-time.
constexpr tombola_dim_t kSharedNumbers = 750000;
tombola_dim_t copies_of(const Problem& problem) {
    if (!can_grow(problem)) return 1;
    const Problem::Tensor& dst = problem.tensors[0];  // of all problems that can grow
    return kSharedNumbers / (dst.dims[0] * dst.dims[1]) + 1;
}

struct Shared {
    const Problem* problem;
    Primitive primitive;
    std::vector<uint8_t> expected;
};

std::chrono::milliseconds duration() {
    const char* text = std::getenv("TOMBOLA_CONCURRENCY_MS");
    return std::chrono::milliseconds(text != nullptr ? std::atoi(text) : 1500);
}

TEST(Concurrency, OnePrimitiveOnManyThreadsWhileCachesShrinkAndGrow) {
    constexpr int kExecuting = 3, kCreating = 2;
    int capacity = 0;
    ASSERT_EQ(tombola_get_primitive_cache_capacity(&capacity), tombola_success);
    std::vector<Shared> shared;
    const Stream first = default_stream(the_engine());
    for (const Problem& problem : kProblems) {
        Work work(problem, copies_of(problem));
        const Primitive portable = work.create(true);
        shared.push_back({&problem, work.create(false), work.run(portable, first)});
        ASSERT_FALSE(shared.back().expected.empty()) << problem.name << ": " << last_error();
        ASSERT_NE(shared.back().primitive.get(), nullptr) << problem.name;
    }

    const tombola_cpu_isa_t isa = tombola_get_effective_cpu_isa();
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::atomic<long> executions{0}, creations{0};
    const auto check = [&](const Shared& one, const std::vector<uint8_t>& written) {
        if (written == one.expected || wrong.fetch_add(1) > 0) return;
        ADD_FAILURE() << one.problem->name << (written.empty() ? ": " + last_error() : "");
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < kExecuting; ++t)
        threads.emplace_back([&, t] {
            const Stream stream = default_stream(the_engine());
            std::vector<std::unique_ptr<Work>> works;
            for (const Shared& one : shared)
                works.push_back(std::make_unique<Work>(*one.problem, copies_of(*one.problem)));
            for (size_t i = static_cast<size_t>(t); !stop; ++i) {
                const Shared& one = shared[i % shared.size()];
                check(one, works[i % shared.size()]->run(one.primitive, stream));
                ++executions;
            }
        });
    for (int t = 0; t < kCreating; ++t)
        threads.emplace_back([&, t] {
            const Stream stream = default_stream(the_engine());
            for (size_t i = static_cast<size_t>(7 * t); !stop; ++i) {
                const Shared& one = shared[i % shared.size()];
                Work work(*one.problem, copies_of(*one.problem));
                check(one, work.run(work.create(i % 5 == 0), stream));
                ++creations;
            }
        });
    threads.emplace_back([&] {
        for (int i = 0; !stop; ++i) {
            constexpr int kCapacities[] = {0, 1, 1024, 3, 8};
            tombola_set_primitive_cache_capacity(kCapacities[i % 5]);
            tombola_set_max_cpu_isa(static_cast<tombola_cpu_isa_t>(i % 4));
            int now = 0;
            tombola_get_primitive_cache_capacity(&now);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    });
    // Longer where sanitizers, or other work, leave little of the machine.
    const auto enough = [&] {
        return executions > static_cast<long>(shared.size()) && creations > 0;
    };
    std::this_thread::sleep_for(duration());
    for (int waited = 0; waited < 600 && !enough(); ++waited)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop = true;
    for (std::thread& thread : threads) thread.join();
    tombola_set_max_cpu_isa(isa);
    EXPECT_EQ(tombola_set_primitive_cache_capacity(capacity), tombola_success);
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(enough());
    std::printf("%ld executions of %zu shared primitives, %ld creations\n", executions.load(),
                shared.size(), creations.load());
}

// Threads that all want the same code at the same time, of which there is none yet.
TEST(Concurrency, ManyThreadsCreateTheSamePrimitiveAtOnce) {
    constexpr int kThreads = 4, kRounds = 40;
    for (int round = 0; round < kRounds; ++round) {
        std::atomic<int> waiting{kThreads}, wrong{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < kThreads; ++t)
            threads.emplace_back([&] {
                const MemoryDesc md = row_major({2, 40 + 4 * round}, tombola_u8);
                PrimitiveDesc pd;
                Primitive primitive;
                for (--waiting; waiting > 0;) std::this_thread::yield();
                if (tombola_shuffle_forward_primitive_desc_create(pd.out(), the_engine(),
                                                                  tombola_forward, md, md, 1, 4,
                                                                  nullptr) != tombola_success ||
                    tombola_primitive_create(primitive.out(), pd) != tombola_success)
                    ++wrong;
            });
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(wrong, 0) << round;
    }
}

// A cap that is changed and changed back during a creation. What the cache keeps is right for the cap that it is kept for.
TEST(Concurrency, DescriptorsAreCachedForTheCapTheyWereMadeUnder) {
    const tombola_cpu_isa_t isa = tombola_get_effective_cpu_isa();
    if (isa == tombola_cpu_isa_none) GTEST_SKIP() << "no code";
    constexpr int kRounds = 5, kShapes = 500;
    const auto name_of_shape = [](int round, int shape) {
        const MemoryDesc md = row_major({1 + round, 1 + shape}, tombola_u32);
        PrimitiveDesc pd;
        tombola_random_generator_primitive_desc_create(pd.out(), the_engine(),
                                                       tombola_philox4x32_10, md, nullptr);
        return impl_name(pd);
    };
    for (int round = 0; round < kRounds; ++round) {
        std::atomic<bool> stop{false};
        std::thread toggling([&] {
            for (int i = 0; !stop; ++i)
                tombola_set_max_cpu_isa(i % 2 == 0 ? tombola_cpu_isa_none : tombola_cpu_isa_avx2);
        });
        for (int shape = 0; shape < kShapes; ++shape) name_of_shape(round, shape);
        stop = true;
        toggling.join();
        for (const auto cap : {tombola_cpu_isa_none, tombola_cpu_isa_avx2}) {
            tombola_set_max_cpu_isa(cap);
            for (int shape = 0; shape < kShapes; ++shape)
                ASSERT_EQ(name_of_shape(round, shape),
                          cap == tombola_cpu_isa_none ? "portable" : "jit:avx2")
                    << shape;
        }
    }
    tombola_set_max_cpu_isa(isa);
}

}  // namespace
}  // namespace tombola::test
