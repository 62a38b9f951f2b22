// SPDX-License-Identifier: Apache-2.0

// Executions on boxes inside tensors, and on two tensors in one buffer, through the C API. Tensors that share an
// element are refused. Shuffle is the example.

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "gtests/api/primitive_fixture.hpp"
#include "gtests/common/tensor.hpp"

namespace tombola::test {
namespace {

MemoryDesc box_in(const MemoryDesc& parent, const tombola_dims_t dims, const tombola_dims_t at) {
    MemoryDesc box;
    EXPECT_EQ(tombola_memory_desc_create_submemory(box.out(), parent, dims, at), tombola_success)
        << last_error();
    return box;
}

// From a box of one tensor into a box of another: the rest of both stays.
TEST_F(PrimitiveApi, SubmemoryOnBothSides) {
    const MemoryDesc parent = row_major({4, 8}, tombola_s32);
    const tombola_dims_t box = {2, 4};
    const tombola_dims_t src_at = {1, 2};
    const tombola_dims_t dst_at = {2, 3};
    const MemoryDesc src_box = box_in(parent, box, src_at), dst_box = box_in(parent, box, dst_at);
    for_each_implementation(
        forward(src_box, dst_box, 1, 2), [&](const_tombola_primitive_desc_t desc) {
            std::array<int32_t, 32> x{};
            std::iota(x.begin(), x.end(), 0);
            std::array<int32_t, 32> y{};
            y.fill(-1);
            ASSERT_EQ(execute(primitive(desc),
                              {{TOMBOLA_ARG_SRC, memory_over(src_box, engine_, x.data())},
                               {TOMBOLA_ARG_DST, memory_over(dst_box, engine_, y.data())}}),
                      tombola_success)
                << last_error();
            std::array<int32_t, 32> expected{};
            expected.fill(-1);
            // Rows 1 and 2, columns 2 to 5 of the source; 4 columns in 2 groups: 0 2 1 3.
            const int32_t rows[2][4] = {{10, 12, 11, 13}, {18, 20, 19, 21}};
            for (size_t row = 0; row < 2; ++row)
                for (size_t column = 0; column < 4; ++column)
                    expected[(2 + row) * 8 + 3 + column] = rows[row][column];
            EXPECT_EQ(y, expected) << impl_name(desc);
        });
}

// Two boxes of one buffer that share no element are two buffers.
TEST_F(PrimitiveApi, InterleavedBoxesDoNotOverlap) {
    const MemoryDesc parent = row_major({3, 8}, tombola_u8);
    const tombola_dims_t half = {3, 4};
    const tombola_dims_t left_at = {0, 0};
    const tombola_dims_t right_at = {0, 4};
    const MemoryDesc left = box_in(parent, half, left_at), right = box_in(parent, half, right_at);
    std::array<uint8_t, 24> bytes{};
    std::iota(bytes.begin(), bytes.end(), static_cast<uint8_t>(0));
    ASSERT_EQ(execute(primitive(forward(left, right, 1, 2)),
                      {{TOMBOLA_ARG_SRC, memory_over(left, engine_, bytes.data())},
                       {TOMBOLA_ARG_DST, memory_over(right, engine_, bytes.data())}}),
              tombola_success)
        << last_error();
    EXPECT_EQ(bytes, (std::array<uint8_t, 24>{0, 1,  2, 3,  0,  2,  1,  3,  8,  9,  10, 11,
                                              8, 10, 9, 11, 16, 17, 18, 19, 16, 18, 17, 19}));
}

// Boxes that share elements, though neither begins where the other does, are refused.
TEST_F(PrimitiveApi, OverlappingBoxesAreRefused) {
    const MemoryDesc parent = row_major({3, 8}, tombola_u8);
    const tombola_dims_t half = {3, 4};
    std::array<uint8_t, 24> bytes{};
    std::iota(bytes.begin(), bytes.end(), static_cast<uint8_t>(0));
    const std::array<uint8_t, 24> before = bytes;
    // Where the boxes of four columns begin; columns 1 to 3 and 3 alone are in both.
    const tombola_dim_t begins[][2] = {{0, 1}, {1, 0}, {0, 3}, {3, 0}};
    for (const auto& [from, to] : begins) {
        const tombola_dims_t src_at = {0, from};
        const tombola_dims_t dst_at = {0, to};
        const MemoryDesc src = box_in(parent, half, src_at), dst = box_in(parent, half, dst_at);
        EXPECT_EQ(execute(primitive(forward(src, dst, 1, 2)),
                          {{TOMBOLA_ARG_SRC, memory_over(src, engine_, bytes.data())},
                           {TOMBOLA_ARG_DST, memory_over(dst, engine_, bytes.data())}}),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find("DST overlaps SRC in memory"), std::string::npos)
            << last_error();
    }
    EXPECT_EQ(bytes, before);
}

// Even and odd columns of one buffer share no byte; a row further on they share all.
TEST_F(PrimitiveApi, InterleavedColumnsDoNotOverlap) {
    const MemoryDesc columns = strided({4, 6}, tombola_f32, {12, 2});
    std::array<float, 60> numbers{};
    const auto run = [&](size_t from, size_t to) {
        return execute(primitive(forward(columns, columns, 1, 2)),
                       {{TOMBOLA_ARG_SRC, memory_over(columns, engine_, numbers.data() + from)},
                        {TOMBOLA_ARG_DST, memory_over(columns, engine_, numbers.data() + to)}});
    };
    EXPECT_EQ(run(0, 1), tombola_success) << last_error();
    EXPECT_EQ(run(1, 0), tombola_success) << last_error();
    EXPECT_EQ(run(0, 2), tombola_invalid_arguments);
    EXPECT_EQ(run(0, 12), tombola_invalid_arguments);
    EXPECT_EQ(run(0, 13), tombola_success) << last_error();
}

// What may be in place, a destination and a state, is so at the address of what it replaces and at no other.
TEST_F(PrimitiveApi, InPlaceIsAtTheSameAddress) {
    const MemoryDesc eight = row_major({8}, tombola_f32), one = row_major({1}, tombola_f32),
                     two = row_major({2}, tombola_u64);
    std::array<float, 10> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const std::array<float, 10> before = numbers;
    float p = 0, low = 0, high = 1;
    PrimitiveDesc dropout;
    ASSERT_EQ(tombola_dropout_forward_primitive_desc_create(
                  dropout.out(), engine_, tombola_forward_training, eight, nullptr, 32,
                  tombola_dropout_mask_none, 1, 2, nullptr),
              tombola_success);
    const auto drop = [&](size_t from, size_t to) {
        return execute(primitive(dropout),
                       {{TOMBOLA_ARG_SRC, memory_over(eight, engine_, numbers.data() + from)},
                        {TOMBOLA_ARG_P, memory_over(one, engine_, &p)},
                        {TOMBOLA_ARG_DST, memory_over(eight, engine_, numbers.data() + to)}});
    };
    for (const auto& [from, to] : {std::pair<size_t, size_t>{0, 1}, {1, 0}, {0, 2}, {2, 1}}) {
        EXPECT_EQ(drop(from, to), tombola_invalid_arguments) << from << ' ' << to;
        EXPECT_NE(last_error().find("overlaps"), std::string::npos) << last_error();
    }
    EXPECT_EQ(drop(1, 1), tombola_success) << last_error();
    EXPECT_EQ(numbers, before);  // P is 0

    PrimitiveDesc uniform;
    ASSERT_EQ(tombola_random_uniform_primitive_desc_create(uniform.out(), engine_,
                                                           tombola_alignment_tensorflow, one, 1, 2,
                                                           tombola_int_draws_spec, nullptr),
              tombola_success);
    std::array<uint64_t, 3> words{};
    const auto draw = [&](size_t from, size_t to) {
        return execute(primitive(uniform),
                       {{TOMBOLA_ARG_MIN, memory_over(one, engine_, &low)},
                        {TOMBOLA_ARG_MAX, memory_over(one, engine_, &high)},
                        {TOMBOLA_ARG_DST, memory_over(one, engine_, numbers.data())},
                        {TOMBOLA_ARG_SRC_STATE, memory_over(two, engine_, &words[from])},
                        {TOMBOLA_ARG_DST_STATE, memory_over(two, engine_, &words[to])}});
    };
    EXPECT_EQ(draw(0, 1), tombola_invalid_arguments);
    EXPECT_EQ(draw(1, 0), tombola_invalid_arguments);
    EXPECT_EQ(words, (std::array<uint64_t, 3>{}));
    EXPECT_EQ(draw(1, 1), tombola_success) << last_error();
}

}  // namespace
}  // namespace tombola::test
