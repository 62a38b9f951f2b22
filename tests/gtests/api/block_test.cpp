// SPDX-License-Identifier: Apache-2.0

// memory::desc::with_block(): every layout that a descriptor can hold. Its meaning is written down in
// tombola.h; expected offsets are worked out here from those words.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tombola/tombola.hpp"

namespace tombola::test {
namespace {

using Dims = memory::dims;
using DataType = memory::data_type;
using Tag = memory::format_tag;

TEST(WithBlock, IsWhatTheTagSays) {
    struct Case {
        Dims dims;
        Tag tag;
        Dims strides;
        memory::dim block;
    };
    const Case cases[] = {
        {{2, 20, 3, 5}, Tag::aBcd16b, {480, 240, 80, 16}, 16},
        {{2, 20, 3, 5}, Tag::aBcd8b, {360, 120, 40, 8}, 8},
        {{3, 7, 4}, Tag::aBc4b, {32, 16, 4}, 4},
    };
    for (const Case& c : cases) {
        const memory::desc tagged(c.dims, DataType::f32, c.tag);
        const auto made = memory::desc::with_block(c.dims, DataType::f32, c.strides, 1, c.block);
        EXPECT_EQ(made, tagged);
        EXPECT_EQ(made.get_padded_dims(), tagged.get_padded_dims());
        EXPECT_EQ(made.get_size(), tagged.get_size());
    }
    const memory::desc plain({2, 3}, DataType::s8, Dims{8, 1});
    EXPECT_EQ(memory::desc::with_block({2, 3}, DataType::s8, {8, 1}, 0, 1), plain);
    const memory::desc box = plain.submemory_desc({1, 2}, {1, 1});
    EXPECT_EQ(memory::desc::with_block({1, 2}, DataType::s8, {8, 1}, 0, 1, 9), box);
    EXPECT_TRUE(memory::desc::with_block({}, DataType::f32, {}, 0, 1).is_zero());
}

TEST(WithBlock, Queries) {
    const auto desc = memory::desc::with_block({70, 5}, DataType::f64, {400, 64}, 0, 64, 3);
    EXPECT_EQ(desc.get_inner_nblks(), 1);
    EXPECT_EQ(desc.get_inner_blks(), Dims{64});
    EXPECT_EQ(desc.get_inner_idxs(), Dims{0});
    EXPECT_EQ(desc.get_padded_dims(), (Dims{128, 5}));
    EXPECT_EQ(desc.get_strides(), (Dims{400, 64}));
    EXPECT_EQ(desc.get_submemory_offset(), 3);
    // Offset 3, the second block at 400, the fifth row in it at 256, 64 elements there.
    EXPECT_EQ(desc.get_size(), (3 + 400 + 256 + 64) * sizeof(double));
}

std::string refusal(const Dims& dims, const Dims& strides, int block_dim, memory::dim block,
                    memory::dim offset = 0) {
    try {
        memory::desc::with_block(dims, DataType::f32, strides, block_dim, block, offset);
        return "accepted";
    } catch (const error& e) {
        EXPECT_EQ(e.status, tombola_invalid_arguments);
        return e.message;
    }
}

TEST(WithBlock, Refusals) {
    const auto names = [](const std::string& message, const char* part) {
        return message.find(part) != std::string::npos;
    };
    EXPECT_TRUE(names(refusal({8, 8}, {8, 8}, 0, 3), "block is 3"));
    EXPECT_TRUE(names(refusal({8, 8}, {8, 8}, 0, 128), "block is 128"));
    EXPECT_TRUE(names(refusal({8, 8}, {8, 8}, 0, 0), "block is 0"));
    EXPECT_TRUE(names(refusal({8, 8}, {8, 8}, 2, 4), "block_dim is 2"));
    EXPECT_TRUE(names(refusal({8, 8}, {8, 8}, -1, 4), "block_dim is -1"));
    EXPECT_TRUE(names(refusal({8, 8}, {64, 8}, 0, 8, -1), "offset is -1"));
    // Rows of blocks of 8 that are 4 apart share elements.
    EXPECT_TRUE(names(refusal({8, 8}, {64, 4}, 0, 8), "strides[1] is 4"));
    EXPECT_TRUE(names(refusal({INT64_MAX, 8}, {64, 8}, 0, 8), "dims"));
    EXPECT_TRUE(names(refusal({8, 8}, {64, 8}, 0, 8, INT64_MAX), "offset"));
    EXPECT_TRUE(names(refusal({8, 8}, {64}, 0, 8), "strides"));
    EXPECT_FALSE(memory::desc::with_block({8, 8}, DataType::f32, {8, 8}, 0, 3, 0, true));
}

// Shuffles of both axes, by every implementation, in blocks that have no tag, with gaps and an offset.
TEST(WithBlock, Shuffles) {
    const engine eng(engine::kind::cpu, 0);
    const stream queue(eng);
    const memory::dim rows = 12, columns = 72, offset = 5;
    for (const DataType type : {DataType::u8, DataType::f16, DataType::f32, DataType::f64})
        for (const memory::dim block : {2, 4, 16, 32, 64})
            for (const int block_dim : {0, 1}) {
                const auto bytes = memory::data_type_size(type);
                // The other dimension is walked inside, in steps of a block; a gap of 3 elements behind it.
                const memory::dim inner = block_dim == 1 ? rows : columns;
                const memory::dim outer = inner * block + 3;
                const Dims strides = block_dim == 1 ? Dims{block, outer} : Dims{outer, block};
                const auto md = memory::desc::with_block({rows, columns}, type, strides, block_dim,
                                                         block, offset);
                const auto at = [&](memory::dim r, memory::dim c) {
                    const memory::dim blocked = block_dim == 1 ? c : r,
                                      plain = block_dim == 1 ? r : c;
                    return static_cast<size_t>(offset + blocked / block * outer + plain * block +
                                               blocked % block) *
                           bytes;
                };
                std::vector<uint8_t> from(md.get_size()), to(md.get_size());
                for (size_t i = 0; i < from.size(); ++i)
                    from[i] = static_cast<uint8_t>((i * 2654435761u) >> 13);
                for (const int axis : {0, 1}) {
                    const memory::dim size = axis == 0 ? rows : columns, group = 4,
                                      q = size / group;
                    shuffle_forward::primitive_desc pd(eng, prop_kind::forward_training, md, md,
                                                       axis, group);
                    do {
                        std::fill(to.begin(), to.end(), uint8_t{0xEE});
                        shuffle_forward(pd).execute(
                            queue, {{TOMBOLA_ARG_SRC, memory(md, eng, from.data())},
                                    {TOMBOLA_ARG_DST, memory(md, eng, to.data())}});
                        for (memory::dim r = 0; r < rows; ++r)
                            for (memory::dim c = 0; c < columns; ++c) {
                                const memory::dim x = axis == 0 ? r : c,
                                                  from_x = x % q * group + x / q;
                                const size_t source = axis == 0 ? at(from_x, c) : at(r, from_x);
                                ASSERT_EQ(std::memcmp(&to[at(r, c)], &from[source], bytes), 0)
                                    << pd.impl_info_str() << " block " << block << " of dimension "
                                    << block_dim << ", axis " << axis << ", " << bytes << " bytes";
                            }
                        // In front of the tensor and in the gap nothing is written.
                        for (size_t i = 0; i < offset * bytes; ++i) ASSERT_EQ(to[i], 0xEE);
                        const size_t gap = static_cast<size_t>(offset + inner * block) * bytes;
                        for (size_t i = gap; i < std::min(gap + 3 * bytes, to.size()); ++i)
                            ASSERT_EQ(to[i], 0xEE);
                    } while (pd.next_impl());
                }
            }
}

}  // namespace
}  // namespace tombola::test
