// SPDX-License-Identifier: Apache-2.0

// Runs and tiles of tensors of many layouts, against the offset of each element.

#include "cpu/rng/scatter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "common/format_tag.hpp"
#include "common/types.hpp"
#include "cpu/rng/dense_bands.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr int64_t kAllRows = std::numeric_limits<int64_t>::max();

struct Tensor {
    MemoryDesc desc;
    std::vector<dim_t> places;      // of each element in row-major order, in bytes
    std::vector<uint8_t> memory;    // zeros where there is no element
    std::vector<uint8_t> elements;  // the same, in row-major order

    Tensor(const std::vector<dim_t>& dims, DataType type, const char* tag) {
        auto made =
            MemoryDesc::from_tag(static_cast<int>(dims.size()), dims.data(), type, tag_of(tag));
        EXPECT_TRUE(made.ok()) << tag << ": " << made.status().message();
        desc = made.take();
        const size_t size = size_of(type);
        memory.resize(desc.size());
        Dims index{};
        for (dim_t e = 0; e < desc.nelems(); ++e) {
            dim_t rest = e;
            for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
            places.push_back(desc.offset_of(index) * static_cast<dim_t>(size));
            for (size_t i = 0; i < size; ++i) {
                const uint64_t mixed = (static_cast<uint64_t>(e) + 1) * 0x9E3779B97F4A7C15;
                const auto byte = static_cast<uint8_t>(1 + (mixed >> (8 * i)) % 255);
                elements.push_back(byte);
                memory[static_cast<size_t>(places.back()) + i] = byte;
            }
        }
    }
    size_t element_bytes() const { return size_of(desc.data_type); }
};

const std::vector<std::vector<dim_t>> kShapes = {{2, 37, 5, 7},   {1, 64, 19, 21}, {3, 16, 1, 1},
                                                 {2, 20, 3, 100}, {1, 3, 40, 40},  {1, 130, 2, 33},
                                                 {5, 40, 2, 2},   {9, 24, 3, 1}};
const char* const kTags[] = {"abcd", "acdb", "aBcd8b", "aBcd16b", "cdba", "acbd", "bacd"};
const DataType kTypes[] = {DataType::u8, DataType::bf16, DataType::f32, DataType::f64};

std::vector<Range> ranges_of(int64_t count) {
    return {{0, count}, {count / 3, count}, {1, count - count / 5}, {count / 2, count / 2}};
}

template <class Body>
void for_each_tensor(const Body& body) {
    for (const auto& dims : kShapes)
        for (const DataType type : kTypes)
            for (const char* tag : kTags) {
                SCOPED_TRACE(std::string(tag) + " " + name_of(type) + " " +
                             dims_to_string(static_cast<int>(dims.size()), dims.data()));
                body(Tensor(dims, type, tag));
            }
}

TEST(RunCopier, TilesCoverARangeOnce) {
    for_each_tensor([](const Tensor& tensor) {
        const RunCopier copier(tensor.desc);
        const int64_t line = RunCopier::rows_of_line(tensor.element_bytes());
        const TileLimits all_limits[] = {
            {2048, kAllRows}, {4096, kAllRows},      {16384, kAllRows},        {4096, line},
            {4096, line / 2}, {2048, kAllRows, 300}, {4096, kAllRows, 4096, 8}};
        for (const TileLimits& limits : all_limits)
            for (const Range& range : ranges_of(tensor.desc.nelems())) {
                std::vector<int> visits(static_cast<size_t>(tensor.desc.nelems()));
                int64_t band = -1, band_rows = 0;
                copier.for_each_tile(range, limits, [&](const Tile& tile) {
                    ASSERT_LE(tile.elements(), limits.capacity);
                    ASSERT_LE(tile.rows, limits.rows);
                    // All columns of so few rows come before the next rows.
                    if (limits.rows <= line && tile.rows > 1) {
                        const int64_t row = tile.first / copier.row_elements();
                        if (tile.first % copier.row_elements() == 0) {
                            band = row;
                            band_rows = tile.rows;
                        }
                        ASSERT_EQ(row, band);
                        ASSERT_EQ(tile.rows, band_rows);
                    }
                    int64_t next = 0;
                    for_each_run(tile, [&](int64_t first, int64_t count, int64_t at) {
                        ASSERT_EQ(at, next);
                        ASSERT_GE(count, 1);
                        next += count;
                        for (int64_t e = first; e < first + count; ++e)
                            ++visits.at(static_cast<size_t>(e));
                    });
                    ASSERT_EQ(next, tile.elements());
                });
                for (int64_t e = 0; e < tensor.desc.nelems(); ++e)
                    ASSERT_EQ(visits[static_cast<size_t>(e)],
                              range.begin <= e && e < range.end ? 1 : 0)
                        << e;
            }
    });
}

