// SPDX-License-Identifier: Apache-2.0

// Primitive descriptors and attributes through the C API, with shuffle as the example: what is refused and how it is
// said, what queries tell, how implementations are walked.

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <numeric>

#include "gtests/api/primitive_fixture.hpp"
#include "gtests/common/tensor.hpp"

namespace tombola::test {
namespace {

// What the random primitives do not draw they refuse by name.
TEST_F(PrimitiveApi, RandomPrimitivesNameTheTypesThatTheyDraw) {
    for (const auto type : {tombola_f8_e5m2, tombola_f8_e4m3, tombola_boolean}) {
        const MemoryDesc data = row_major({2, 6}, type);
        const MemoryDesc indices = row_major({2, 6}, tombola_s32);
        const MemoryDesc weights = row_major({2, 6}, tombola_f32);
        const std::string has = std::string(" has the data type ") + tombola_dt2str(type);
        const auto expect = [&](tombola_status_t status, const std::string& message) {
            EXPECT_EQ(status, tombola_invalid_arguments);
            EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
        };
        PrimitiveDesc desc;
        expect(tombola_random_generator_primitive_desc_create(desc.out(), engine_,
                                                              tombola_philox4x32_10, data, nullptr),
               "dst_desc" + has + "; expected u32");
        for (const auto alignment : {tombola_alignment_tensorflow, tombola_alignment_pytorch})
            expect(tombola_random_uniform_primitive_desc_create(
                       desc.out(), engine_, alignment, data, 1, 2, tombola_int_draws_spec, nullptr),
                   "dst_desc" + has + "; expected one of f16, bf16, f32, f64, s32, s64");
        for (const auto alignment : {tombola_alignment_tensorflow, tombola_alignment_pytorch}) {
            expect(tombola_random_exponential_primitive_desc_create(desc.out(), engine_, alignment,
                                                                    data, 1, 2, nullptr),
                   "dst_desc" + has + "; expected one of f16, bf16, f32, f64");
            expect(tombola_random_bernoulli_primitive_desc_create(desc.out(), engine_, alignment,
                                                                  data, weights, 1, 2, nullptr),
                   "dst_desc" + has + "; expected one of u8, s32, s64, f16, bf16, f32, f64");
            expect(tombola_random_bernoulli_primitive_desc_create(desc.out(), engine_, alignment,
                                                                  weights, data, 1, 2, nullptr),
                   "p_desc" + has + "; expected one of f32, f64");
        }
        expect(tombola_multinomial_primitive_desc_create(desc.out(), engine_, data, indices, 1, 0,
                                                         1, 2, nullptr),
               "probs_desc" + has + "; expected one of f16, bf16, f32, f64");
        expect(tombola_multinomial_primitive_desc_create(desc.out(), engine_, weights, data, 1, 0,
                                                         1, 2, nullptr),
               "dst_desc" + has + "; expected one of s32, s64");
        expect(tombola_random_permutation_primitive_desc_create(
                   desc.out(), engine_, tombola_permutation_philox, row_major({6}, type), 6, 1, 2,
                   nullptr),
               "dst_desc" + has + "; expected one of s32, s64");
        const auto sampler = [&](const_tombola_memory_desc_t src, const_tombola_memory_desc_t dst) {
            return tombola_token_sampler_primitive_desc_create(
                desc.out(), engine_, src, dst, tombola_filter_order_joint, tombola_logprobs_none, 0,
                1, 2, nullptr);
        };
        expect(sampler(data, indices), "logits_desc" + has + "; expected one of f16, bf16, f32");
        expect(sampler(weights, data), "dst_desc" + has + "; expected one of s32, s64");
    }
}

TEST_F(PrimitiveApi, ShuffleRefusalsNameArgumentValueAndExpectation) {
    const MemoryDesc data = row_major({2, 16}, tombola_f32);
    const MemoryDesc other_shape = row_major({2, 8}, tombola_f32);
    const MemoryDesc other_type = row_major({2, 16}, tombola_s32);
    const MemoryDesc any = tagged({2, 16}, tombola_f32, tombola_format_tag_any);
    const MemoryDesc empty = tagged({}, tombola_data_type_undef, tombola_format_tag_undef);
    const PrimitiveDesc hint = forward(data, data, 1, 4);
    const PrimitiveDesc backward_hint = backward(data, data, 1, 4);
    ASSERT_NE(hint.get(), nullptr) << last_error();
    ASSERT_NE(backward_hint.get(), nullptr) << last_error();
    struct Row {
        std::function<PrimitiveDesc()> create;
        const char* message;
    };
    const Row rows[] = {
        {[&] { return forward(data, data, 1, 3); },
         "shuffle: group_size is 3; expected a divisor of 16, the size of dimension 1"},
        {[&] { return forward(data, data, 1, 0); }, "group_size is 0; expected at least 1"},
        {[&] { return forward(data, data, 1, -4); }, "group_size is -4; expected at least 1"},
        {[&] { return forward(data, data, 2, 4); }, "axis is 2; expected 0 to 1"},
        {[&] { return forward(data, data, -1, 4); }, "axis is -1; expected 0 to 1"},
        {[&] { return forward(data, other_shape, 1, 4); },
         "dst_desc is 2x8 f32; expected 2x16 f32"},
        {[&] { return forward(data, other_type, 1, 4); },
         "dst_desc is 2x16 s32; expected 2x16 f32"},
        {[&] { return forward(any, data, 1, 4); }, "src_desc has the layout any"},
        {[&] { return forward(empty, data, 0, 1); },
         "src_desc is an empty descriptor; expected a tensor"},
        {[&] { return forward(data, empty, 1, 4); },
         "dst_desc is an empty descriptor; expected a tensor, or"},
        {[&] { return backward(data, data, 1, 3); },
         "shuffle: group_size is 3; expected a divisor of 16, the size of dimension 1"},
        {[&] { return backward(other_shape, data, 1, 4); },
         "diff_src_desc is 2x8 f32; expected 2x16 f32"},
        {[&] { return backward(data, any, 1, 4); }, "diff_dst_desc has the layout any"},
        {[&] { return backward(data, data, 1, 2, hint); }, "group_size is 2; expected 4"},
        {[&] { return backward(data, data, 0, 2, hint); }, "axis is 0; expected 1"},
        {[&] { return backward(other_shape, other_shape, 1, 4, hint); },
         "diff_dst_desc is 2x8; expected 2x16"},
        {[&] { return backward(data, data, 1, 4, backward_hint); }, "hint_fwd_pd"},
    };
    for (const Row& row : rows) {
        ASSERT_EQ(tombola_set_verbose(99), tombola_invalid_arguments);  // another message
        EXPECT_EQ(row.create().get(), nullptr) << row.message;
        EXPECT_NE(last_error().find(row.message), std::string::npos)
            << "'" << last_error() << "', expected '" << row.message << "'";
    }
    PrimitiveDesc desc;
    EXPECT_EQ(tombola_shuffle_forward_primitive_desc_create(
                  desc.out(), engine_, tombola_backward_data, data, data, 1, 4, nullptr),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("prop_kind is backward_data; expected"), std::string::npos)
        << last_error();
    EXPECT_EQ(
        tombola_shuffle_forward_primitive_desc_create(
            desc.out(), engine_, static_cast<tombola_prop_kind_t>(161), data, data, 1, 4, nullptr),
        tombola_invalid_arguments);
    EXPECT_NE(last_error().find("prop_kind is 161; expected"), std::string::npos) << last_error();
}

TEST_F(PrimitiveApi, OtherPrimitivesRefuseBadValues) {
    const MemoryDesc words = row_major({8}, tombola_u32);
    const MemoryDesc floats = row_major({8}, tombola_f32);
    const MemoryDesc integers = row_major({8}, tombola_s64);
    const MemoryDesc probs = row_major({2, 8}, tombola_f32);
    const MemoryDesc classes = row_major({2, 4}, tombola_s32);
    // The arguments of a function of the C API, without the first two and the attributes.
    const auto refuses = [&](const std::string& message, auto create, const auto&... arguments) {
        PrimitiveDesc desc;
        EXPECT_EQ(create(desc.out(), engine_, arguments..., nullptr), tombola_invalid_arguments)
            << message;
        EXPECT_EQ(desc.get(), nullptr);
        EXPECT_NE(last_error().find(message), std::string::npos)
            << "'" << last_error() << "', expected '" << message << "'";
    };
    constexpr auto kTensorflow = tombola_alignment_tensorflow;
    constexpr auto kPytorch = tombola_alignment_pytorch;
    constexpr auto kNoAlignment = static_cast<tombola_alignment_t>(7);

    const auto generator = tombola_random_generator_primitive_desc_create;
    refuses("random_generator: kind is 9; expected", generator,
            static_cast<tombola_generator_kind_t>(9), words);
    refuses("dst_desc has the data type f32; expected u32", generator, tombola_philox4x32_10,
            floats);

    const auto uniform = tombola_random_uniform_primitive_desc_create;
    constexpr auto kSpec = tombola_int_draws_spec;
    refuses("random_uniform: alignment is 7; expected", uniform, kNoAlignment, floats, 1, 2, kSpec);
    refuses("int_draws is 8; expected", uniform, kPytorch, floats, 1, 2,
            static_cast<tombola_int_draws_t>(8));
    refuses("dst_desc has the data type u32; expected", uniform, kTensorflow, words, 1, 2, kSpec);

    const auto by_rules = tombola_random_uniform_primitive_desc_create_with_rules;
    constexpr auto kTorch1 = tombola_float_draws_torch1;
    refuses("float_draws is 5; expected torch1 or torch2", by_rules, kPytorch, floats, 1, 2, kSpec,
            static_cast<tombola_float_draws_t>(5), 0);
    refuses("full_range is 2; expected 0 or 1", by_rules, kPytorch, integers, 1, 2, kSpec, kTorch1,
            2);
    refuses("full_range is 1 with a dst_desc of f32; expected s32 or s64", by_rules, kPytorch,
            floats, 1, 2, kSpec, kTorch1, 1);
    refuses("full_range is 1 with the alignment tensorflow; expected pytorch", by_rules,
            kTensorflow, integers, 1, 2, kSpec, kTorch1, 1);

    const auto normal = tombola_random_normal_primitive_desc_create;
    refuses("random_normal: alignment is 7; expected", normal, kNoAlignment, floats, 1, 2);
    refuses("dst_desc has the data type u32; expected", normal, kTensorflow, words, 1, 2);
    refuses("random_exponential: alignment is 7; expected tensorflow or pytorch",
            tombola_random_exponential_primitive_desc_create, kNoAlignment, floats, 1, 2);
    const auto bernoulli = tombola_random_bernoulli_primitive_desc_create;
    refuses("random_bernoulli: alignment is 7; expected tensorflow or pytorch", bernoulli,
            kNoAlignment, floats, floats, 1, 2);
    refuses("p_desc has the dimensions 2x8; expected 1, or dst_desc's 8", bernoulli, kPytorch,
            floats, probs, 1, 2);
    const MemoryDesc as_many = row_major({2, 4}, tombola_f32);
    refuses("p_desc has the dimensions 2x4; expected 1, or dst_desc's 8", bernoulli, kPytorch,
            floats, as_many, 1, 2);

    const auto multinomial = tombola_multinomial_primitive_desc_create;
    const MemoryDesc three_rows = row_major({3, 4}, tombola_s32);
    const MemoryDesc many_samples = row_major({2, 9}, tombola_s32);
    const MemoryDesc no_classes = row_major({2, 0}, tombola_f32);
    const MemoryDesc many_classes = row_major({2, (INT64_C(1) << 31) + 1}, tombola_f32);
    refuses("multinomial: with_replacement is 2; expected 0 or 1", multinomial, probs, classes, 2,
            0, 1, 2);
    refuses("log_probs is -1; expected 0 or 1", multinomial, probs, classes, 1, -1, 1, 2);
    refuses("probs_desc has 1 dimensions; expected 2", multinomial, floats, classes, 1, 0, 1, 2);
    refuses("dst_desc has 1 dimensions; expected 2", multinomial, probs, words, 1, 0, 1, 2);
    refuses("probs_desc has the data type s32; expected", multinomial, classes, classes, 1, 0, 1,
            2);
    refuses("dst_desc has the data type f32; expected", multinomial, probs, probs, 1, 0, 1, 2);
    refuses("dst_desc has 3 rows; expected 2", multinomial, probs, three_rows, 1, 0, 1, 2);
    refuses("probs_desc has 0 classes; expected at least 1", multinomial, no_classes, classes, 1, 0,
            1, 2);
    refuses("dst_desc has 9 samples; expected at most 8", multinomial, probs, many_samples, 0, 0, 1,
            2);
    refuses("dst_desc has the data type s32; expected s64 for 2147483649 classes", multinomial,
            many_classes, classes, 1, 0, 1, 2);
}

TEST_F(PrimitiveApi, QueriesOfShuffle) {
    const MemoryDesc src = tagged({2, 16, 3, 3}, tombola_f32, tombola_nchw);
    const MemoryDesc dst = tagged({2, 16, 3, 3}, tombola_f32, tombola_nhwc);
    const PrimitiveDesc desc = forward(src, dst, 1, 4);
    ASSERT_NE(desc.get(), nullptr) << last_error();
    tombola_engine_t engine = nullptr;
    auto kind = tombola_undefined_primitive;
    auto prop = tombola_prop_kind_undef;
    int axis = -1;
    int inputs = -1;
    int outputs = -1;
    tombola_dim_t group = -1;
    const auto query = [&](tombola_query_t what, void* result) {
        EXPECT_EQ(tombola_primitive_desc_query(desc, what, 0, result), tombola_success)
            << last_error();
    };
    query(tombola_query_engine, &engine);
    query(tombola_query_primitive_kind, &kind);
    query(tombola_query_prop_kind, &prop);
    query(tombola_query_axis_s32, &axis);
    query(tombola_query_group_size_s64, &group);
    query(tombola_query_num_of_inputs_s32, &inputs);
    query(tombola_query_num_of_outputs_s32, &outputs);
    EXPECT_EQ(engine, engine_.get());
    EXPECT_EQ(kind, tombola_shuffle);
    EXPECT_EQ(prop, tombola_forward_training);
    EXPECT_EQ(axis, 1);
    EXPECT_EQ(group, 4);
    EXPECT_EQ(inputs, 1);
    EXPECT_EQ(outputs, 1);

    const auto md = [&](tombola_query_t what, int index = 0) {
        return tombola_primitive_desc_query_md(desc, what, index);
    };
    EXPECT_EQ(tombola_memory_desc_equal(md(tombola_query_src_md), src), 1);
    EXPECT_EQ(tombola_memory_desc_equal(md(tombola_query_dst_md), dst), 1);
    EXPECT_EQ(tombola_memory_desc_equal(md(tombola_query_exec_arg_md, TOMBOLA_ARG_DST), dst), 1);
    EXPECT_EQ(tombola_memory_desc_get_size(md(tombola_query_diff_src_md)), 0u);
    EXPECT_EQ(tombola_memory_desc_get_size(md(tombola_query_exec_arg_md, TOMBOLA_ARG_MIN)), 0u);
    EXPECT_EQ(md(tombola_query_axis_s32), nullptr);

    EXPECT_EQ(tombola_primitive_desc_query(desc, tombola_query_ndims_s32, 0, &axis),
              tombola_invalid_arguments);
    EXPECT_EQ(axis, 1);

    PrimitiveDesc generator;
    ASSERT_EQ(
        tombola_random_generator_primitive_desc_create(
            generator.out(), engine_, tombola_philox4x32_10, row_major({8}, tombola_u32), nullptr),
        tombola_success);
    EXPECT_EQ(tombola_primitive_desc_query(generator, tombola_query_axis_s32, 0, &axis),
              tombola_not_required);
    EXPECT_NE(last_error().find("expected a query that random_generator has"), std::string::npos);
    EXPECT_EQ(axis, 1);
}

TEST_F(PrimitiveApi, OpenLayoutsAreFilledIn) {
    const MemoryDesc any = tagged({2, 16, 3, 3}, tombola_f32, tombola_format_tag_any);
    const MemoryDesc nhwc = tagged({2, 16, 3, 3}, tombola_f32, tombola_nhwc);
    const auto written = [&](const PrimitiveDesc& desc, tombola_query_t what) {
        EXPECT_NE(desc.get(), nullptr) << last_error();
        return tombola_primitive_desc_query_md(desc, what, 0);
    };
    const PrimitiveDesc hint = forward(nhwc, any, 1, 4);
    EXPECT_EQ(tombola_memory_desc_equal(written(hint, tombola_query_dst_md), nhwc), 1);
    EXPECT_EQ(tombola_memory_desc_equal(written(forward(nhwc, nullptr, 1, 4), tombola_query_dst_md),
                                        nhwc),
              1);
    EXPECT_EQ(tombola_memory_desc_equal(
                  written(backward(any, nhwc, 1, 4), tombola_query_diff_src_md), nhwc),
              1);
    const PrimitiveDesc from_hint = backward(any, any, 1, 4, hint);
    EXPECT_EQ(tombola_memory_desc_equal(written(from_hint, tombola_query_diff_dst_md), nhwc), 1);
    EXPECT_EQ(tombola_memory_desc_equal(written(from_hint, tombola_query_diff_src_md), nhwc), 1);
    // The hint gives the layout and not the type.
    const MemoryDesc any_f16 = tagged({2, 16, 3, 3}, tombola_f16, tombola_format_tag_any);
    const MemoryDesc nhwc_f16 = tagged({2, 16, 3, 3}, tombola_f16, tombola_nhwc);
    const PrimitiveDesc narrow = backward(any_f16, any_f16, 1, 4, hint);
    EXPECT_EQ(tombola_memory_desc_equal(written(narrow, tombola_query_diff_dst_md), nhwc_f16), 1);
    EXPECT_EQ(tombola_memory_desc_equal(written(narrow, tombola_query_diff_src_md), nhwc_f16), 1);
}

TEST_F(PrimitiveApi, NextImplWalksTheListToItsEnd) {
    const MemoryDesc data = row_major({2, 16, 9}, tombola_f32);
    PrimitiveDesc desc = forward(data, data, 1, 4);
    ASSERT_NE(desc.get(), nullptr) << last_error();
    std::vector<std::string> names = {impl_name(desc)};
    tombola_status_t status = tombola_success;
    while ((status = tombola_primitive_desc_next_impl(desc)) == tombola_success)
        names.push_back(impl_name(desc));
    EXPECT_EQ(status, tombola_last_impl_reached);
    EXPECT_EQ(names.back(), "portable");
    EXPECT_EQ(impl_name(desc), "portable");  // failing leaves it as it was
    for (size_t i = 0; i < names.size(); ++i)
        for (size_t j = 0; j < i; ++j) EXPECT_NE(names[i], names[j]);
    // A cap of none leaves the portable implementation alone.
    const tombola_cpu_isa_t before = tombola_get_effective_cpu_isa();
    if (before == tombola_cpu_isa_none) {
        EXPECT_EQ(names.size(), 1u);
    }
    ASSERT_EQ(tombola_set_max_cpu_isa(tombola_cpu_isa_none), tombola_success);
    EXPECT_EQ(impl_name(forward(data, data, 1, 4)), "portable");
    ASSERT_EQ(tombola_set_max_cpu_isa(before), tombola_success);
}

// An implementation's name states the instruction set that it needs; none above the one in force is
// chosen.
TEST_F(PrimitiveApi, ImplementationsKeepToTheEffectiveIsa) {
    const tombola_cpu_isa_t effective = tombola_get_effective_cpu_isa();
    const auto check = [&](const_tombola_primitive_desc_t desc) {
        const std::string name = impl_name(desc);
        for (int isa = effective + 1; isa <= tombola_cpu_isa_avx512_core_vbmi; ++isa) {
            const std::string above = tombola_cpu_isa2str(static_cast<tombola_cpu_isa_t>(isa));
            const size_t at = name.find(above);
            const bool named = at != std::string::npos &&
                               (at + above.size() == name.size() || name[at + above.size()] != '_');
            EXPECT_FALSE(named) << name << " under " << tombola_cpu_isa2str(effective);
        }
        if (effective == tombola_cpu_isa_none) {
            EXPECT_EQ(name, "portable");
        }
    };
    for (const tombola_data_type_t type : {tombola_s8, tombola_bf16, tombola_f32, tombola_f64}) {
        const MemoryDesc data = tagged({2, 32, 3, 5}, type, tombola_nhwc);
        for_each_implementation(forward(data, data, 1, 4), check);
    }
    PrimitiveDesc generator;
    ASSERT_EQ(tombola_random_generator_primitive_desc_create(
                  generator.out(), engine_, tombola_philox4x32_10, row_major({999}, tombola_u32),
                  nullptr),
              tombola_success);
    for_each_implementation(generator, check);
}

TEST_F(PrimitiveApi, Attributes) {
    Attr attr;
    ASSERT_EQ(tombola_primitive_attr_create(attr.out()), tombola_success);
    auto mode = tombola_scratchpad_mode_user;
    ASSERT_EQ(tombola_primitive_attr_get_scratchpad_mode(attr, &mode), tombola_success);
    EXPECT_EQ(mode, tombola_scratchpad_mode_library);
    EXPECT_EQ(
        tombola_primitive_attr_set_scratchpad_mode(attr, static_cast<tombola_scratchpad_mode_t>(5)),
        tombola_invalid_arguments);
    EXPECT_NE(last_error().find("mode is 5; expected"), std::string::npos) << last_error();
    ASSERT_EQ(tombola_primitive_attr_set_scratchpad_mode(attr, tombola_scratchpad_mode_user),
              tombola_success);
    Attr copy;
    ASSERT_EQ(tombola_primitive_attr_clone(copy.out(), attr), tombola_success);
    ASSERT_EQ(tombola_primitive_attr_set_scratchpad_mode(attr, tombola_scratchpad_mode_library),
              tombola_success);
    ASSERT_EQ(tombola_primitive_attr_get_scratchpad_mode(copy, &mode), tombola_success);
    EXPECT_EQ(mode, tombola_scratchpad_mode_user);

    const MemoryDesc data = row_major({2, 16}, tombola_f32);
    const PrimitiveDesc desc = forward(data, data, 1, 4, copy);
    ASSERT_NE(desc.get(), nullptr) << last_error();
    const_tombola_primitive_attr_t kept = nullptr;
    ASSERT_EQ(tombola_primitive_desc_get_attr(desc, &kept), tombola_success);
    ASSERT_EQ(tombola_primitive_attr_get_scratchpad_mode(kept, &mode), tombola_success);
    EXPECT_EQ(mode, tombola_scratchpad_mode_user);
}

// Every object keeps what it needs of the objects that it was made from.
TEST_F(PrimitiveApi, ObjectsOutliveWhatTheyWereMadeFrom) {
    Primitive made;
    Memory in;
    Memory out;
    std::array<int16_t, 8> x{};
    std::array<int16_t, 8> y{};
    std::iota(x.begin(), x.end(), static_cast<int16_t>(0));
    {
        const MemoryDesc data = row_major({8}, tombola_bf16);
        PrimitiveDesc desc = forward(data, data, 0, 2);
        PrimitiveDesc copy;
        ASSERT_EQ(tombola_primitive_desc_clone(copy.out(), desc), tombola_success);
        EXPECT_EQ(impl_name(copy), impl_name(desc));
        desc = PrimitiveDesc();
        made = primitive(copy);
        in = memory_over(data, engine_, x.data());
        out = memory_over(data, engine_, y.data());
    }
    const_tombola_primitive_desc_t desc = nullptr;
    ASSERT_EQ(tombola_primitive_get_primitive_desc(made, &desc), tombola_success);
    auto kind = tombola_undefined_primitive;
    ASSERT_EQ(tombola_primitive_desc_query(desc, tombola_query_primitive_kind, 0, &kind),
              tombola_success);
    EXPECT_EQ(kind, tombola_shuffle);
    ASSERT_EQ(execute(made, {{TOMBOLA_ARG_SRC, in}, {TOMBOLA_ARG_DST, out}}), tombola_success);
    EXPECT_EQ(y, (std::array<int16_t, 8>{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(Settings, RefuseBadValuesAndKeepTheOld) {
    EXPECT_EQ(tombola_set_verbose(3), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("level is 3; expected 0, 1 or 2"), std::string::npos);
    int before = -1;
    ASSERT_EQ(tombola_get_primitive_cache_capacity(&before), tombola_success);
    EXPECT_EQ(tombola_set_primitive_cache_capacity(-1), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("capacity is -1; expected at least 0"), std::string::npos);
    ASSERT_EQ(tombola_set_primitive_cache_capacity(7), tombola_success);
    int capacity = -1;
    ASSERT_EQ(tombola_get_primitive_cache_capacity(&capacity), tombola_success);
    EXPECT_EQ(capacity, 7);
    ASSERT_EQ(tombola_set_primitive_cache_capacity(before), tombola_success);
}

}  // namespace
}  // namespace tombola::test
