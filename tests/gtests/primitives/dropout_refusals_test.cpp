// SPDX-License-Identifier: Apache-2.0

// What dropout refuses: values, descriptors and shared memory. Nothing is written then.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "gtests/primitives/dropout_fixture.hpp"

namespace tombola::test {
namespace {

TEST_F(Dropout, RefusesValues) {
    Case c;
    for (const float p :
         {-0.1f, 1.1f, -std::numeric_limits<float>::denorm_min(),
          std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        c.p = p;
        expect_refusal(c, "dropout: P is ");
    }
    c.p = 0.5f;
    c.offset = uint64_t{0} - 99;
    expect_refusal(c, "OFFSET is ");
    c.offset = 0;
    c.backward = true;
    c.seeds = {0, 0};
    expect_refusal(c,
                   "SEEDS is (0, 0), which draws a mask of its own; expected the seeds of the "
                   "forward execution (its DST_SEEDS)");
    c.mask = tombola_dropout_mask_u8;
    expect_refusal(c, "(its DST_SEEDS) or MASK");
}

TEST_F(Dropout, RefusesDescriptors) {
    const MemoryDesc data = row_major({2, 8}, tombola_f32), other = row_major({2, 9}, tombola_f32);
    PrimitiveDesc forward;
    const auto create = [&](const_tombola_memory_desc_t src, const_tombola_memory_desc_t dst,
                            int bits, int mask, tombola_prop_kind_t prop_kind) {
        return tombola_dropout_forward_primitive_desc_create(
            forward.out(), engine_, prop_kind, src, dst, bits,
            static_cast<tombola_dropout_mask_t>(mask), 1, 2, nullptr);
    };
    const auto refused = [&](tombola_status_t status, const std::string& message) {
        EXPECT_EQ(status, tombola_invalid_arguments) << message;
        EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
    };
    constexpr auto kForward = tombola_forward_training;
    refused(create(data, data, 64, 0, kForward), "draw_bits is 64; expected 32, 16 or 8");
    refused(create(data, data, 32, 3, kForward), "mask_kind is 3; expected none, u8 or bits");
    refused(create(data, other, 32, 0, kForward), "dst_desc is 2x9 f32; expected 2x8 f32");
    refused(create(data, data, 32, 0, tombola_backward_data), "prop_kind is backward_data");
    for (const auto type :
         {tombola_f64, tombola_s8, tombola_u8, tombola_s32, tombola_f8_e5m2, tombola_f8_e4m3}) {
        const MemoryDesc desc = row_major({2, 8}, type);
        refused(create(desc, nullptr, 32, 0, kForward), std::string("src_desc has the data type ") +
                                                            tombola_dt2str(type) +
                                                            "; expected one of f32, f16, bf16");
    }
    refused(create(tagged({2, 8}, tombola_f32, tombola_format_tag_any), data, 32, 0, kForward),
            "src_desc has the layout any");

    // The hint must agree, and gives its layout.
    const MemoryDesc blocked = tagged({2, 20, 3, 3}, tombola_bf16, tombola_nChw8c);
    const MemoryDesc open = tagged({2, 20, 3, 3}, tombola_bf16, tombola_format_tag_any);
    ASSERT_EQ(create(blocked, nullptr, 16, 1, kForward), tombola_success) << last_error();
    PrimitiveDesc backward;
    const auto create_backward = [&](const_tombola_memory_desc_t diff_dst, int bits, int mask,
                                     const_tombola_primitive_desc_t hint) {
        return tombola_dropout_backward_primitive_desc_create(
            backward.out(), engine_, nullptr, diff_dst, bits,
            static_cast<tombola_dropout_mask_t>(mask), 1, 2, hint, nullptr);
    };
    refused(create_backward(open, 16, 1, nullptr), "diff_dst_desc has the layout any");
    refused(create_backward(open, 32, 1, forward), "draw_bits is 32; expected 16, as in hint");
    refused(create_backward(open, 16, 2, forward), "mask_kind is bits; expected u8, as in hint");
    refused(create_backward(data, 16, 1, forward), "diff_dst_desc is 2x8; expected 2x20x3x3");
    ASSERT_EQ(create_backward(open, 16, 1, forward), tombola_success) << last_error();
    EXPECT_TRUE(tombola_memory_desc_equal(
        tombola_primitive_desc_query_md(backward, tombola_query_diff_dst_md, 0), blocked));
    EXPECT_TRUE(tombola_memory_desc_equal(
        tombola_primitive_desc_query_md(backward, tombola_query_diff_src_md, 0), blocked));
    PrimitiveDesc copy(std::move(backward));
    refused(create_backward(open, 16, 1, copy),
            "hint_fwd_pd is of a backward dropout; expected one of a forward dropout");
}

// In place is for one descriptor: with another layout the elements would overwrite one another.
TEST_F(Dropout, RefusesSharedMemoryOfDifferentLayouts) {
    const MemoryDesc nchw = tagged({2, 4, 3, 3}, tombola_f32, tombola_nchw);
    const MemoryDesc nhwc = tagged({2, 4, 3, 3}, tombola_f32, tombola_nhwc);
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), descriptor({}, nchw, nhwc)),
              tombola_success);
    std::vector<float> data(72, 1.0f);
    float p = 0.5f;
    const Memory src = memory_over(nchw, engine_, data.data());
    const Memory dst = memory_over(nhwc, engine_, data.data());
    const Memory p_memory = memory_over(row_major({1}, tombola_f32), engine_, &p);
    const tombola_exec_arg_t args[] = {
        {TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_P, p_memory}, {TOMBOLA_ARG_DST, dst}};
    EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 3, args), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("DST overlaps SRC"), std::string::npos) << last_error();
    EXPECT_TRUE(data == std::vector<float>(72, 1.0f));
}

}  // namespace
}  // namespace tombola::test