TEST(RunCopier, ShortBandsAreJoined) {
    const struct {
        std::vector<dim_t> dims;
        const char* tag;
        int64_t joined_below, tiles;
    } kCases[] = {
        {{8, 512, 2, 2}, "aBcd8b", 0, 512},   // each block of an image
        {{8, 512, 2, 2}, "aBcd8b", 33, 4},    // two images
        {{8, 512, 2, 2}, "aBcd8b", 32, 512},  // no band has fewer elements
        {{3, 520, 3, 3}, "aBcd8b", 4096, 6},  // 4,680 elements: 56 bands of 72, and the other 9
        {{7, 20, 3, 3}, "aBcd8b", 4096, 1},   // the last block of an image has 4 channels
        {{30, 100, 2, 2}, "acdb", 4096, 3},   // ten images
        {{30, 100, 2, 2}, "acdb", 400, 30},   // no band has fewer elements
    };
    for (const auto& c : kCases) {
        const Tensor tensor(c.dims, DataType::f32, c.tag);
        int64_t tiles = 0;
        RunCopier(tensor.desc)
            .for_each_tile({0, tensor.desc.nelems()}, {4096, kAllRows, c.joined_below},
                           [&](const Tile&) { ++tiles; });
        EXPECT_EQ(tiles, c.tiles) << c.tag << " " << c.joined_below;
    }
}

TEST(RunCopier, TilesHaveWholeRowsIfEnoughFit) {
    const Tensor tensor({1, 64, 17, 17}, DataType::f32, "acdb");
    const auto first_tile = [&](int64_t whole_rows) {
        Tile first{};
        RunCopier(tensor.desc)
            .for_each_tile({0, tensor.desc.nelems()}, {4096, kAllRows, 0, whole_rows},
                           [&](const Tile& tile) {
                               if (first.rows == 0) first = tile;
                           });
        return std::pair{first.rows, first.columns};
    };
    EXPECT_EQ(first_tile(0), (std::pair<int64_t, int64_t>{16, 256}));   // rows of a cache line
    EXPECT_EQ(first_tile(8), (std::pair<int64_t, int64_t>{8, 289}));    // 14 rows fit
    EXPECT_EQ(first_tile(16), (std::pair<int64_t, int64_t>{16, 256}));  // too few fit
}

TEST(RunCopier, RunsAreGatheredAndScattered) {
    for_each_tensor([](const Tensor& tensor) {
        const RunCopier copier(tensor.desc);
        const size_t size = tensor.element_bytes();
        const auto length = static_cast<int64_t>(tensor.desc.nelems());
        std::vector<uint8_t> written(tensor.memory.size());
        int64_t count = 1;
        for (int64_t first = 0; first < length; first += count, count = count * 7 % 1009 + 1) {
            count = std::min(count, length - first);
            const size_t at = static_cast<size_t>(first) * size;
            const size_t bytes = static_cast<size_t>(count) * size;
            std::vector<uint8_t> buffer(bytes);
            copier.gather(tensor.memory.data(), first, count, buffer.data());
            ASSERT_EQ(std::memcmp(buffer.data(), tensor.elements.data() + at, bytes), 0) << first;
            copier.scatter(written.data(), first, count, buffer.data());
        }
        ASSERT_EQ(written, tensor.memory);
    });
}

TEST(RunCopier, BandsAreJoinedUnlessTheirRowsAreComputedAtOnce) {
    const auto joined_below = [](const char* tag, dim_t pixels, const RowsAtOnce& at_once) {
        const Tensor tensor({2, 64, pixels, pixels}, DataType::f32, tag);
        return RunCopier(tensor.desc).limits(4096, at_once, 8).joined_below;
    };
    const RowsAtOnce sixteen{16, 16, 4};
    EXPECT_LT(joined_below("aBcd16b", 4, sixteen), 4096);
    EXPECT_LT(joined_below("acdb", 4, sixteen), 4096);
    EXPECT_EQ(joined_below("aBcd16b", 4, RowsAtOnce()), 4096);
    EXPECT_EQ(joined_below("aBcd16b", 3, sixteen), 4096);  // 9 pixels are no whole blocks
    EXPECT_EQ(joined_below("aBcd8b", 4, sixteen), 4096);   // 8 rows lie side by side
    EXPECT_EQ(joined_below("abcd", 4, sixteen), 4096);
}

// The buffer is longer than the tile by 8 bytes at each end, which must stay as they are.
void check_tiles(const Tensor& tensor, const TileLimits& limits) {
    const RunCopier copier(tensor.desc);
    const size_t size = tensor.element_bytes();
    std::vector<uint8_t> written(tensor.memory.size());
    copier.for_each_tile({0, tensor.desc.nelems()}, limits, [&](const Tile& tile) {
        const size_t bytes = static_cast<size_t>(tile.elements()) * size;
        std::vector<uint8_t> buffer(bytes + 16, 0xEE);
        copier.gather(tensor.memory.data(), tile, buffer.data() + 8);
        for_each_run(tile, [&](int64_t first, int64_t count, int64_t at) {
            ASSERT_EQ(std::memcmp(buffer.data() + 8 + static_cast<size_t>(at) * size,
                                  tensor.elements.data() + static_cast<size_t>(first) * size,
                                  static_cast<size_t>(count) * size),
                      0);
        });
        for (size_t i = 0; i < 8; ++i)
            ASSERT_TRUE(buffer[i] == 0xEE && buffer[bytes + 8 + i] == 0xEE);
        copier.scatter(written.data(), tile, buffer.data() + 8);
    });
    ASSERT_EQ(written, tensor.memory);
}

