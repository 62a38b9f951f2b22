// SPDX-License-Identifier: Apache-2.0

// The cache of generated code, with numbers in place of code.

#include "common/kernel_cache.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace tombola::impl {
namespace {

using Number = std::shared_ptr<const int>;
using Cache = KernelCache<int, Number>;

constexpr int kCapacity = 1024;

// Gets a number; counts those that are made.
Number get(Cache& cache, int key, int& made) {
    Cache::Made got = cache.get(key, [&]() -> Cache::Made {
        ++made;
        return std::make_shared<const int>(key);
    });
    return got.ok() ? got.take() : nullptr;
}

TEST(KernelCache, DropsTheLeastRecentlyUsedOfMoreThanItHolds) {
    Cache cache;
    int made = 0;
    for (int key = 0; key < kCapacity; ++key) ASSERT_EQ(*get(cache, key, made), key);
    get(cache, 0, made);  // now 1 is the oldest
    EXPECT_EQ(made, kCapacity);
    get(cache, kCapacity, made);
    EXPECT_EQ(made, kCapacity + 1);
    get(cache, 0, made);
    get(cache, 2, made);
    EXPECT_EQ(made, kCapacity + 1);
    get(cache, 1, made);  // it was dropped; 3 goes
    EXPECT_EQ(made, kCapacity + 2);
    get(cache, 3, made);
    EXPECT_EQ(made, kCapacity + 3);
}

TEST(KernelCache, WhatIsDroppedLivesAsLongAsSomebodyHoldsIt) {
    Cache cache;
    int made = 0;
    const Number held = get(cache, -1, made);
    const std::weak_ptr<const int> alone = get(cache, -2, made);
    for (int key = 0; key < kCapacity; ++key) get(cache, key, made);
    EXPECT_TRUE(alone.expired());
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_EQ(*held, -1);
    EXPECT_NE(get(cache, -1, made), held);  // another one is made for the same key
}

TEST(KernelCache, KeepsNothingOfCodeThatCouldNotBeMade) {
    Cache cache;
    const Cache::Made failed =
        cache.get(5, []() -> Cache::Made { return Status(StatusCode::out_of_memory, "none"); });
    EXPECT_FALSE(failed.ok());
    int made = 0;
    EXPECT_EQ(*get(cache, 5, made), 5);
    EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace tombola::impl
