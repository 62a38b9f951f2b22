// SPDX-License-Identifier: Apache-2.0

// Every row of shuffle's implementation list, byte for byte, in guarded memory: generated cases of types,
// layouts, axes, groups and odd sizes, in both directions. Expected values come from tests/reference.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/implementation.hpp"
#include "common/op_desc.hpp"
#include "cpu/x64/shuffle/row_functions.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "gtests/common/tensor.hpp"
#include "reference/layout.hpp"
#include "reference/shuffle_reference.hpp"

namespace tombola::impl {
namespace {

using test::Guard;
using test::GuardedBuffer;

struct Case {
    reference::Layout src, dst;
    DataType type;
    int axis;
    int64_t group;
    bool backward;

    std::string to_string() const {
        return src.to_string() + " to " + dst.to_string() + " " + name_of(type) + " axis " +
               std::to_string(axis) + " group " + std::to_string(group) +
               (backward ? " backward" : " forward");
    }
};

MemoryDesc descriptor(const reference::Layout& layout, DataType type) {
    MemoryDesc desc;
    desc.ndims = layout.ndims();
    desc.data_type = type;
    desc.format_kind = FormatKind::blocked;
    desc.block_dim = layout.block_dim;
    desc.block = layout.block;
    for (int d = 0; d < desc.ndims; ++d) {
        const auto at = static_cast<size_t>(d);
        desc.dims[at] = layout.dims[at];
        desc.padded_dims[at] = layout.padded_dims[at];
        desc.strides[at] = layout.strides[at];
    }
    return desc;
}

ShuffleDesc descriptor(const Case& c) {
    ShuffleDesc desc;
    desc.prop_kind = c.backward ? PropKind::backward_data : PropKind::forward_training;
    desc.src = descriptor(c.src, c.type);
    desc.dst = descriptor(c.dst, c.type);
    desc.axis = c.axis;
    desc.group_size = c.group;
    return desc;
}

// What the destination's memory must hold: the reference's answer, zeros in the padding, and the poison it had
// everywhere else.
std::vector<uint8_t> expected(const Case& c, const std::vector<uint8_t>& logical_src) {
    const size_t element = size_of(c.type);
    std::vector<uint8_t> logical(logical_src.size());
    reference::shuffle_reference(c.src.dims, element, c.axis, c.group, c.backward,
                                 logical_src.data(), logical.data());
    std::vector<uint8_t> physical(static_cast<size_t>(c.dst.span()) * element,
                                  GuardedBuffer::kPoison);
    reference::pack(c.dst, element, logical.data(), physical.data());
    return physical;
}

// Null if the row does not serve the case.
std::unique_ptr<Executable> create(const Implementation& row, const Case& c) {
    const OpDesc desc = descriptor(c);
    const auto plan = row.plan(row.isa, desc);
    if (!plan.ok()) {
        EXPECT_EQ(plan.status().code(), StatusCode::unimplemented) << c.to_string();
        EXPECT_FALSE(plan.status().message().empty());
        return nullptr;
    }
    auto executable = plan.value()->build();
    EXPECT_TRUE(executable.ok()) << c.to_string() << executable.status().message();
    return executable.ok() ? executable.take() : nullptr;
}

void run(const Executable& executable, const Case& c, const GuardedBuffer& src, uint8_t* dst) {
    ExecContext context;
    context.add(c.backward ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC, src.data<void>());
    context.add(c.backward ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST, dst);
    EXPECT_TRUE(executable.execute(context).ok());
}

// Those of the instruction set in force alone, as ctest runs this for each.
std::vector<const Implementation*> rows_in_force() {
    std::vector<const Implementation*> rows;
    for (const Implementation& row : implementations(PrimitiveKind::shuffle))
        if (row.isa == effective_isa()) rows.push_back(&row);
    return rows;
}

class Served {
  public:
    // The destination begins at the edge of its buffer, and so many bytes behind it.
    void check(const Case& c, std::initializer_list<size_t> offsets = {}) {
        const size_t element = size_of(c.type);
        const auto logical = test::test_bytes(static_cast<size_t>(c.src.count()) * element);
        const auto want = expected(c, logical);
        std::vector<std::unique_ptr<Executable>> executables;
        for (const Implementation* row : rows_in_force()) {
            executables.push_back(create(*row, c));
            served_[row->name] += executables.back() != nullptr;
        }
        for (const Guard guard : {Guard::behind, Guard::before}) {
            const GuardedBuffer src(static_cast<size_t>(c.src.span()) * element, guard);
            // The source's padding stays poison: no row may take it for zeros.
            std::vector<uint8_t> physical(src.bytes(), GuardedBuffer::kPoison);
            reference::pack(c.src, element, logical.data(), physical.data());
            if (c.src.block_dim >= 0 && c.dst.block_dim >= 0)
                poison_padding(c.src, element, physical);
            std::memcpy(src.data(), physical.data(), physical.size());
            GuardedBuffer dst(want.size(), guard);
            for (size_t i = 0; i < executables.size(); ++i) {
                if (executables[i] == nullptr) continue;
                expect_result(*executables[i], i, c, src, dst, 0, want);
            }
            if (guard == Guard::behind) continue;
            for (const size_t offset : offsets) {
                std::vector<uint8_t> shifted(offset, GuardedBuffer::kPoison);
                shifted.insert(shifted.end(), want.begin(), want.end());
                GuardedBuffer behind_edge(shifted.size(), guard);
                for (size_t i = 0; i < executables.size(); ++i)
                    if (executables[i] != nullptr)
                        expect_result(*executables[i], i, c, src, behind_edge, offset, shifted);
            }
        }
    }
    const std::map<std::string, int>& counts() const { return served_; }

