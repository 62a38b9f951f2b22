// SPDX-License-Identifier: Apache-2.0

// Executions through the C API, with shuffle as the example: arguments, scratchpads, the floating-point environment,
// and that a failure writes nothing.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <iterator>

#include "gtests/api/primitive_fixture.hpp"
#include "gtests/common/fp_control.hpp"
#include "gtests/common/tensor.hpp"

namespace tombola::test {
namespace {

// C = 6, G = 2: c = u + 3 v takes c' = 2 u + v, by hand.
TEST_F(PrimitiveApi, ForwardTransposesAndBackwardUndoesIt) {
    const MemoryDesc data = row_major({6}, tombola_s32);
    std::array<int32_t, 6> x = {10, 11, 12, 13, 14, 15};
    std::array<int32_t, 6> y{};
    const Memory in = memory_over(data, engine_, x.data());
    const Memory out = memory_over(data, engine_, y.data());
    ASSERT_EQ(execute(primitive(forward(data, data, 0, 2)),
                      {{TOMBOLA_ARG_SRC, in}, {TOMBOLA_ARG_DST, out}}),
              tombola_success)
        << last_error();
    EXPECT_EQ(y, (std::array<int32_t, 6>{10, 12, 14, 11, 13, 15}));
    x.fill(0);
    ASSERT_EQ(execute(primitive(backward(data, data, 0, 2)),
                      {{TOMBOLA_ARG_DIFF_DST, out}, {TOMBOLA_ARG_DIFF_SRC, in}}),
              tombola_success)
        << last_error();
    EXPECT_EQ(x, (std::array<int32_t, 6>{10, 11, 12, 13, 14, 15}));
}

// Each data type has a name and a size, and shuffle moves its bytes: C = 6, G = 2, in the same order as above.
TEST_F(PrimitiveApi, EveryDataTypeIsShuffled) {
    struct Type {
        tombola_data_type_t type;
        const char* name;
        size_t bytes;
    };
    const Type types[] = {
        {tombola_f16, "f16", 2},         {tombola_bf16, "bf16", 2},
        {tombola_f32, "f32", 4},         {tombola_f64, "f64", 8},
        {tombola_s8, "s8", 1},           {tombola_u8, "u8", 1},
        {tombola_s32, "s32", 4},         {tombola_u32, "u32", 4},
        {tombola_s64, "s64", 8},         {tombola_u64, "u64", 8},
        {tombola_f8_e5m2, "f8_e5m2", 1}, {tombola_f8_e4m3, "f8_e4m3", 1},
        {tombola_boolean, "boolean", 1},
    };
    const size_t order[6] = {0, 2, 4, 1, 3, 5};
    int listed = 0;
#define TOMBOLA_COUNT(name, value, bytes) ++listed;
    TOMBOLA_DATA_TYPES(TOMBOLA_COUNT)
#undef TOMBOLA_COUNT
    EXPECT_EQ(static_cast<size_t>(listed), std::size(types));
    for (const auto& listed_type : types) {
        // Not a structured binding: C++17 has no capture of one.
        const tombola_data_type_t type = listed_type.type;
        const char* const name = listed_type.name;
        const size_t bytes = listed_type.bytes;
        EXPECT_STREQ(tombola_dt2str(type), name);
        ASSERT_EQ(tombola_data_type_size(type), bytes) << name;
        for (const auto tag : {tombola_nchw, tombola_nhwc}) {
            const MemoryDesc data = tagged({1, 6, 1, 3}, type, tag);
            const std::vector<uint8_t> values = test_bytes(18 * bytes);
            Tensor src(data, engine_);
            src.write(values);
            for_each_implementation(
                forward(data, data, 1, 2), [&](const_tombola_primitive_desc_t desc) {
                    Tensor dst(data, engine_);
                    ASSERT_EQ(execute(primitive(desc), {{TOMBOLA_ARG_SRC, src.memory()},
                                                        {TOMBOLA_ARG_DST, dst.memory()}}),
                              tombola_success)
                        << last_error();
                    const std::vector<uint8_t> moved = dst.read();
                    for (size_t c = 0; c < 6; ++c)
                        EXPECT_EQ(0, std::memcmp(&moved[c * 3 * bytes],
                                                 &values[order[c] * 3 * bytes], 3 * bytes))
                            << name << ' ' << impl_name(desc) << " channel " << c;
                });
        }
    }
}

TEST_F(PrimitiveApi, ExecutionRefusesWrongArgumentsAndWritesNothing) {
    const MemoryDesc data = row_major({4, 6}, tombola_f32);
    const MemoryDesc transposed = tagged({4, 6}, tombola_f32, tombola_ba);
    const MemoryDesc longer = row_major({4, 8}, tombola_f32);
    const MemoryDesc integers = row_major({4, 6}, tombola_s32);
    Tensor src(data, engine_);
    src.write(test_bytes(4 * 6 * 4));
    const std::vector<uint8_t> source = src.read();
    Tensor dst(data, engine_);
    Tensor other(longer, engine_);
    const Memory no_data = memory_over(data, engine_, TOMBOLA_MEMORY_NONE);
    const Memory as_transposed = memory_over(transposed, engine_, dst.buffer().data());
    const Memory as_integers = memory_over(integers, engine_, dst.buffer().data());
    const Memory shifted = memory_over(data, engine_, other.buffer().data() + 16);
    const Memory at_start = memory_over(data, engine_, other.buffer().data());

    struct Row {
        std::vector<tombola_exec_arg_t> args;
        const char* message;
    };
    const Row rows[] = {
        {{}, "SRC is missing"},
        {{{TOMBOLA_ARG_SRC, src.memory()}}, "DST is missing"},
        {{{TOMBOLA_ARG_DST, dst.memory()}}, "SRC is missing"},
        {{{TOMBOLA_ARG_SRC, src.memory()},
          {TOMBOLA_ARG_SRC, src.memory()},
          {TOMBOLA_ARG_DST, dst.memory()}},
         "SRC is given twice"},
        {{{TOMBOLA_ARG_SRC, src.memory()},
          {TOMBOLA_ARG_DST, dst.memory()},
          {TOMBOLA_ARG_DIFF_SRC, other.memory()}},
         "args[2] is DIFF_SRC, which the primitive descriptor as it was made does not take; "
         "expected "
         "one of SRC, DST"},
        {{{TOMBOLA_ARG_SRC, src.memory()}, {TOMBOLA_ARG_DST, dst.memory()}, {4711, dst.memory()}},
         "args[2] is argument 4711, which the primitive descriptor as it was made does not take; "
         "expected one of SRC, DST"},
        {{{TOMBOLA_ARG_SRC, src.memory()}, {TOMBOLA_ARG_DST, nullptr}}, "DST is null"},
        {{{TOMBOLA_ARG_SRC, no_data}, {TOMBOLA_ARG_DST, dst.memory()}}, "SRC has no data"},
        {{{TOMBOLA_ARG_SRC, src.memory()}, {TOMBOLA_ARG_DST, no_data}}, "DST has no data"},
        {{{TOMBOLA_ARG_SRC, src.memory()}, {TOMBOLA_ARG_DST, other.memory()}},
         "DST has the memory descriptor 4x8 f32::blocked:ab::f0; expected 4x6 f32::blocked:ab::f0"},
        {{{TOMBOLA_ARG_SRC, src.memory()}, {TOMBOLA_ARG_DST, as_transposed}},
         "DST has the memory descriptor 4x6 f32::blocked:ba::f0; expected"},
        {{{TOMBOLA_ARG_SRC, src.memory()}, {TOMBOLA_ARG_DST, as_integers}},
         "DST has the memory descriptor 4x6 s32::blocked:ab::f0; expected"},
        {{{TOMBOLA_ARG_SRC, src.memory()}, {TOMBOLA_ARG_DST, src.memory()}},
         "DST overlaps SRC in memory"},
        {{{TOMBOLA_ARG_SRC, at_start}, {TOMBOLA_ARG_DST, shifted}}, "DST overlaps SRC in memory"},
        {{{TOMBOLA_ARG_SRC, shifted}, {TOMBOLA_ARG_DST, at_start}}, "DST overlaps SRC in memory"},
    };
    for_each_implementation(forward(data, data, 1, 3), [&](const_tombola_primitive_desc_t desc) {
        const Primitive made = primitive(desc);
        for (const Row& row : rows) {
            EXPECT_EQ(execute(made, row.args), tombola_invalid_arguments) << row.message;
            EXPECT_NE(last_error().find(std::string("shuffle: ") + row.message), std::string::npos)
                << "'" << last_error() << "', expected '" << row.message << "'";
        }
        EXPECT_EQ(tombola_primitive_execute(made, stream_, -1, nullptr), tombola_invalid_arguments);
        EXPECT_NE(last_error().find("nargs is -1"), std::string::npos) << last_error();
        EXPECT_EQ(tombola_primitive_execute(made, stream_, 1000000, rows[0].args.data()),
                  tombola_invalid_arguments);
    });
    EXPECT_TRUE(dst.buffer().is_poison());
    EXPECT_TRUE(other.buffer().is_poison());
    EXPECT_EQ(src.read(), source);
}

TEST_F(PrimitiveApi, ArgumentsComeInAnyOrder) {
    const MemoryDesc data = row_major({6}, tombola_u8);
    std::array<uint8_t, 6> x = {0, 1, 2, 3, 4, 5};
    std::array<uint8_t, 6> y{};
    const Memory in = memory_over(data, engine_, x.data());
    const Memory out = memory_over(data, engine_, y.data());
    ASSERT_EQ(execute(primitive(forward(data, data, 0, 3)),
                      {{TOMBOLA_ARG_DST, out}, {TOMBOLA_ARG_SRC, in}}),
              tombola_success);
    EXPECT_EQ(y, (std::array<uint8_t, 6>{0, 3, 1, 4, 2, 5}));
}

TEST_F(PrimitiveApi, ZeroVolumeSucceedsWithoutData) {
    const MemoryDesc data = row_major({2, 0, 5}, tombola_f32);
    for (const int axis : {0, 1, 2}) {
        const PrimitiveDesc desc = forward(data, data, axis, 1);
        ASSERT_NE(desc.get(), nullptr) << last_error();
        const Memory none = memory_over(data, engine_, TOMBOLA_MEMORY_NONE);
        EXPECT_EQ(execute(primitive(desc), {{TOMBOLA_ARG_SRC, none}, {TOMBOLA_ARG_DST, none}}),
                  tombola_success)
            << last_error();
    }
}

// An output that is given, if only a state, is written, so then the values count.
TEST_F(PrimitiveApi, ZeroVolumeLooksAtValuesOnlyIfThereIsAnOutput) {
    const MemoryDesc none = row_major({0}, tombola_f32), one = row_major({1}, tombola_f32),
                     two = row_major({2}, tombola_u64);
    PrimitiveDesc desc;
    ASSERT_EQ(tombola_random_uniform_primitive_desc_create(desc.out(), engine_,
                                                           tombola_alignment_tensorflow, none, 1, 2,
                                                           tombola_int_draws_spec, nullptr),
              tombola_success);
    float low = 1, high = 0;
    uint64_t pair[2] = {7, 8};
    const Memory min = memory_over(one, engine_, &low), max = memory_over(one, engine_, &high),
                 state = memory_over(two, engine_, pair),
                 dst = memory_over(none, engine_, TOMBOLA_MEMORY_NONE);
    const Primitive uniform = primitive(desc);
    EXPECT_EQ(
        execute(uniform, {{TOMBOLA_ARG_MIN, min}, {TOMBOLA_ARG_MAX, max}, {TOMBOLA_ARG_DST, dst}}),
        tombola_success);
    EXPECT_EQ(execute(uniform, {{TOMBOLA_ARG_MIN, min},
                                {TOMBOLA_ARG_MAX, max},
                                {TOMBOLA_ARG_DST, dst},
                                {TOMBOLA_ARG_DST_STATE, state}}),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("MIN is 1 and MAX is 0"), std::string::npos) << last_error();
    EXPECT_EQ(pair[0], 7u);
    EXPECT_EQ(pair[1], 8u);
}

// The elements of a small argument lie one behind the other: no stride and no block is looked at.
TEST_F(PrimitiveApi, SmallArgumentsHaveNoGapsAndNoBlocks) {
    const MemoryDesc one = row_major({1}, tombola_f32);
    PrimitiveDesc desc;
    ASSERT_EQ(tombola_random_uniform_primitive_desc_create(desc.out(), engine_,
                                                           tombola_alignment_tensorflow, one, 1, 2,
                                                           tombola_int_draws_spec, nullptr),
              tombola_success);
    const Primitive uniform = primitive(desc);
    float low = 0, high = 1, drawn = 0;
    uint64_t seeds[16] = {7, 8};
    const auto status = [&](const_tombola_memory_desc_t layout) {
        return execute(uniform, {{TOMBOLA_ARG_MIN, memory_over(one, engine_, &low)},
                                 {TOMBOLA_ARG_MAX, memory_over(one, engine_, &high)},
                                 {TOMBOLA_ARG_SEEDS, memory_over(layout, engine_, seeds)},
                                 {TOMBOLA_ARG_DST, memory_over(one, engine_, &drawn)}});
    };
    EXPECT_EQ(status(row_major({2}, tombola_u64)), tombola_success) << last_error();
    EXPECT_EQ(status(strided({1, 2}, tombola_u64, {9, 1})), tombola_success) << last_error();
    const tombola_dims_t dims = {2}, strides = {1};
    MemoryDesc blocked;
    ASSERT_EQ(tombola_memory_desc_create_with_block(blocked.out(), 1, dims, tombola_u64, strides, 0,
                                                    8, 0),
              tombola_success);
    const MemoryDesc apart = strided({2}, tombola_u64, {2}),
                     column = row_major({2, 1}, tombola_u64);
    for (const_tombola_memory_desc_t layout : {apart.get(), column.get(), blocked.get()}) {
        EXPECT_EQ(status(layout), tombola_invalid_arguments);
        EXPECT_NE(last_error().find("SEEDS has the memory descriptor"), std::string::npos)
            << last_error();
    }
}

// What is drawn from is large, and nothing is drawn.
TEST_F(PrimitiveApi, EmptyTensorsNeedNoScratchpad) {
    constexpr tombola_dim_t kMany = 200000000;  // fewer than PyTorch's permutations may have
    Attr user;
    ASSERT_EQ(tombola_primitive_attr_create(user.out()), tombola_success);
    ASSERT_EQ(tombola_primitive_attr_set_scratchpad_mode(user, tombola_scratchpad_mode_user),
              tombola_success);
    PrimitiveDesc samples, permutation, tokens;
    ASSERT_EQ(tombola_multinomial_primitive_desc_create(
                  samples.out(), engine_, row_major({64, kMany}, tombola_f32),
                  row_major({64, 0}, tombola_s32), 0, 0, 1, 2, user),
              tombola_success);
    ASSERT_EQ(tombola_random_permutation_primitive_desc_create(
                  permutation.out(), engine_, tombola_permutation_pytorch,
                  row_major({0}, tombola_s32), kMany, 1, 0, user),
              tombola_success)
        << last_error();
    ASSERT_EQ(tombola_token_sampler_primitive_desc_create(
                  tokens.out(), engine_, row_major({0, kMany}, tombola_f32),
                  row_major({0, 1}, tombola_s32), tombola_filter_order_transformers,
                  tombola_logprobs_none, 0, 1, 0, user),
              tombola_success);
    for (const PrimitiveDesc* desc : {&samples, &permutation, &tokens})
        for_each_implementation(*desc, [&](const_tombola_primitive_desc_t row) {
            const_tombola_memory_desc_t pad =
                tombola_primitive_desc_query_md(row, tombola_query_scratchpad_md, 0);
            EXPECT_LE(tombola_memory_desc_get_size(pad), size_t{1024}) << impl_name(row);
        });
}

// The caller's scratchpad is there, has the size that was asked for, and the alignment that the library's own have.
TEST_F(PrimitiveApi, ScratchpadOfTheUserIsChecked) {
    Attr user;
    ASSERT_EQ(tombola_primitive_attr_create(user.out()), tombola_success);
    ASSERT_EQ(tombola_primitive_attr_set_scratchpad_mode(user, tombola_scratchpad_mode_user),
              tombola_success);
    const MemoryDesc weights = row_major({2, 100}, tombola_f32);
    const MemoryDesc indices = row_major({2, 5}, tombola_s32);
    PrimitiveDesc desc;
    ASSERT_EQ(tombola_multinomial_primitive_desc_create(desc.out(), engine_, weights, indices, 0, 0,
                                                        1, 2, user),
              tombola_success);
    for_each_implementation(desc, [&](const_tombola_primitive_desc_t row) {
        const_tombola_memory_desc_t pad =
            tombola_primitive_desc_query_md(row, tombola_query_scratchpad_md, 0);
        const size_t bytes = tombola_memory_desc_get_size(pad);
        ASSERT_GT(bytes, 0u) << impl_name(row) << " needs no scratchpad";
        std::vector<uint8_t> room(bytes + 128);
        const size_t to_aligned = 64 - reinterpret_cast<uintptr_t>(room.data()) % 64;
        std::vector<float> weight(200, 1);
        const Memory src = memory_over(weights, engine_, weight.data());
        Tensor dst(indices, engine_);
        const auto run = [&](size_t shift) {
            return execute(primitive(row),
                           {{TOMBOLA_ARG_SRC, src},
                            {TOMBOLA_ARG_DST, dst.memory()},
                            {TOMBOLA_ARG_SCRATCHPAD,
                             memory_over(pad, engine_, room.data() + to_aligned + shift)}});
        };
        for (const size_t shift : {1, 4, 16, 32, 63}) {
            EXPECT_EQ(run(shift), tombola_invalid_arguments) << impl_name(row) << ' ' << shift;
            EXPECT_NE(last_error().find("SCRATCHPAD lies at 0x"), std::string::npos)
                << last_error();
            EXPECT_NE(last_error().find("expected an address aligned to 64 bytes"),
                      std::string::npos)
                << last_error();
        }
        EXPECT_EQ(
            execute(primitive(row), {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst.memory()}}),
            tombola_invalid_arguments);
        EXPECT_NE(last_error().find("SCRATCHPAD is missing; expected it in scratchpad mode user"),
                  std::string::npos)
            << last_error();
        const auto one_less = static_cast<int64_t>(bytes) - 1;
        EXPECT_EQ(execute(primitive(row), {{TOMBOLA_ARG_SRC, src},
                                           {TOMBOLA_ARG_DST, dst.memory()},
                                           {TOMBOLA_ARG_SCRATCHPAD,
                                            memory_over(row_major({one_less}, tombola_u8), engine_,
                                                        room.data() + to_aligned)}}),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find("SCRATCHPAD has " + std::to_string(one_less) +
                                    " bytes; expected at least " + std::to_string(bytes)),
                  std::string::npos)
            << last_error();
        // Bytes with gaps, in which other tensors could lie.
        const auto lines = static_cast<int64_t>(bytes) / 64 + 1;
        const MemoryDesc with_gaps = strided({lines, 64}, tombola_u8, {128, 1});
        std::vector<uint8_t> wide(static_cast<size_t>(128 * lines + 64), 0xA5);
        EXPECT_EQ(execute(primitive(row),
                          {{TOMBOLA_ARG_SRC, src},
                           {TOMBOLA_ARG_DST, dst.memory()},
                           {TOMBOLA_ARG_SCRATCHPAD, memory_over(with_gaps, engine_, wide.data())}}),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find("; expected one without gaps"), std::string::npos)
            << last_error();
        EXPECT_EQ(static_cast<size_t>(std::count(wide.begin(), wide.end(), 0xA5)), wide.size());
        EXPECT_TRUE(dst.buffer().is_poison());
        EXPECT_EQ(run(0), tombola_success) << last_error();
    });
}

// A scratchpad that is not asked for may be given.
TEST_F(PrimitiveApi, ScratchpadOfTheUser) {
    Attr user;
    ASSERT_EQ(tombola_primitive_attr_create(user.out()), tombola_success);
    ASSERT_EQ(tombola_primitive_attr_set_scratchpad_mode(user, tombola_scratchpad_mode_user),
              tombola_success);
    const MemoryDesc data = tagged({2, 24, 5}, tombola_u8, tombola_acb);
    Tensor src(data, engine_);
    src.write(test_bytes(240));
    for_each_implementation(
        forward(data, data, 1, 4, user), [&](const_tombola_primitive_desc_t desc) {
            Tensor dst(data, engine_);
            std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_SRC, src.memory()},
                                                    {TOMBOLA_ARG_DST, dst.memory()}};
            const_tombola_memory_desc_t pad =
                tombola_primitive_desc_query_md(desc, tombola_query_scratchpad_md, 0);
            ASSERT_EQ(tombola_memory_desc_get_size(pad), 0u) << impl_name(desc);
            int64_t consumption = -1;
            ASSERT_EQ(tombola_primitive_desc_query(desc, tombola_query_memory_consumption_s64, 0,
                                                   &consumption),
                      tombola_success);
            EXPECT_EQ(consumption, 0);
            const Memory given =
                memory_over(row_major({64}, tombola_u8), engine_, TOMBOLA_MEMORY_ALLOCATE);
            args.push_back({TOMBOLA_ARG_SCRATCHPAD, given});
            EXPECT_EQ(execute(primitive(desc), args), tombola_success) << last_error();
            EXPECT_FALSE(dst.buffer().is_poison());
        });
}

