// SPDX-License-Identifier: Apache-2.0

// A null handle or a null output in any function of the C API: refused, by name, with the outputs
// untouched. Destroying null is allowed.

#include <gtest/gtest.h>

#include <functional>

#include "gtests/common/handles.hpp"

namespace tombola::test {
namespace {

constexpr auto kUntouched = static_cast<uintptr_t>(0x5a5a5a50);

template <class T>
T untouched() {
    return reinterpret_cast<T>(kUntouched);
}

TEST(NullArguments, AreRefusedByName) {
    const Engine engine = cpu_engine();
    const Stream stream = default_stream(engine);
    const MemoryDesc desc = row_major({2, 4}, tombola_f32);
    const MemoryDesc words = row_major({4}, tombola_u32);
    const MemoryDesc classes = row_major({2, 4}, tombola_s32);
    const Memory memory = memory_over(desc, engine, TOMBOLA_MEMORY_ALLOCATE);
    Attr attr;
    ASSERT_EQ(tombola_primitive_attr_create(attr.out()), tombola_success);
    PrimitiveDesc pd;
    ASSERT_EQ(tombola_shuffle_forward_primitive_desc_create(
                  pd.out(), engine, tombola_forward_training, desc, desc, 1, 2, nullptr),
              tombola_success)
        << last_error();
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), pd), tombola_success) << last_error();

    const tombola_dims_t dims = {2, 4};
    const tombola_dims_t offsets = {0, 0};
    const int permutation[] = {1, 0};
    const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, memory}, {TOMBOLA_ARG_DST, memory}};

    auto engine_out = untouched<tombola_engine_t>();
    auto stream_out = untouched<tombola_stream_t>();
    auto desc_out = untouched<tombola_memory_desc_t>();
    auto const_desc_out = untouched<const_tombola_memory_desc_t>();
    auto memory_out = untouched<tombola_memory_t>();
    auto attr_out = untouched<tombola_primitive_attr_t>();
    auto const_attr_out = untouched<const_tombola_primitive_attr_t>();
    auto pd_out = untouched<tombola_primitive_desc_t>();
    auto const_pd_out = untouched<const_tombola_primitive_desc_t>();
    auto primitive_out = untouched<tombola_primitive_t>();
    auto handle_out = untouched<void*>();
    auto kind_out = static_cast<tombola_engine_kind_t>(77);
    auto mode_out = static_cast<tombola_scratchpad_mode_t>(77);
    int int_out = 77;

    struct Call {
        const char* argument;
        std::function<tombola_status_t()> run;
    };
    const Call calls[] = {
        {"engine", [&] { return tombola_engine_create(nullptr, tombola_cpu, 0); }},
        {"engine", [&] { return tombola_engine_get_kind(nullptr, &kind_out); }},
        {"kind", [&] { return tombola_engine_get_kind(engine, nullptr); }},
        {"stream",
         [&] { return tombola_stream_create(nullptr, engine, tombola_stream_default_flags); }},
        {"engine",
         [&] { return tombola_stream_create(&stream_out, nullptr, tombola_stream_default_flags); }},
        {"stream", [&] { return tombola_stream_get_engine(nullptr, &engine_out); }},
        {"engine", [&] { return tombola_stream_get_engine(stream, nullptr); }},
        {"stream", [&] { return tombola_stream_wait(nullptr); }},
        {"memory_desc",
         [&] {
             return tombola_memory_desc_create_with_tag(nullptr, 2, dims, tombola_f32, tombola_ab);
         }},
        {"dims",
         [&] {
             return tombola_memory_desc_create_with_tag(&desc_out, 2, nullptr, tombola_f32,
                                                        tombola_ab);
         }},
        {"memory_desc",
         [&] {
             return tombola_memory_desc_create_with_strides(nullptr, 2, dims, tombola_f32, nullptr);
         }},
        {"dims",
         [&] {
             return tombola_memory_desc_create_with_strides(&desc_out, 2, nullptr, tombola_f32,
                                                            nullptr);
         }},
        {"memory_desc",
         [&] {
             return tombola_memory_desc_create_with_block(nullptr, 2, dims, tombola_f32, dims, 0, 1,
                                                          0);
         }},
        {"dims",
         [&] {
             return tombola_memory_desc_create_with_block(&desc_out, 2, nullptr, tombola_f32, dims,
                                                          0, 1, 0);
         }},
        {"strides",
         [&] {
             return tombola_memory_desc_create_with_block(&desc_out, 2, dims, tombola_f32, nullptr,
                                                          0, 1, 0);
         }},
        {"memory_desc",
         [&] { return tombola_memory_desc_create_submemory(nullptr, desc, dims, offsets); }},
        {"parent",
         [&] { return tombola_memory_desc_create_submemory(&desc_out, nullptr, dims, offsets); }},
        {"dims",
         [&] { return tombola_memory_desc_create_submemory(&desc_out, desc, nullptr, offsets); }},
        {"offsets",
         [&] { return tombola_memory_desc_create_submemory(&desc_out, desc, dims, nullptr); }},
        {"memory_desc", [&] { return tombola_memory_desc_reshape(nullptr, desc, 2, dims); }},
        {"in_memory_desc",
         [&] { return tombola_memory_desc_reshape(&desc_out, nullptr, 2, dims); }},
        {"dims", [&] { return tombola_memory_desc_reshape(&desc_out, desc, 2, nullptr); }},
        {"memory_desc",
         [&] { return tombola_memory_desc_permute_axes(nullptr, desc, permutation); }},
        {"in_memory_desc",
         [&] { return tombola_memory_desc_permute_axes(&desc_out, nullptr, permutation); }},
        {"permutation", [&] { return tombola_memory_desc_permute_axes(&desc_out, desc, nullptr); }},
        {"memory_desc", [&] { return tombola_memory_desc_clone(nullptr, desc); }},
        {"existing", [&] { return tombola_memory_desc_clone(&desc_out, nullptr); }},
        {"memory_desc",
         [&] { return tombola_memory_desc_query(nullptr, tombola_query_ndims_s32, &int_out); }},
        {"result",
         [&] { return tombola_memory_desc_query(desc, tombola_query_ndims_s32, nullptr); }},
        {"memory",
         [&] { return tombola_memory_create(nullptr, desc, engine, TOMBOLA_MEMORY_NONE); }},
        {"memory_desc",
         [&] { return tombola_memory_create(&memory_out, nullptr, engine, TOMBOLA_MEMORY_NONE); }},
        {"engine",
         [&] { return tombola_memory_create(&memory_out, desc, nullptr, TOMBOLA_MEMORY_NONE); }},
        {"memory", [&] { return tombola_memory_get_memory_desc(nullptr, &const_desc_out); }},
        {"memory_desc", [&] { return tombola_memory_get_memory_desc(memory, nullptr); }},
        {"memory", [&] { return tombola_memory_get_engine(nullptr, &engine_out); }},
        {"engine", [&] { return tombola_memory_get_engine(memory, nullptr); }},
        {"memory", [&] { return tombola_memory_get_data_handle(nullptr, &handle_out); }},
        {"handle", [&] { return tombola_memory_get_data_handle(memory, nullptr); }},
        {"memory", [&] { return tombola_memory_set_data_handle(nullptr, nullptr); }},
        {"attr", [&] { return tombola_primitive_attr_create(nullptr); }},
        {"attr", [&] { return tombola_primitive_attr_clone(nullptr, attr); }},
        {"existing", [&] { return tombola_primitive_attr_clone(&attr_out, nullptr); }},
        {"attr", [&] { return tombola_primitive_attr_get_scratchpad_mode(nullptr, &mode_out); }},
        {"mode", [&] { return tombola_primitive_attr_get_scratchpad_mode(attr, nullptr); }},
        {"attr",
         [&] {
             return tombola_primitive_attr_set_scratchpad_mode(nullptr,
                                                               tombola_scratchpad_mode_user);
         }},
        {"primitive_desc", [&] { return tombola_primitive_desc_next_impl(nullptr); }},
        {"primitive_desc", [&] { return tombola_primitive_desc_clone(nullptr, pd); }},
        {"existing", [&] { return tombola_primitive_desc_clone(&pd_out, nullptr); }},
        {"primitive_desc",
         [&] { return tombola_primitive_desc_get_attr(nullptr, &const_attr_out); }},
        {"attr", [&] { return tombola_primitive_desc_get_attr(pd, nullptr); }},
        {"primitive_desc",
         [&] {
             return tombola_primitive_desc_query(nullptr, tombola_query_axis_s32, 0, &int_out);
         }},
        {"result",
         [&] { return tombola_primitive_desc_query(pd, tombola_query_axis_s32, 0, nullptr); }},
        {"primitive_desc",
         [&] {
             EXPECT_EQ(tombola_primitive_desc_query_md(nullptr, tombola_query_src_md, 0), nullptr);
             return tombola_invalid_arguments;  // it has no status; the message is looked at below
         }},
        {"primitive", [&] { return tombola_primitive_create(nullptr, pd); }},
        {"primitive_desc", [&] { return tombola_primitive_create(&primitive_out, nullptr); }},
        {"primitive", [&] { return tombola_primitive_execute(nullptr, stream, 2, args); }},
        {"stream", [&] { return tombola_primitive_execute(primitive, nullptr, 2, args); }},
        {"args", [&] { return tombola_primitive_execute(primitive, stream, 2, nullptr); }},
        {"primitive", [&] { return tombola_primitive_get_primitive_desc(nullptr, &const_pd_out); }},
        {"primitive_desc",
         [&] { return tombola_primitive_get_primitive_desc(primitive, nullptr); }},
        {"capacity", [&] { return tombola_get_primitive_cache_capacity(nullptr); }},
        {"primitive_desc",
         [&] {
             return tombola_shuffle_forward_primitive_desc_create(nullptr, engine, tombola_forward,
                                                                  desc, desc, 1, 2, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_shuffle_forward_primitive_desc_create(&pd_out, nullptr, tombola_forward,
                                                                  desc, desc, 1, 2, nullptr);
         }},
        {"src_desc",
         [&] {
             return tombola_shuffle_forward_primitive_desc_create(&pd_out, engine, tombola_forward,
                                                                  nullptr, desc, 1, 2, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_shuffle_backward_primitive_desc_create(nullptr, engine, desc, desc, 1,
                                                                   2, nullptr, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_shuffle_backward_primitive_desc_create(&pd_out, nullptr, desc, desc, 1,
                                                                   2, nullptr, nullptr);
         }},
        {"diff_dst_desc",
         [&] {
             return tombola_shuffle_backward_primitive_desc_create(&pd_out, engine, desc, nullptr,
                                                                   1, 2, nullptr, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_random_generator_primitive_desc_create(
                 nullptr, engine, tombola_philox4x32_10, words, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_random_generator_primitive_desc_create(
                 &pd_out, nullptr, tombola_philox4x32_10, words, nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_random_generator_primitive_desc_create(
                 &pd_out, engine, tombola_philox4x32_10, nullptr, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_random_uniform_primitive_desc_create(
                 nullptr, engine, tombola_alignment_tensorflow, desc, 1, 2, tombola_int_draws_spec,
                 nullptr);
         }},
        {"engine",
         [&] {
             return tombola_random_uniform_primitive_desc_create(
                 &pd_out, nullptr, tombola_alignment_tensorflow, desc, 1, 2, tombola_int_draws_spec,
                 nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_random_uniform_primitive_desc_create(
                 &pd_out, engine, tombola_alignment_tensorflow, nullptr, 1, 2,
                 tombola_int_draws_spec, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_random_uniform_primitive_desc_create_with_rules(
                 nullptr, engine, tombola_alignment_pytorch, desc, 1, 2, tombola_int_draws_spec,
                 tombola_float_draws_torch2, 0, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_random_uniform_primitive_desc_create_with_rules(
                 &pd_out, nullptr, tombola_alignment_pytorch, desc, 1, 2, tombola_int_draws_spec,
                 tombola_float_draws_torch2, 0, nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_random_uniform_primitive_desc_create_with_rules(
                 &pd_out, engine, tombola_alignment_pytorch, nullptr, 1, 2, tombola_int_draws_spec,
                 tombola_float_draws_torch2, 0, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_random_normal_primitive_desc_create(
                 nullptr, engine, tombola_alignment_tensorflow, desc, 1, 2, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_random_normal_primitive_desc_create(
                 &pd_out, nullptr, tombola_alignment_tensorflow, desc, 1, 2, nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_random_normal_primitive_desc_create(
                 &pd_out, engine, tombola_alignment_tensorflow, nullptr, 1, 2, nullptr);
         }},
        {"state", [&] { return tombola_mt19937_normal_state_from_torch("", 5056, nullptr); }},
        {"torch_state",
         [&] {
             uint32_t state[TOMBOLA_MT19937_NORMAL_STATE_WORDS];
             return tombola_mt19937_normal_state_from_torch(nullptr, 5056, state);
         }},
        {"state", [&] { return tombola_mt19937_normal_state_to_torch(nullptr, nullptr, 5056); }},
        {"primitive_desc",
         [&] {
             return tombola_random_exponential_primitive_desc_create(
                 nullptr, engine, tombola_alignment_tensorflow, desc, 1, 2, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_random_exponential_primitive_desc_create(
                 &pd_out, nullptr, tombola_alignment_tensorflow, desc, 1, 2, nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_random_exponential_primitive_desc_create(
                 &pd_out, engine, tombola_alignment_tensorflow, nullptr, 1, 2, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_random_bernoulli_primitive_desc_create(
                 nullptr, engine, tombola_alignment_tensorflow, desc, desc, 1, 2, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_random_bernoulli_primitive_desc_create(
                 &pd_out, nullptr, tombola_alignment_tensorflow, desc, desc, 1, 2, nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_random_bernoulli_primitive_desc_create(
                 &pd_out, engine, tombola_alignment_tensorflow, nullptr, desc, 1, 2, nullptr);
         }},
        {"p_desc",
         [&] {
             return tombola_random_bernoulli_primitive_desc_create(
                 &pd_out, engine, tombola_alignment_tensorflow, desc, nullptr, 1, 2, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_multinomial_primitive_desc_create(nullptr, engine, desc, classes, 1, 0,
                                                              1, 2, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_multinomial_primitive_desc_create(&pd_out, nullptr, desc, classes, 1, 0,
                                                              1, 2, nullptr);
         }},
        {"probs_desc",
         [&] {
             return tombola_multinomial_primitive_desc_create(&pd_out, engine, nullptr, classes, 1,
                                                              0, 1, 2, nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_multinomial_primitive_desc_create(&pd_out, engine, desc, nullptr, 1, 0,
                                                              1, 2, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_random_permutation_primitive_desc_create(
                 nullptr, engine, tombola_permutation_philox, classes, 4, 1, 2, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_random_permutation_primitive_desc_create(
                 &pd_out, nullptr, tombola_permutation_philox, classes, 4, 1, 2, nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_random_permutation_primitive_desc_create(
                 &pd_out, engine, tombola_permutation_philox, nullptr, 4, 1, 2, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_dropout_forward_primitive_desc_create(
                 nullptr, engine, tombola_forward, desc, desc, 32, tombola_dropout_mask_none, 1, 2,
                 nullptr);
         }},
        {"engine",
         [&] {
             return tombola_dropout_forward_primitive_desc_create(
                 &pd_out, nullptr, tombola_forward, desc, desc, 32, tombola_dropout_mask_none, 1, 2,
                 nullptr);
         }},
        {"src_desc",
         [&] {
             return tombola_dropout_forward_primitive_desc_create(
                 &pd_out, engine, tombola_forward, nullptr, desc, 32, tombola_dropout_mask_none, 1,
                 2, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_dropout_backward_primitive_desc_create(nullptr, engine, desc, desc, 32,
                                                                   tombola_dropout_mask_none, 1, 2,
                                                                   nullptr, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_dropout_backward_primitive_desc_create(&pd_out, nullptr, desc, desc, 32,
                                                                   tombola_dropout_mask_none, 1, 2,
                                                                   nullptr, nullptr);
         }},
        {"diff_dst_desc",
         [&] {
             return tombola_dropout_backward_primitive_desc_create(&pd_out, engine, desc, nullptr,
                                                                   32, tombola_dropout_mask_none, 1,
                                                                   2, nullptr, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_stochastic_rounding_primitive_desc_create(nullptr, engine, desc, desc,
                                                                      1, 2, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_stochastic_rounding_primitive_desc_create(&pd_out, nullptr, desc, desc,
                                                                      1, 2, nullptr);
         }},
        {"src_desc",
         [&] {
             return tombola_stochastic_rounding_primitive_desc_create(&pd_out, engine, nullptr,
                                                                      desc, 1, 2, nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_stochastic_rounding_primitive_desc_create(&pd_out, engine, desc,
                                                                      nullptr, 1, 2, nullptr);
         }},
        {"primitive_desc",
         [&] {
             return tombola_token_sampler_primitive_desc_create(
                 nullptr, engine, desc, classes, tombola_filter_order_vllm, tombola_logprobs_none,
                 0, 1, 2, nullptr);
         }},
        {"engine",
         [&] {
             return tombola_token_sampler_primitive_desc_create(
                 &pd_out, nullptr, desc, classes, tombola_filter_order_vllm, tombola_logprobs_none,
                 0, 1, 2, nullptr);
         }},
        {"logits_desc",
         [&] {
             return tombola_token_sampler_primitive_desc_create(
                 &pd_out, engine, nullptr, classes, tombola_filter_order_vllm,
                 tombola_logprobs_none, 0, 1, 2, nullptr);
         }},
        {"dst_desc",
         [&] {
             return tombola_token_sampler_primitive_desc_create(
                 &pd_out, engine, desc, nullptr, tombola_filter_order_vllm, tombola_logprobs_none,
                 0, 1, 2, nullptr);
         }},
    };
    for (size_t i = 0; i < std::size(calls); ++i) {
        // Another message in between, so that each call has to leave its own.
        ASSERT_EQ(tombola_set_verbose(99), tombola_invalid_arguments);
        EXPECT_EQ(calls[i].run(), tombola_invalid_arguments) << "call " << i;
        const std::string expected = std::string(": ") + calls[i].argument + " is null";
        EXPECT_NE(last_error().find(expected), std::string::npos)
            << "call " << i << ": '" << last_error() << "', expected '" << expected << "'";
    }
    for (const void* out :
         {static_cast<const void*>(engine_out), static_cast<const void*>(stream_out),
          static_cast<const void*>(desc_out), static_cast<const void*>(const_desc_out),
          static_cast<const void*>(memory_out), static_cast<const void*>(attr_out),
          static_cast<const void*>(const_attr_out), static_cast<const void*>(pd_out),
          static_cast<const void*>(const_pd_out), static_cast<const void*>(primitive_out),
          static_cast<const void*>(handle_out)})
        EXPECT_EQ(reinterpret_cast<uintptr_t>(out), kUntouched);
    EXPECT_EQ(kind_out, static_cast<tombola_engine_kind_t>(77));
    EXPECT_EQ(mode_out, static_cast<tombola_scratchpad_mode_t>(77));
    EXPECT_EQ(int_out, 77);
}

TEST(NullArguments, AreDestroyed) {
    EXPECT_EQ(tombola_engine_destroy(nullptr), tombola_success);
    EXPECT_EQ(tombola_stream_destroy(nullptr), tombola_success);
    EXPECT_EQ(tombola_memory_desc_destroy(nullptr), tombola_success);
    EXPECT_EQ(tombola_memory_destroy(nullptr), tombola_success);
    EXPECT_EQ(tombola_primitive_attr_destroy(nullptr), tombola_success);
    EXPECT_EQ(tombola_primitive_desc_destroy(nullptr), tombola_success);
    EXPECT_EQ(tombola_primitive_destroy(nullptr), tombola_success);
}

TEST(NullArguments, HaveNoSizeAndNoName) {
    EXPECT_EQ(tombola_memory_desc_get_size(nullptr), 0u);
    EXPECT_EQ(tombola_memory_desc_equal(nullptr, nullptr), 1);
    EXPECT_EQ(tombola_memory_desc_equal(row_major({1}, tombola_f32), nullptr), 0);
    EXPECT_EQ(tombola_str2fmt_tag(nullptr), tombola_format_tag_undef);
}

}  // namespace
}  // namespace tombola::test