TEST(RunCopier, TilesAreGatheredAndScattered) {
    for_each_tensor([](const Tensor& tensor) {
        check_tiles(tensor, {4096});
        check_tiles(tensor, {4096, kAllRows, 4096, 8});
    });
}

TEST(RunCopier, ColumnsAreWhereTheElementsAre) {
    int64_t tiles = 0;
    for_each_tensor([&](const Tensor& tensor) {
        const RunCopier copier(tensor.desc);
        const char* data = reinterpret_cast<const char*>(tensor.memory.data());
        const auto size = static_cast<int64_t>(tensor.element_bytes());
        const auto place = [&](int64_t element) {
            return tensor.places.at(static_cast<size_t>(element));
        };
        copier.for_each_tile({0, tensor.desc.nelems()}, {4096}, [&](const Tile& tile) {
            if (!copier.is_side_by_side(tile)) return;
            ++tiles;
            const auto columns = copier.columns(static_cast<const void*>(data), tile);
            ASSERT_EQ(columns.ahead, place(tile.next) - place(tile.first));
            for (int64_t row = 0; row < tile.rows; ++row)
                for (int64_t column = 0; column < tile.columns; ++column)
                    ASSERT_EQ(columns.row(row, size).at + column * columns.step - data,
                              place(tile.first + row * tile.distance + column));
        });
    });
    EXPECT_GT(tiles, 0);
}

TEST(RowsAtOnce, ServesRowsOfWholeBlocks) {
    const RowsAtOnce rows{8, 8, 4};
    EXPECT_TRUE(rows.serves({8, 8, 12, 40, 0}));
    EXPECT_TRUE(rows.serves({8, 19, 12, 40, 0}));
    EXPECT_FALSE(rows.serves({8, 7, 12, 40, 0}));  // too few rows
    EXPECT_FALSE(rows.serves({9, 8, 12, 40, 0}));  // the first row begins within a block
    EXPECT_FALSE(rows.serves({8, 8, 14, 40, 0}));  // a row ends within a block
    EXPECT_FALSE(rows.serves({8, 8, 12, 42, 0}));  // the second row begins within a block
    EXPECT_FALSE(RowsAtOnce{}.serves({0, 8, 4, 4, 0}));
}

TEST(RowsAtOnce, ComputesTheMostRowsThatAreLeft) {
    const RowsAtOnce rows{8, 16, 4};
    for (const auto& [left, next] : {std::pair{40, 16}, {16, 16}, {15, 8}, {8, 8}, {7, 0}, {0, 0}})
        EXPECT_EQ(rows.next_of(left), next) << left;
}

TEST(DenseBands, HaveEachElementWhereItLies) {
    int64_t with_padding = 0;
    for_each_tensor([&](const Tensor& tensor) {
        const DenseBands bands(tensor.desc);
        ASSERT_TRUE(bands.exist() || !RunCopier(tensor.desc).has_tiles() ||
                    !tensor.desc.is_dense());
        if (!bands.exist()) return;
        const auto size = static_cast<int64_t>(tensor.element_bytes());
        int64_t elements = 0;
        for (int64_t number = 0; number < bands.count(); ++number) {
            const DenseBands::Band band = bands.at(number);
            elements += band.rows * bands.columns();
            with_padding += band.rows < bands.rows();
            for (int64_t row = 0; row < band.rows; ++row)
                for (int64_t column = 0; column < bands.columns(); ++column)
                    ASSERT_EQ((band.offset + column * bands.rows() + row) * size,
                              tensor.places.at(static_cast<size_t>(
                                  band.first + row * bands.columns() + column)));
        }
        ASSERT_EQ(elements, tensor.desc.nelems());
    });
    EXPECT_GT(with_padding, 0);
}

// A transformation takes the tiles of one tensor for all of its tensors.
TEST(RunCopier, TilesOfAnotherTensorAreCopied) {
    for (const auto& dims : kShapes)
        for (const char* leader : kTags)
            for (const char* follower : kTags) {
                SCOPED_TRACE(std::string(leader) + " " + follower + " " +
                             dims_to_string(static_cast<int>(dims.size()), dims.data()));
                const Tensor from(dims, DataType::f32, leader), to(dims, DataType::f32, follower);
                const RunCopier reader(from.desc), writer(to.desc);
                std::vector<uint8_t> written(to.memory.size());
                std::vector<uint32_t> buffer(4096);
                for (const int64_t joined_below : {0, 4096}) {
                    const TileLimits limits{4096, kAllRows, joined_below};
                    reader.for_each_tile({0, from.desc.nelems()}, limits, [&](const Tile& tile) {
                        reader.gather(from.memory.data(), tile, buffer.data());
                        writer.scatter(written.data(), tile, buffer.data());
                    });
                    ASSERT_EQ(written, to.memory);
                    std::fill(written.begin(), written.end(), uint8_t{0});
                }
            }
}

}  // namespace
}  // namespace tombola::impl::cpu