// Whatever rounding and flushing the caller has set, it finds it again, flags included.
TEST_F(PrimitiveApi, FloatingPointEnvironmentIsRestored) {
    const MemoryDesc data = row_major({2, 16}, tombola_f32);
    Tensor src(data, engine_);
    src.write(test_bytes(2 * 16 * 4));
    for_each_implementation(forward(data, data, 1, 4), [&](const_tombola_primitive_desc_t desc) {
        const Primitive made = primitive(desc);
        Tensor dst(data, engine_);
        const std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_SRC, src.memory()},
                                                      {TOMBOLA_ARG_DST, dst.memory()}};
        const uint64_t before = fp_control();
        constexpr uint64_t kUnusual = kFpDefault | kFpFlush | kFpToZero | kFpInexactRaised;
        set_fp_control(kUnusual);
        const tombola_status_t good = execute(made, args);
        const uint64_t after_success = fp_control();
        const tombola_status_t bad = execute(made, {});
        const uint64_t after_failure = fp_control();
        set_fp_control(before);
        EXPECT_EQ(good, tombola_success);
        EXPECT_EQ(bad, tombola_invalid_arguments);
        EXPECT_EQ(after_success, kUnusual);
        EXPECT_EQ(after_failure, kUnusual);
    });
}

// Creating descriptors and primitives compares costs in floating point. With all exceptions unmasked, as
// feenableexcept() leaves them, an inexact quotient would end the process; the caller's modes and flags stay.
TEST_F(PrimitiveApi, CreationRunsUnderTheDefaultFloatingPointEnvironment) {
    int capacity = 0;
    ASSERT_EQ(tombola_get_primitive_cache_capacity(&capacity), tombola_success);
    ASSERT_EQ(tombola_set_primitive_cache_capacity(0), tombola_success);
    struct Shape {
        DimVector dims;
        tombola_data_type_t type;
        tombola_format_tag_t tag;
        tombola_dim_t group;
    };
    const Shape shapes[] = {
        {{1, 272, 7, 7}, tombola_f32, tombola_nhwc, 8},
        {{1, 30, 3, 5}, tombola_u8, tombola_nhwc, 3},
        {{1, 48, 7, 7}, tombola_bf16, tombola_nChw16c, 3},
        {{2, 24, 14, 14}, tombola_f32, tombola_nchw, 4},
        {{1, 12, 5, 5}, tombola_f64, tombola_nhwc, 3},
    };
    for (const Shape& shape : shapes) {
        const MemoryDesc data = tagged(shape.dims, shape.type, shape.tag);
        const uint64_t before = fp_control();
        set_fp_control(kFpUnmasked | kFpDown | kFpFlush);
        const uint64_t unmasked = fp_control();
        PrimitiveDesc desc = forward(data, data, 1, shape.group);
        tombola_primitive_t made = nullptr;
        const tombola_status_t status = tombola_primitive_create(&made, desc);
        tombola_primitive_destroy(made);
        while (tombola_primitive_desc_next_impl(desc) == tombola_success) {
        }
        const uint64_t after = fp_control();
        set_fp_control(before);
        EXPECT_EQ(status, tombola_success) << last_error();
        EXPECT_EQ(after, unmasked);
    }
    ASSERT_EQ(tombola_set_primitive_cache_capacity(capacity), tombola_success);
}