  private:
    static void expect_result(const Executable& executable, size_t number, const Case& c,
                              const GuardedBuffer& src, GuardedBuffer& dst, size_t offset,
                              const std::vector<uint8_t>& want) {
        dst.poison();
        run(executable, c, src, dst.data() + offset);
        const char* row = rows_in_force()[number]->name;
        ASSERT_EQ(std::memcmp(dst.data(), want.data(), want.size()), 0)
            << row << ": " << c.to_string() << ", " << offset << " bytes behind the edge";
        ASSERT_TRUE(dst.slack_is_intact()) << row << ": " << c.to_string();
    }

    static void poison_padding(const reference::Layout& layout, size_t element,
                               std::vector<uint8_t>& physical) {
        const auto d = static_cast<size_t>(layout.block_dim);
        if (layout.dims[d] == layout.padded_dims[d]) return;
        const int64_t padding = layout.padded_dims[d] - layout.dims[d];
        reference::Dims dims = layout.dims;
        dims[d] = padding;
        const reference::Layout box = reference::Layout::row_major(dims);
        for (int64_t e = 0; e < box.count(); ++e) {
            reference::Dims index = reference::index_of(dims, e);
            index[d] += layout.dims[d];
            std::memset(&physical[static_cast<size_t>(layout.offset(index)) * element],
                        GuardedBuffer::kPoison, element);
        }
    }

