// SPDX-License-Identifier: Apache-2.0

// Every row of shuffle's implementation list: generated cases of types, layouts, axes, groups and odd sizes, in both directions.

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "gtests/internals/shuffle_jit_fixture.hpp"

namespace tombola::impl {
namespace {

TEST(ShuffleJit, AxisOneInEveryLayout) {
    constexpr struct {
        int64_t Q, G;
    } kFactors[] = {{1, 5},  {2, 2},   {3, 2},   {2, 3},   {29, 2}, {39, 3}, {4, 4},
                    {5, 4},  {8, 2},   {3, 8},   {15, 8},  {8, 8},  {7, 5},  {31, 3},
                    {16, 4}, {17, 16}, {11, 13}, {70, 2},  {64, 3}, {33, 7}, {40, 9},
                    {6, 33}, {1, 16},  {100, 2}, {34, 33}, {130, 2}};
    constexpr struct { int64_t n, h, w; } kImages[] = {{1, 1, 1}, {3, 2, 2}, {2, 7, 7}, {1, 3, 17}};
    Served served;
    for (const DataType type : kTypes)
        for (const auto& factors : kFactors)
            for (const auto& image : kImages)
                for (const char* letters :
                     {"abcd", "acdb", "aBcd4b", "aBcd8b", "aBcd16b", "bacd", "cdab", "cdba"}) {
                    const auto layout = reference::Layout::from_letters(
                        letters, {image.n, factors.Q * factors.G, image.h, image.w});
                    check_both_directions(served, layout, layout, type, 1, factors.G);
                    if (HasFatalFailure()) return;
                }
    // Each row has had something to do: the grid reaches all of them.
    for (const Implementation* row : rows_in_force())
        EXPECT_GT(served.counts().at(row->name), 0) << row->name;
}

TEST(ShuffleJit, EveryAxisAndStrides) {
    std::mt19937 random(4);
    const auto pick = [&](int64_t low, int64_t high) {
        return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
    };
    Served served;
    for (int i = 0; i < 1500; ++i) {
        const int ndims = static_cast<int>(pick(1, 5));
        const int axis = static_cast<int>(pick(0, ndims - 1));
        reference::Dims dims;
        for (int d = 0; d < ndims; ++d) dims.push_back(pick(1, 6));
        const int64_t group = pick(1, 9);
        dims[static_cast<size_t>(axis)] = group * pick(1, 20);
        std::string letters = std::string("abcde").substr(0, static_cast<size_t>(ndims));
        std::shuffle(letters.begin(), letters.end(), random);
        reference::Layout src = with_gaps(letters, dims, pick(0, 3) % 2);
        reference::Layout dst = src;
        switch (pick(0, 3)) {
            case 0:
                dst = with_gaps(letters, dims, pick(0, 2));
                break;
            case 1: {
                std::shuffle(letters.begin(), letters.end(), random);
                dst = reference::Layout::from_letters(letters, dims);
                break;
            }
            case 2: {
                // A block of any dimension, the innermost in memory.
                const auto blocked = static_cast<size_t>(pick(0, ndims - 1));
                std::string name = letters;
                const auto at = name.find(static_cast<char>('a' + blocked));
                name[at] = static_cast<char>('A' + blocked);
                name += std::to_string(int64_t{4} << pick(0, 2)) + static_cast<char>('a' + blocked);
                src = dst = reference::Layout::from_letters(name, dims);
                break;
            }
            default:
                break;
        }
        check_both_directions(served, src, dst, kTypes[pick(0, 3)], axis, group);
        if (HasFatalFailure()) return;
    }
}

// The stride of a dimension with one step counts nothing, so it may be anything.
TEST(ShuffleJit, OneBlockOfAnyStride) {
    Served served;
    for (const DataType type : kTypes)
        for (const char* letters : {"aBcd8b", "aBcd16b"})
            for (const int64_t stride : {0, 3, 1000000}) {
                const int64_t block = letters[4] == '8' ? 8 : 16;
                auto layout = reference::Layout::from_letters(letters, {2, block, 3, 5});
                layout.strides[1] = stride;
                check_both_directions(served, layout, layout, type, 1, 4);
                if (HasFatalFailure()) return;
            }
}

// Blocks up to the longest that a descriptor may have, in images of one pixel and of few.
TEST(ShuffleJit, EveryBlockOfSmallImages) {
    Served served;
    for (const DataType type : kTypes)
        for (const int64_t block : {2, 4, 8, 16, 32, 64})
            for (const int64_t pixels : {1, 2, 3})
                for (const int64_t channels : {block, 2 * block, 3 * block - 1}) {
                    const int64_t group = channels % 2 == 0 ? 2 : channels;
                    const std::string letters = "aBc" + std::to_string(block) + "b";
                    const reference::Dims dims{2, channels, pixels};
                    for (const int64_t gap : {0, 1}) {
                        auto layout = reference::Layout::from_letters(letters, dims);
                        layout.strides[0] += gap * block;
                        check_both_directions(served, layout, layout, type, 1, group);
                        if (HasFatalFailure()) return;
                    }
                }
}

// Blocks whose pixels lie a block apart in one tensor or in both, or in another order; and blocks of two sizes.
TEST(ShuffleJit, BlocksWithGapsBetweenPixels) {
    Served served;
    for (const DataType type : kTypes)
        for (const std::string block : {"4b", "8b", "16b"}) {
            const reference::Dims dims = {2, 24, 3, 5};
            const auto dense = reference::Layout::from_letters("aBcd" + block, dims);
            const auto turned = reference::Layout::from_letters("aBdc" + block, dims);
            const auto wider = reference::Layout::from_letters("aBcd32b", dims);
            auto apart = dense;
            for (int64_t& stride : apart.strides) stride *= 2;
            for (const auto& other : {apart, turned, wider}) {
                check_both_directions(served, dense, other, type, 1, 4);
                check_both_directions(served, other, dense, type, 1, 4);
                check_both_directions(served, other, other, type, 1, 4);
                if (HasFatalFailure()) return;
            }
        }
}

// Groups longer than a slice, in rows of a few bytes and of several vectors.
TEST(ShuffleJit, ShortRowsOfManyChannels) {
    Served served(Served::Cases::whole_rows);
    for (const DataType type : {DataType::s8, DataType::bf16, DataType::f32})
        for (const auto& dims : {reference::Dims{2, 1090, 7, 7}, reference::Dims{3, 606, 5, 5},
                                 reference::Dims{1, 402, 9, 13}}) {
            const auto layout = reference::Layout::from_letters("abcd", dims);
            check_both_directions(served, layout, layout, type, 1, 2);
            if (HasFatalFailure()) return;
        }
}

// Of every length up to a vector of 32 bytes, in a destination without gaps, and from sources with and without gaps, in one of which images
// lie side by side. CMakeLists.txt runs this once more for each instruction set, with three threads, which share the smallest
// work.
TEST(ShuffleJit, RowsShorterThanAVector) {
    Served served;
    for (int64_t bytes = 4; bytes <= 33; ++bytes)
        for (const reference::Dims& dims :
             {reference::Dims{3, 156, 1, bytes}, {220, 156, 1, bytes}}) {
            const auto dense = reference::Layout::from_letters("abcd", dims);
            for (const auto& src :
                 {dense, with_gaps("abcd", dims, 1), reference::Layout::from_letters("bacd", dims)})
                for (const int64_t group : {2, 39}) {
                    check_both_directions(served, src, dense, DataType::s8, 1, group);
                    if (HasFatalFailure()) return;
                }
        }
    for (const auto& [name, count] : served.counts())
        if (name.find("jit_rows") == 0) {
            EXPECT_EQ(count, 30 * 2 * 3 * 2 * 2) << name;
        }
}

// Beyond the first-level cache, where lines are prefetched, in blocks and rows that begin anywhere in a line.
TEST(ShuffleJit, LinesThatArePrefetched) {
    Served served;
    for (const DataType type : {DataType::s8, DataType::bf16, DataType::f32})
        for (const char* letters : {"abcd", "acdb", "aBcd8b", "aBcd16b"})
            for (const auto& dims :
                 {reference::Dims{1, 1088, 7, 7}, reference::Dims{3, 120, 15, 11}}) {
                const auto layout = reference::Layout::from_letters(letters, dims);
                check_both_directions(served, layout, layout, type, 1, 4);
                if (HasFatalFailure()) return;
            }
}

// What verbose mode says of a row that refuses is true of the layout.
TEST(ShuffleJit, RefusalsTellTheReason) {
    if (effective_isa() < CpuIsa::avx2) GTEST_SKIP() << "needs AVX2";
    const auto reason = [](const char* letters, int64_t group) {
        const auto layout = reference::Layout::from_letters(letters, {2, 12, 5, 7});
        const OpDesc desc = descriptor({layout, layout, DataType::f32, 1, group, false});
        for (const Implementation* row : rows_in_force())
            if (std::string(row->name).rfind("jit_interleaved:", 0) == 0) {
                const auto plan = row->plan(row->isa, desc);
                return plan.ok() ? std::string("served") : plan.status().message();
            }
        return std::string();
    };
    EXPECT_EQ(reason("acdb", 4), "served");
    EXPECT_EQ(reason("acdb", 1), "no channel moves");
    EXPECT_EQ(reason("acdb", 12), "no channel moves");
    EXPECT_EQ(reason("abcd", 4), "channels are 140 bytes apart");  // 5 * 7 floats
    EXPECT_EQ(reason("aBcd8b", 4), "the axis is blocked");
}

// The channels of a pixel are adjacent in blocks too. Permutes of blocks take several times as long here on every machine.
TEST(ShuffleJit, ImagesOfOnePixelAreInterleaved) {
    if (effective_isa() < CpuIsa::avx2) GTEST_SKIP() << "needs AVX2";
    for (const dim_t channels : {1024, 1000}) {
        const auto layout = reference::Layout::from_letters("aBcd8b", {64, channels, 1, 1});
        const OpDesc desc = descriptor({layout, layout, DataType::s8, 1, 8, false});
        std::vector<std::string> served;
        for (const Implementation* row : rows_in_force())
            if (row->plan(row->isa, desc).ok()) served.emplace_back(row->name);
        ASSERT_FALSE(served.empty());
        EXPECT_EQ(served[0].rfind("jit_interleaved:", 0), 0u) << served[0];
    }
}

TEST(ShuffleJit, BackwardOfForwardIsTheIdentity) {
    for (const Implementation* row : rows_in_force())
        for (const char* letters : {"abcd", "acdb", "aBcd8b"}) {
            const auto layout = reference::Layout::from_letters(letters, {2, 24, 3, 5});
            const Case forward{layout, layout, DataType::bf16, 1, 3, false};
            const Case backward{layout, layout, DataType::bf16, 1, 3, true};
            const GuardedBuffer src(static_cast<size_t>(layout.span()) * 2);
            const auto values = test::test_bytes(src.bytes());
            std::memcpy(src.data(), values.data(), values.size());
            GuardedBuffer middle(src.bytes()), back(src.bytes());
            const auto there = create(*row, forward), again = create(*row, backward);
            ASSERT_EQ(there == nullptr, again == nullptr);
            if (there == nullptr) continue;
            run(*there, forward, src, middle.data());
            run(*again, backward, middle, back.data());
            EXPECT_EQ(std::memcmp(back.data(), src.data(), src.bytes()), 0)
                << row->name << " " << letters;
        }
}

}  // namespace
}  // namespace tombola::impl