// The lines of verbose mode have times, which are computed in floating point.
TEST_F(PrimitiveApi, VerboseModeRunsUnderTheDefaultFloatingPointEnvironment) {
    const MemoryDesc data = row_major({2, 16}, tombola_f32);
    Tensor src(data, engine_), dst(data, engine_);
    src.write(test_bytes(2 * 16 * 4));
    const PrimitiveDesc desc = forward(data, data, 1, 4);
    const std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_SRC, src.memory()},
                                                  {TOMBOLA_ARG_DST, dst.memory()}};
    ASSERT_EQ(tombola_set_verbose(2), tombola_success);
    testing::internal::CaptureStdout();
    const uint64_t before = fp_control();
    set_fp_control(kFpUnmasked);
    const uint64_t unmasked = fp_control();
    tombola_primitive_t made = nullptr;
    const tombola_status_t created = tombola_primitive_create(&made, desc);
    const Primitive owner(made);
    const tombola_status_t executed = execute(owner, args);
    const uint64_t after = fp_control();
    set_fp_control(before);
    const std::string lines = testing::internal::GetCapturedStdout();
    ASSERT_EQ(tombola_set_verbose(0), tombola_success);
    EXPECT_EQ(created, tombola_success) << last_error();
    EXPECT_EQ(executed, tombola_success) << last_error();
    EXPECT_EQ(after, unmasked);
    EXPECT_NE(lines.find(",create:"), std::string::npos) << lines;
    EXPECT_NE(lines.find(",exec,"), std::string::npos) << lines;
}

}  // namespace
}  // namespace tombola::test