    std::map<std::string, int> served_;
};

// Strides in the order of `letters`, each dimension `gap` elements longer than it need be.
reference::Layout with_gaps(const std::string& letters, const reference::Dims& dims, int64_t gap) {
    reference::Layout layout = reference::Layout::from_letters(letters, dims);
    int64_t stride = 1;
    for (size_t i = letters.size(); i-- > 0;) {
        const auto d = static_cast<size_t>(letters[i] - 'a');
        layout.strides[d] = stride;
        stride *= layout.dims[d] + gap;
    }
    return layout;
}

constexpr DataType kTypes[] = {DataType::s8, DataType::bf16, DataType::f32, DataType::f64};

// Checks one shuffle, forward and backward.
void check_both_directions(Served& served, const reference::Layout& src,
                           const reference::Layout& dst, DataType type, int axis, int64_t group) {
    for (const bool backward : {false, true}) served.check({src, dst, type, axis, group, backward});
}

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

TEST(ShuffleJit, LargeEnoughForThreadsAndTiles) {
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

// From 72 MiB of source and destination on, stores bypass the caches on every machine: whole registers, if the destination is aligned
// to them, or parts of 16 bytes.
TEST(ShuffleJit, LargeEnoughToStream) {
    Served served;
    const auto check = [&served](const Case& c) {
        const int64_t elements = std::min(c.src.span(), c.dst.span());
        EXPECT_GE(2 * elements * static_cast<int64_t>(size_of(c.type)), int64_t{72} << 20)
            << c.to_string();
        served.check(c, {16, 48});
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
    // Images so small that many blocks share lines.
    const auto small = reference::Layout::from_letters("aBcd8b", {44000, 216, 1, 1});
    check({small, small, DataType::f32, 1, 9, false});
    // Unpacks, two columns of which are one store.
    const auto bytes = reference::Layout::from_letters("acdb", {1, 256, 400, 400});
    check({bytes, bytes, DataType::u8, 1, 16, false});
}

// On Sapphire Rapids, permutes of 48 MiB and more prefetch their sources, and those below 72 MiB store through the caches.
TEST(ShuffleJit, LargeEnoughToPrefetchSources) {
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
TEST(ShuffleJit, BeyondTwoGiB) {
    constexpr int64_t k2To32 = int64_t{1} << 32;
    const auto create_all = [](const reference::Layout& layout, int axis, int64_t group) {
        int served = 0;
        for (const Implementation& row : implementations(PrimitiveKind::shuffle))
            for (const DataType type : {DataType::s8, DataType::f32})
                for (const bool backward : {false, true})
                    served += row.isa <= effective_isa() &&
                              create(row, {layout, layout, type, axis, group, backward}) != nullptr;
        EXPECT_GE(served, 1);
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
}

// Rows that stream, each 1 GiB behind the one before it. The memory between them is never touched.
TEST(ShuffleJit, RowsThatStreamFarApart) {
    constexpr int64_t kRow = int64_t{20} << 20, kApart = int64_t{1} << 30;
    const auto dense = reference::Layout::row_major({4, kRow});
    auto apart = dense;
    apart.strides = {kApart, 1};
    const auto span = static_cast<size_t>(apart.span());
    void* const mapped = mmap(nullptr, span, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    const auto src = static_cast<uint8_t*>(mapped);
    const auto bytes = test::test_bytes(static_cast<size_t>(kRow + 3));
    for (int64_t row = 0; row < 4; ++row)
        std::memcpy(src + row * kApart, bytes.data() + row, static_cast<size_t>(kRow));
    GuardedBuffer dst(static_cast<size_t>(4 * kRow));
    for (const Implementation* row : rows_in_force()) {
        const auto executable = create(*row, {apart, dense, DataType::u8, 0, 2, false});
        if (executable == nullptr) continue;
        dst.poison();
        ExecContext context;
        context.add(TOMBOLA_ARG_SRC, src);
        context.add(TOMBOLA_ARG_DST, dst.data<void>());
        EXPECT_TRUE(executable->execute(context).ok());
        for (const int64_t u : {0, 1})
            for (const int64_t v : {0, 1})
                EXPECT_EQ(std::memcmp(dst.data() + (u + v * 2) * kRow, bytes.data() + u * 2 + v,
                                      static_cast<size_t>(kRow)),
                          0)
                    << row->name;
    }
    munmap(mapped, span);
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

// Groups longer than a slice, in rows of a few bytes and of several vectors.
TEST(ShuffleJit, ShortRowsOfManyChannels) {
    Served served;
    for (const DataType type : {DataType::s8, DataType::bf16, DataType::f32})
        for (const auto& dims : {reference::Dims{2, 1090, 7, 7}, reference::Dims{3, 606, 5, 5},
                                 reference::Dims{1, 402, 9, 13}}) {
            const auto layout = reference::Layout::from_letters("abcd", dims);
            check_both_directions(served, layout, layout, type, 1, 2);
            if (HasFatalFailure()) return;
        }
}

// Of every length up to a vector of 32 bytes, in a destination without gaps: on one thread and on several, and from sources with and
// without gaps, in one of which images lie side by side.
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

// Runs of rows that begin and end anywhere, as threads and slices cut them: nothing else is written.
TEST(ShuffleJit, StitchedRowsFromAnyRowToAny) {
    using cpu::x64::Sources;
    using cpu::x64::StitchFunction;
    using cpu::x64::Stores;
    if (effective_isa() < CpuIsa::avx512_core) GTEST_SKIP() << "AVX-512";
    constexpr int64_t kQ = 5, kG = 3, kImages = 6, kRows = kQ * kG * kImages;
    const auto check = [](int64_t R, Stores stores, Sources sources) {
        const cpu::x64::StitchKey key{CpuIsa::avx512_core, R,      kQ,     kG, R,
                                      kQ * kG * R,         stores, sources};
        ASSERT_TRUE(StitchFunction::serves(key));
        const auto made = StitchFunction::make(key);
        ASSERT_TRUE(made.ok()) << made.status().message();
        const StitchFunction& stitch = made.value();
        const auto bytes = static_cast<size_t>(kRows * R);
        const GuardedBuffer src(bytes);
        const auto values = test::test_bytes(bytes);
        std::memcpy(src.data(), values.data(), bytes);
        std::vector<uint8_t> want(bytes), got(bytes);
        for (int64_t row = 0; row < kRows; ++row) {
            const int64_t image = row / (kQ * kG), c = row % (kQ * kG);
            const int64_t from = image * kQ * kG + c % kQ * kG + c / kQ;
            std::memcpy(&want[static_cast<size_t>(row * R)], &values[static_cast<size_t>(from * R)],
                        static_cast<size_t>(R));
        }
        // Streaming stores need an aligned destination.
        const bool streams = stores == Stores::streaming || stores == Stores::streaming_parts;
        const size_t offset = stores == Stores::streaming_parts ? 16 : 0;
        GuardedBuffer dst(bytes + offset, streams ? Guard::before : Guard::behind);
        char* const to = dst.data<char>() + offset;
        const auto expect_rows = [&](int64_t begin, int64_t end) {
            std::fill(got.begin(), got.end(), GuardedBuffer::kPoison);
            std::copy(want.begin() + begin * R, want.begin() + end * R, got.begin() + begin * R);
            ASSERT_EQ(std::memcmp(to, got.data(), bytes), 0)
                << R << " bytes, rows " << begin << " to " << end;
            ASSERT_EQ(std::count(dst.data(), dst.data() + offset, GuardedBuffer::kPoison), offset);
            ASSERT_TRUE(dst.slack_is_intact());
        };
        const int64_t ahead = 777;  // a prefetch of any address is harmless
        for (int64_t begin = 0; begin < kRows; ++begin)
            for (int64_t end = begin + 1; end <= kRows; ++end) {
                dst.poison();
                stitch(src.data<char>(), to, begin, end, ahead);
                expect_rows(begin, end);
                if (begin / kQ != (end - 1) / kQ) continue;
                const int64_t image = begin / (kQ * kG), c = begin % (kQ * kG);
                dst.poison();
                stitch.copy_within_group(
                    src.data<char>() + (image * kQ * kG + c % kQ * kG + c / kQ) * R, to, begin, end,
                    ahead);
                expect_rows(begin, end);
                if (::testing::Test::HasFatalFailure()) return;
            }
    };
    for (const int64_t R : {33, 36, 40, 47, 48, 49, 57, 63, 65, 98, 100, 127, 196, 255})
        for (const Stores stores : {Stores::plain, Stores::prefetched, Stores::streaming}) {
            check(R, stores, Sources::plain);
            if (stores == Stores::streaming) check(R, stores, Sources::prefetched);
            if (stores == Stores::streaming) check(R, stores, Sources::prefetched_l2);
            if (stores == Stores::streaming) check(R, Stores::streaming_parts, Sources::prefetched);
            if (HasFatalFailure()) return;
        }
}

// The kernel of rows, on rows at every alignment.
TEST(ShuffleJit, PrefetchedAndStreamingRows) {
    using cpu::x64::Sources;
    using cpu::x64::Stores;
    if (effective_isa() < CpuIsa::avx2) GTEST_SKIP() << "needs AVX2";
    const auto check = [](CpuIsa isa, int64_t row_bytes, Stores stores,
                          Sources sources = Sources::plain) {
        const auto kernel =
            cpu::x64::row_function({isa, row_bytes, row_bytes, row_bytes, stores, sources});
        ASSERT_TRUE(kernel.ok()) << kernel.status().message();
        constexpr int64_t kRows = 67;
        const GuardedBuffer src(static_cast<size_t>(kRows * row_bytes));
        GuardedBuffer dst(src.bytes());
        const auto values = test::test_bytes(src.bytes());
        std::memcpy(src.data(), values.data(), values.size());
        cpu::x64::RowArgs args{src.data(), dst.data(), {1, 0, 0}, {1, 0, 0}, kRows, 777};
        kernel.value()(args);
        EXPECT_EQ(std::memcmp(dst.data(), src.data(), src.bytes()), 0) << row_bytes;
        EXPECT_TRUE(dst.slack_is_intact());
    };
    for (const CpuIsa isa : {CpuIsa::avx2, CpuIsa::avx512_core}) {
        if (isa > effective_isa()) continue;
        for (const int64_t row_bytes : {4, 9, 16, 25, 49, 64, 98, 196}) {
            check(isa, row_bytes, Stores::prefetched);
            if (HasFatalFailure()) return;
        }
        for (const int64_t row_bytes : {128, 129, 191, 200, 512, 513, 575, 784, 1000, 3136, 4099}) {
            check(isa, row_bytes, Stores::prefetched);
            check(isa, row_bytes, Stores::prefetched_far);
            check(isa, row_bytes, Stores::streaming);
            check(isa, row_bytes, Stores::streaming, Sources::prefetched);
            check(isa, row_bytes, Stores::streaming, Sources::prefetched_l2);
            check(isa, row_bytes, Stores::strings);
            if (HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace tombola::impl
