// SPDX-License-Identifier: Apache-2.0

// Whether two tensors share a byte, against marking every byte of both.

#include "common/overlap.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tombola::impl {
namespace {

// Offsets of all bytes of a tensor, padding included, from its first element.
std::set<dim_t> bytes_of(const MemoryDesc& desc) {
    std::set<dim_t> bytes;
    const auto element = static_cast<dim_t>(size_of(desc.data_type));
    Dims index{};
    for (;;) {
        for (dim_t b = 0; b < element; ++b) bytes.insert(desc.offset_of(index) * element + b);
        int d = desc.ndims - 1;
        while (d >= 0 &&
               ++index[static_cast<size_t>(d)] == desc.padded_dims[static_cast<size_t>(d)])
            index[static_cast<size_t>(d--)] = 0;
        if (d < 0) return bytes;
    }
}

MemoryDesc random_layout(std::mt19937& random) {
    const auto below = [&](unsigned n) { return static_cast<dim_t>(random() % n); };
    const DataType types[] = {DataType::u8, DataType::f16, DataType::f32, DataType::f64};
    const int ndims = 1 + static_cast<int>(below(3));
    const dim_t block = below(4) == 0 ? 4 : 1;
    dim_t dims[3];
    dim_t strides[3];
    dim_t span = block;
    for (int d = ndims - 1; d >= 0; --d) {
        dims[d] = 1 + below(5);
        const dim_t steps = d == 0 ? (dims[d] + block - 1) / block : dims[d];
        strides[d] = span + below(7);  // gaps of any width
        span = (steps - 1) * strides[d] + span;
    }
    return MemoryDesc::from_block(ndims, dims, types[below(4)], strides, 0, block, 0).take();
}

TEST(Overlap, IsExactForAnyTwoLayouts) {
    std::mt19937 random(1);
    int shared = 0;
    int interleaved = 0;
    for (int i = 0; i < 20000; ++i) {
        const MemoryDesc a = random_layout(random);
        const MemoryDesc b = random_layout(random);
        const std::set<dim_t> a_bytes = bytes_of(a);
        const std::set<dim_t> b_bytes = bytes_of(b);
        const auto reach = static_cast<dim_t>(a.size() + b.size());
        const dim_t distance = static_cast<dim_t>(random() % static_cast<unsigned>(reach + 2)) -
                               static_cast<dim_t>(b.size()) - 1;
        bool expected = false;
        for (const dim_t byte : b_bytes) expected = expected || a_bytes.count(byte + distance) != 0;
        char* const begin = reinterpret_cast<char*>(1 << 20);
        ASSERT_EQ(overlap(begin, a, begin + distance, b), expected)
            << a.to_string() << " and " << b.to_string() << " at " << distance;
        ASSERT_EQ(overlap(begin + distance, b, begin, a), expected);
        shared += expected ? 1 : 0;
        interleaved += !expected && distance < static_cast<dim_t>(a.size()) &&
                               distance > -static_cast<dim_t>(b.size())
                           ? 1
                           : 0;
    }
    EXPECT_GT(shared, 1000);
    EXPECT_GT(interleaved, 1000);
}

// Views of one large buffer are told apart at once, whatever their size.
TEST(Overlap, OfLargeViewsOfOneBuffer) {
    const dim_t dims[] = {1000, 1000, 1000, 500};
    const dim_t strides[] = {1000 * 1000 * 1000, 1000 * 1000, 1000, 2};
    const MemoryDesc half = MemoryDesc::from_strides(4, dims, DataType::f32, strides).take();
    char* const begin = reinterpret_cast<char*>(uintptr_t{1} << 40);
    EXPECT_FALSE(overlap(begin, half, begin + 4, half));  // even and odd columns
    EXPECT_TRUE(overlap(begin, half, begin + 6, half));   // half an element of each
    EXPECT_TRUE(overlap(begin, half, begin + 8, half));   // the next even column
    EXPECT_FALSE(overlap(begin, half, begin + 4012, half));
    const dim_t row_strides[] = {1000 * 1000 * 1000, 1000 * 1000, 1000, 1};
    const MemoryDesc left = MemoryDesc::from_strides(4, dims, DataType::f32, row_strides).take();
    EXPECT_FALSE(overlap(begin, left, begin + 2000, left));  // left and right halves of rows
    EXPECT_TRUE(overlap(begin, left, begin + 1996, left));
    EXPECT_FALSE(overlap(begin, left, begin + 2000 + 8000, left));
}

// With strides that differ a little, the search for a common byte may be too long. It is given up then, and never says that tensors
// that have a common byte have none.
TEST(Overlap, OfAlmostEqualStridesIsNeverMissed) {
    constexpr int kDims = 12;
    dim_t dims[kDims], strides[2][kDims];
    dim_t stride = 1000;
    for (int d = kDims - 1; d >= 0; --d, stride *= 6) {
        dims[d] = 5;
        strides[0][d] = stride + 37 * d * d % 101;
        strides[1][d] = stride + (53 * d * d + 17 * d) % 97;
    }
    const MemoryDesc a = MemoryDesc::from_strides(kDims, dims, DataType::u8, strides[0]).take(),
                     b = MemoryDesc::from_strides(kDims, dims, DataType::u8, strides[1]).take();
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        dim_t distance = 0;  // element x of a is element y of b
        for (int d = 0; d < kDims; ++d)
            distance += static_cast<dim_t>(random() % 5) * strides[0][d] -
                        static_cast<dim_t>(random() % 5) * strides[1][d];
        char* const begin = reinterpret_cast<char*>(uintptr_t{1} << 40);
        EXPECT_TRUE(overlap(begin, a, begin + distance, b)) << i;
    }
}

}  // namespace
}  // namespace tombola::impl
