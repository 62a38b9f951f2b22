// SPDX-License-Identifier: Apache-2.0

// The cache of generated code, with numbers in place of code.

#include "common/kernel_cache.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>

namespace tombola::impl {
namespace {

struct Number {
    std::shared_ptr<const int> value;
    size_t bytes;

    friend size_t bytes_of_code(const Number& number) { return number.bytes; }
};
using Cache = KernelCache<int, Number>;

constexpr int kCapacity = 1024;

// Gets a number; counts those that are made.
std::shared_ptr<const int> get(Cache& cache, int key, int& made, size_t bytes = 1) {
    Cache::Made got = cache.get(key, [&]() -> Cache::Made {
        ++made;
        return Number{std::make_shared<const int>(key), bytes};
    });
    return got.ok() ? got.value().value : nullptr;
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
    const std::shared_ptr<const int> held = get(cache, -1, made);
    const std::weak_ptr<const int> alone = get(cache, -2, made);
    for (int key = 0; key < kCapacity; ++key) get(cache, key, made);
    EXPECT_TRUE(alone.expired());
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_EQ(*held, -1);
    EXPECT_NE(get(cache, -1, made), held);  // another one is made for the same key
}

// 64 MiB in all. What is larger alone is not kept, and drops nothing.
TEST(KernelCache, CountsTheBytesOfLargeCode) {
    constexpr size_t kMiB = size_t{1} << 20;
    Cache cache;
    int made = 0;
    for (const int key : {0, 1, 2}) get(cache, key, made, 20 * kMiB);
    for (const int key : {0, 1, 2}) get(cache, key, made);
    EXPECT_EQ(made, 3);
    for (const int key : {3, 3}) get(cache, key, made, 65 * kMiB);
    EXPECT_EQ(made, 5);
    for (const int key : {0, 1, 2}) get(cache, key, made);
    EXPECT_EQ(made, 5);
    get(cache, 4, made, 5 * kMiB);  // 0 is dropped
    for (const int key : {1, 2, 4}) get(cache, key, made);
    EXPECT_EQ(made, 6);
    get(cache, 0, made);
    EXPECT_EQ(made, 7);
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
