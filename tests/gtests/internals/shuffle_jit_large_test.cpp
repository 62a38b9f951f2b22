// SPDX-License-Identifier: Apache-2.0

// Every row of shuffle's implementation list, with tensors so large that threads share them, that stores bypass the caches, or that
// offsets exceed 32 bits.

#include <algorithm>
#include <cstring>
#include <utility>

#include "gtests/common/sparse_memory.hpp"
#include "gtests/internals/shuffle_jit_fixture.hpp"

namespace tombola::impl {
namespace {

TEST(ShuffleJitLarge, EnoughForThreadsAndTiles) {
    Served served;
    for (const DataType type : {DataType::s8, DataType::f32})
        for (const char* letters : {"abcd", "acdb", "aBcd8b", "aBcd16b"})
            for (const auto& dims :
                 {reference::Dims{8, 116, 47, 53}, reference::Dims{128, 90, 7, 7},
                  reference::Dims{1, 12, 251, 197}}) {
                const auto layout = reference::Layout::from_letters(letters, dims);
                check_both_directions(served, layout, layout, type, 1, dims[1] == 116 ? 4 : 3);
                if (HasFatalFailure()) return;
            }
}

// Two loops over images, the inner one of which ends in a gap: threads begin within it. CMakeLists.txt runs this once more with three
// threads, which share the smallest work.
TEST(ShuffleJitLarge, ThreadsBeginBetweenImages) {
    Served served;
    for (const char* letters : {"abcde", "abdec", "abCde8c"}) {
        auto layout = reference::Layout::from_letters(letters, {11, 5, 64, 7, 13});
        layout.strides[0] += 16;
        check_both_directions(served, layout, layout, DataType::f32, 2, 4);
        if (HasFatalFailure()) return;
    }
}

// From 72 MiB of source and destination on, stores bypass the caches on every machine: whole registers, if the destination is aligned
// to them, parts of 16 bytes, or lines if it is aligned to 8.
TEST(ShuffleJitLarge, EnoughToStream) {
    Served served;
    const auto check = [&served](const Case& c) {
        const int64_t elements = std::min(c.src.span(), c.dst.span());
        EXPECT_GE(2 * elements * static_cast<int64_t>(size_of(c.type)), int64_t{72} << 20)
            << c.to_string();
        served.check(c, {16, 40, 52});
    };
    for (const char* letters : {"acdb", "aBcd8b", "aBcd16b"}) {
        const auto layout = reference::Layout::from_letters(letters, {3, 64, 223, 229});
        check({layout, layout, DataType::f32, 1, 4, false});
        if (HasFatalFailure()) return;
    }
    // Steps of pixels whose last one is aligned, in images of several tiles and of one.
    for (const auto& [letters, dims] :
         {std::pair<const char*, reference::Dims>{"aBcd8b", {101, 120, 28, 28}},
          {"aBcd16b", {104, 117, 28, 28}},
          {"aBcd8b", {107, 720, 8, 16}},
          {"acdb", {104, 117, 28, 28}}}) {
        const auto layout = reference::Layout::from_letters(letters, dims);
        check({layout, layout, DataType::f32, 1, 3, false});
        if (HasFatalFailure()) return;
    }
    // Stitched rows, in groups of a single slice and of several.
    const auto rows = reference::Layout::from_letters("abcd", {193, 1008, 7, 7});
    check({rows, rows, DataType::f32, 1, 4, false});
    const auto slices = reference::Layout::from_letters("abcd", {41, 4800, 7, 7});
    check({slices, slices, DataType::f32, 1, 2, false});
    // Rows that are copied: in a destination without gaps, with gaps between images, and with gaps between rows.
    const auto dense = reference::Layout::from_letters("abcd", {178, 318, 13, 13});
    for (const auto& [images, rows] :
         {std::pair<int64_t, int64_t>{318 * 169, 169}, {318 * 169 + 5, 169}, {318 * 172, 172}}) {
        auto dst = dense;
        dst.strides = {images, rows, 13, 1};
        check({dense, dst, DataType::f32, 1, 3, false});
    }
    // Lines of blocks that lie apart by no whole units.
    for (const int64_t gap : {1, 2, 4}) {
        auto apart = reference::Layout::from_letters("aBc4b", {78, 608, 400});
        apart.strides[1] += gap;
        apart.strides[0] = 152 * apart.strides[1] + 2;
        check({apart, apart, DataType::bf16, 1, 76, false});
    }
    // Registers of blocks that lie apart by no whole registers of 32 bytes.
    auto odd = reference::Layout::from_letters("aBc8b", {26, 608, 640});
    odd.strides[1] += 4;
    odd.strides[0] = 76 * odd.strides[1];
    check({odd, odd, DataType::f32, 1, 76, false});
    // Images so small that many blocks share lines.
    const auto small = reference::Layout::from_letters("aBcd8b", {44000, 216, 1, 1});
    check({small, small, DataType::f32, 1, 9, false});
    // Unpacks, two columns of which are one store.
    const auto bytes = reference::Layout::from_letters("acdb", {1, 256, 400, 400});
    check({bytes, bytes, DataType::u8, 1, 16, false});
}

// On Sapphire Rapids, permutes of 48 MiB and more prefetch their sources, and those below 72 MiB store through the caches.
TEST(ShuffleJitLarge, EnoughToPrefetchSources) {
    Served served;
    for (const char* letters : {"acdb", "aBcd8b"}) {
        const auto layout = reference::Layout::from_letters(letters, {2, 64, 223, 229});
        const int64_t bytes = 2 * layout.span() * static_cast<int64_t>(sizeof(float));
        ASSERT_GE(bytes, int64_t{48} << 20);
        ASSERT_LT(bytes, int64_t{72} << 20);
        served.check({layout, layout, DataType::f32, 1, 4, false});
        if (HasFatalFailure()) return;
    }
}

// No tensor of this size is made: whoever accepts such a descriptor has to generate code for it too.
TEST(ShuffleJitLarge, BeyondTwoGiB) {
    constexpr int64_t k2To32 = int64_t{1} << 32;
    int served = 0;  // by generated code
    const auto create_all = [&](const reference::Layout& layout, int axis, int64_t group) {
        for (const Implementation& row : implementations(PrimitiveKind::shuffle))
            for (const DataType type : {DataType::s8, DataType::f32})
                for (const bool backward : {false, true})
                    if (row.isa <= effective_isa() &&
                        create(row, {layout, layout, type, axis, group, backward}) != nullptr)
                        served += row.isa != CpuIsa::none;
    };
    for (const int64_t group : {int64_t{1}, int64_t{2}, int64_t{32}, k2To32 / 2, k2To32}) {
        create_all(reference::Layout::row_major({k2To32}), 0, group);
        create_all(reference::Layout::row_major({3, k2To32}), 1, group);
        create_all(reference::Layout::row_major({k2To32, 7}), 0, group);
        create_all(reference::Layout::from_letters("acb", {3, k2To32, 5}), 1, group);
        create_all(reference::Layout::from_letters("aBc8b", {3, k2To32, 5}), 1, group);
    }
    for (const int64_t group : {2, 3}) {
        create_all(reference::Layout::row_major({6, k2To32}), 0, group);
        create_all(reference::Layout::from_letters("cba", {5, 6, k2To32}), 1, group);
        create_all(reference::Layout::from_letters("aBc4b", {2, 12, k2To32}), 1, group);
        create_all(reference::Layout::from_letters("Bac8b", {k2To32, 24, 2}), 1, group);
    }
    // Rows below 2 GiB, of which the next one to copy lies further away.
    for (const int64_t row : {k2To32 / 4, k2To32 / 4 + 16, k2To32 / 7}) {
        create_all(reference::Layout::row_major({4, row}), 0, 2);
        create_all(reference::Layout::row_major({2, 16, row}), 1, 8);
    }
    if (effective_isa() != CpuIsa::none) {
        EXPECT_GE(served, 50);
    }
}

// The same if one of both tensors is small. A row either refuses a distance, or its code reaches it.
TEST(ShuffleJitLarge, OneTensorBeyondTwoGiB) {
    const reference::Dims dims = {1, 16, 64};
    const auto logical = test::test_bytes(16 * 64 * sizeof(float));
    std::vector<uint8_t> want(logical.size()), got(logical.size());
    for (const char* letters : {"aBc4b", "aBc8b", "abc", "acb"})
        for (const int64_t distance : {int64_t{1} << 28, int64_t{1} << 30, int64_t{1} << 31}) {
            const auto dense = reference::Layout::from_letters(letters, dims);
            auto apart = dense;
            apart.strides[1] = distance;
            for (const auto& [src, dst] : {std::pair{dense, apart}, {apart, dense}})
                for (const int64_t group : {2, 4}) {
                    const test::SparseMemory from(static_cast<size_t>(src.span()) * sizeof(float));
                    const test::SparseMemory to(static_cast<size_t>(dst.span()) * sizeof(float));
                    ASSERT_TRUE(from.data() != nullptr && to.data() != nullptr);
                    reference::pack(src, sizeof(float), logical.data(), from.data());
                    reference::shuffle_reference(dims, sizeof(float), 1, group, false,
                                                 logical.data(), want.data());
                    for (const Implementation* row : rows_in_force()) {
                        const Case problem{src, dst, DataType::f32, 1, group, false};
                        const auto executable = create(*row, problem);
                        if (executable == nullptr) continue;
                        std::fill(got.begin(), got.end(), GuardedBuffer::kPoison);
                        reference::pack(dst, sizeof(float), got.data(), to.data());
                        ExecContext context;
                        context.add(TOMBOLA_ARG_SRC, from.data());
                        context.add(TOMBOLA_ARG_DST, to.data());
                        EXPECT_TRUE(executable->execute(context).ok());
                        reference::unpack(dst, sizeof(float), to.data(), got.data());
                        EXPECT_TRUE(got == want) << row->name << " " << problem.to_string();
                    }
                }
        }
}

// Rows that stream, each 1 GiB behind the one before it. The memory between them is never touched.
TEST(ShuffleJitLarge, RowsThatStreamFarApart) {
    constexpr int64_t kRow = int64_t{20} << 20, kApart = int64_t{1} << 30;
    const auto dense = reference::Layout::row_major({4, kRow});
    auto apart = dense;
    apart.strides = {kApart, 1};
    const test::SparseMemory memory(static_cast<size_t>(apart.span()));
    ASSERT_NE(memory.data(), nullptr);
    const auto bytes = test::test_bytes(static_cast<size_t>(kRow + 3));
    for (int64_t row = 0; row < 4; ++row)
        std::memcpy(memory.data() + row * kApart, bytes.data() + row, static_cast<size_t>(kRow));
    GuardedBuffer dst(static_cast<size_t>(4 * kRow));
    for (const Implementation* row : rows_in_force()) {
        const auto executable = create(*row, {apart, dense, DataType::u8, 0, 2, false});
        if (executable == nullptr) continue;
        dst.poison();
        ExecContext context;
        context.add(TOMBOLA_ARG_SRC, memory.data());
        context.add(TOMBOLA_ARG_DST, dst.data<void>());
        EXPECT_TRUE(executable->execute(context).ok());
        for (const int64_t u : {0, 1})
            for (const int64_t v : {0, 1})
                EXPECT_EQ(std::memcmp(dst.data() + (u + v * 2) * kRow, bytes.data() + u * 2 + v,
                                      static_cast<size_t>(kRow)),
                          0)
                    << row->name;
    }
}

}  // namespace
}  // namespace tombola::impl
