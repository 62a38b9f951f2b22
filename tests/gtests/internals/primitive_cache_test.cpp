// SPDX-License-Identifier: Apache-2.0

#include "common/primitive_cache.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "common/parallel.hpp"
#include "common/primitive.hpp"

extern "C" void omp_set_num_threads(int) __attribute__((weak));

namespace tombola::impl {
namespace {

// A shuffle of `columns` columns: descriptors differ by that number.
std::shared_ptr<const PrimitiveDesc> shuffle_of(dim_t columns, ScratchpadMode mode = {}) {
    static Engine engine;
    const dim_t dims[] = {2, columns * 2};
    const MemoryDesc data = MemoryDesc::from_strides(2, dims, DataType::f32, nullptr).take();
    Attr attr;
    attr.scratchpad_mode = mode;
    return PrimitiveDesc::create(ShuffleDesc{{PropKind::forward_training, data, data}, 1, columns},
                                 attr, &engine)
        .take();
}

struct NoCode : Executable {
    Status execute(const ExecContext&) const override { return {}; }
};

// The cache belongs to the process: each test empties it and puts the capacity back.
class PrimitiveCache : public testing::Test {
  protected:
    void SetUp() override {
        before_ = cache_capacity();
        ASSERT_TRUE(set_cache_capacity(0).ok());
    }
    void TearDown() override { ASSERT_TRUE(set_cache_capacity(before_).ok()); }
    int before_ = 0;
};

TEST_F(PrimitiveCache, FindsWhatIsEqual) {
    ASSERT_TRUE(set_cache_capacity(4).ok());
    const auto code = std::make_shared<NoCode>();
    EXPECT_EQ(find_cached(shuffle_of(3)), nullptr);
    EXPECT_EQ(store_cached(shuffle_of(3), code), code);
    EXPECT_EQ(find_cached(shuffle_of(3)), code);
    EXPECT_EQ(find_cached(shuffle_of(5)), nullptr);
}

// One thread and several have plans of their own, because far shuffles depend on that.
TEST_F(PrimitiveCache, PlansForOneThreadAndForSeveralAreKeptApart) {
    if (max_threads() < 2) GTEST_SKIP() << "one thread";
    ASSERT_TRUE(set_cache_capacity(4).ok());
    const auto code = std::make_shared<NoCode>();
    const auto several = shuffle_of(3);
    store_cached(several, code);
    {
        const ThreadLimit one(1);
        const auto alone = shuffle_of(3);
        EXPECT_NE(alone, several);
        EXPECT_EQ(find_cached(alone), nullptr);
    }
    EXPECT_EQ(shuffle_of(3), several);
    EXPECT_EQ(find_cached(shuffle_of(3)), code);
}

TEST_F(PrimitiveCache, TheFirstThatWasStoredStays) {
    ASSERT_TRUE(set_cache_capacity(4).ok());
    const auto first = std::make_shared<NoCode>();
    EXPECT_EQ(store_cached(shuffle_of(3), first), first);
    EXPECT_EQ(store_cached(shuffle_of(3), std::make_shared<NoCode>()), first);
    EXPECT_EQ(cache_size(), 1);
}

TEST_F(PrimitiveCache, TheLeastRecentlyUsedGoesFirst) {
    ASSERT_TRUE(set_cache_capacity(2).ok());
    for (const dim_t columns : {1, 2})
        store_cached(shuffle_of(columns), std::make_shared<NoCode>());
    EXPECT_NE(find_cached(shuffle_of(1)), nullptr);  // now 2 is the older one
    store_cached(shuffle_of(3), std::make_shared<NoCode>());
    EXPECT_NE(find_cached(shuffle_of(1)), nullptr);
    EXPECT_EQ(find_cached(shuffle_of(2)), nullptr);
    EXPECT_NE(find_cached(shuffle_of(3)), nullptr);
    EXPECT_EQ(cache_size(), 2);
}

TEST_F(PrimitiveCache, CapacityShrinksAtOnceAndZeroTurnsItOff) {
    ASSERT_TRUE(set_cache_capacity(4).ok());
    for (const dim_t columns : {1, 2, 3})
        store_cached(shuffle_of(columns), std::make_shared<NoCode>());
    ASSERT_TRUE(set_cache_capacity(1).ok());
    EXPECT_EQ(cache_size(), 1);
    EXPECT_NE(find_cached(shuffle_of(3)), nullptr);
    ASSERT_TRUE(set_cache_capacity(0).ok());
    EXPECT_EQ(cache_size(), 0);
    const auto code = std::make_shared<NoCode>();
    EXPECT_EQ(store_cached(shuffle_of(1), code), code);
    EXPECT_EQ(find_cached(shuffle_of(1)), nullptr);
    EXPECT_EQ(set_cache_capacity(-1).code(), StatusCode::invalid_arguments);
    EXPECT_EQ(cache_capacity(), 0);
}

TEST_F(PrimitiveCache, DescriptorsAreFoundByAllThatDecidesThem) {
    ASSERT_TRUE(set_cache_capacity(8).ok());
    const auto first = shuffle_of(3);
    EXPECT_EQ(shuffle_of(3), first);
    EXPECT_NE(shuffle_of(5), first);
    EXPECT_NE(shuffle_of(3, ScratchpadMode::user), first);
    if (auto next = first->next(); next.ok()) {
        EXPECT_NE(next.value(), first);
        EXPECT_EQ(first->next().value(), next.value());
    }
    ASSERT_TRUE(set_cache_capacity(0).ok());
    EXPECT_NE(shuffle_of(3), first);
}

// The stride of a dimension of size 1 decides nothing, but a query gives it back.
TEST_F(PrimitiveCache, DescriptorsKeepTheirStrides) {
    ASSERT_TRUE(set_cache_capacity(8).ok());
    static Engine engine;
    const dim_t dims[] = {1, 8};
    for (const dim_t stride : {8, 99}) {
        const dim_t strides[] = {stride, 1};
        const MemoryDesc data = MemoryDesc::from_strides(2, dims, DataType::f32, strides).take();
        const ShuffleDesc op{{PropKind::forward_training, data, data}, 1, 2};
        const auto desc = PrimitiveDesc::create(op, {}, &engine).take();
        EXPECT_EQ(desc->find_arg(TOMBOLA_ARG_DST)->desc.strides[0], stride);
    }
}

// Seeds are values of an execution: descriptors that differ in them alone share their plan and their code, and each
// keeps its own.
TEST_F(PrimitiveCache, OneEntryServesAllSeeds) {
    ASSERT_TRUE(set_cache_capacity(8).ok());
    static Engine engine;
    const MemoryDesc dst = MemoryDesc::vector(DataType::f32, 8);
    const auto uniform = [&](uint64_t global, uint64_t op) {
        return PrimitiveDesc::create(RandomUniformDesc{{Alignment::tensorflow, dst, global, op},
                                                       IntDraws::spec,
                                                       FloatDraws::torch1,
                                                       false},
                                     {}, &engine)
            .take();
    };
    const auto first = uniform(1, 2), second = uniform(3, 4);
    for (const auto& [desc, global, op] : {std::tuple{first, 1, 2}, {second, 3, 4}}) {
        EXPECT_EQ(seeds_of(desc->op()).global, static_cast<uint64_t>(global));
        EXPECT_EQ(seeds_of(desc->op()).op, static_cast<uint64_t>(op));
        EXPECT_NE(desc->info().find("global_seed:" + std::to_string(global)), std::string::npos)
            << desc->info();
    }
    EXPECT_EQ(&first->plan(), &second->plan());
    EXPECT_EQ(uniform(1, 2), first);
    auto one = Primitive::create(first).take(), other = Primitive::create(second).take();
    EXPECT_EQ(cache_size(), 1);
    EXPECT_EQ(one->desc(), first);
    EXPECT_EQ(other->desc(), second);
    const auto next = second->next();
    if (next.ok()) {
        EXPECT_EQ(seeds_of(next.value()->op()).global, 3u);
    }
}

// What is planned must serve every execution, whatever the number of threads was at creation: a caller's thread pool is
// known at execution alone.
TEST_F(PrimitiveCache, PlansDoNotDependOnTheNumberOfThreads) {
    if (omp_set_num_threads == nullptr) GTEST_SKIP() << "not a build with OpenMP";
    ASSERT_TRUE(set_cache_capacity(0).ok());
    static Engine engine;
    const dim_t probs[] = {64, 1000}, samples[] = {64, 3};
    MultinomialDesc op;
    op.src = MemoryDesc::from_strides(2, probs, DataType::f32, nullptr).take();
    op.dst = MemoryDesc::from_strides(2, samples, DataType::s32, nullptr).take();
    op.with_replacement = false;
    const int before = max_threads();
    omp_set_num_threads(1);
    const auto one = PrimitiveDesc::create(op, {}, &engine).take();
    omp_set_num_threads(4);
    const auto four = PrimitiveDesc::create(op, {}, &engine).take();
    omp_set_num_threads(before);
    EXPECT_EQ(one->plan().scratchpad_bytes(), four->plan().scratchpad_bytes());
    // A part needs 1,000 weights of 8 bytes at the least.
    EXPECT_GE(one->plan().scratchpad_bytes(), static_cast<size_t>(max_parts(64)) * 8000);
}

TEST_F(PrimitiveCache, ThreadsShareIt) {
    constexpr int kCapacity = 3;
    ASSERT_TRUE(set_cache_capacity(kCapacity).ok());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int round = 0; round < 200; ++round) {
                const auto desc = shuffle_of(1 + round % 5);
                if (find_cached(desc) != nullptr) continue;
                EXPECT_NE(store_cached(desc, std::make_shared<NoCode>()), nullptr);
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(cache_size(), kCapacity);
}

}  // namespace
}  // namespace tombola::impl
