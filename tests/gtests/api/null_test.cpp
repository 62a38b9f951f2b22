// SPDX-License-Identifier: Apache-2.0

// A null handle or a null output in any function of the C API: refused, by name, with the outputs
// untouched. Destroying null is allowed.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "gtests/common/handles.hpp"

namespace tombola::test {
namespace {

constexpr auto kUntouched = static_cast<uintptr_t>(0x5a5a5a50);

template <class T>
T untouched() {
    return reinterpret_cast<T>(kUntouched);
}

void expect_message(const std::string& argument) {
    const std::string expected = ": " + argument + " is null; expected ";
    EXPECT_NE(last_error().find(expected), std::string::npos)
        << "'" << last_error() << "', expected '" << expected << "'";
}

template <class T>
struct Identity {
    using type = T;
};

// Calls a function with valid arguments of which one is null: each that has a name in turn. An argument that has none may be
// null, or is no pointer.
template <class... P>
void check(tombola_status_t (*function)(P...), const std::vector<std::string>& names,
           typename Identity<P>::type... valid) {
    for (size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty()) continue;
        size_t place = 0;
        const auto null_at_i = [&](auto value) {
            if constexpr (std::is_pointer_v<decltype(value)>)
                if (place == i) value = nullptr;
            ++place;
            return value;
        };
        // Another message in between, so that each call has to leave its own.
        ASSERT_EQ(tombola_set_verbose(99), tombola_invalid_arguments);
        const std::tuple<P...> arguments{null_at_i(valid)...};  // braces: from left to right
        EXPECT_EQ(std::apply(function, arguments), tombola_invalid_arguments) << names[i];
        expect_message(names[i]);
    }
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

    uint32_t words_of_state[TOMBOLA_MT19937_NORMAL_STATE_WORDS];

    check(tombola_engine_create, {"engine"}, nullptr, tombola_cpu, 0);
    check(tombola_engine_get_kind, {"engine", "kind"}, engine, &kind_out);
    check(tombola_stream_create, {"stream", "engine"}, &stream_out, engine,
          tombola_stream_default_flags);
    check(tombola_stream_get_engine, {"stream", "engine"}, stream, &engine_out);
    check(tombola_stream_wait, {"stream"}, nullptr);
    check(tombola_memory_desc_create_with_tag, {"memory_desc", "", "dims"}, &desc_out, 2, dims,
          tombola_f32, tombola_ab);
    check(tombola_memory_desc_create_with_strides, {"memory_desc", "", "dims"}, &desc_out, 2, dims,
          tombola_f32, nullptr);
    check(tombola_memory_desc_create_with_block, {"memory_desc", "", "dims", "", "strides"},
          &desc_out, 2, dims, tombola_f32, dims, 0, 1, 0);
    check(tombola_memory_desc_create_submemory, {"memory_desc", "parent", "dims", "offsets"},
          &desc_out, desc, dims, offsets);
    check(tombola_memory_desc_reshape, {"memory_desc", "in_memory_desc", "", "dims"}, &desc_out,
          desc, 2, dims);
    check(tombola_memory_desc_permute_axes, {"memory_desc", "in_memory_desc", "permutation"},
          &desc_out, desc, permutation);
    check(tombola_memory_desc_clone, {"memory_desc", "existing"}, &desc_out, desc);
    check(tombola_memory_desc_query, {"memory_desc", "", "result"}, desc, tombola_query_ndims_s32,
          &int_out);
    check(tombola_memory_create, {"memory", "memory_desc", "engine"}, &memory_out, desc, engine,
          TOMBOLA_MEMORY_NONE);
    check(tombola_memory_get_memory_desc, {"memory", "memory_desc"}, memory, &const_desc_out);
    check(tombola_memory_get_engine, {"memory", "engine"}, memory, &engine_out);
    check(tombola_memory_get_data_handle, {"memory", "handle"}, memory, &handle_out);
    check(tombola_memory_set_data_handle, {"memory"}, nullptr, nullptr);
    check(tombola_primitive_attr_create, {"attr"}, nullptr);
    check(tombola_primitive_attr_clone, {"attr", "existing"}, &attr_out, attr);
    check(tombola_primitive_attr_get_scratchpad_mode, {"attr", "mode"}, attr, &mode_out);
    check(tombola_primitive_attr_set_scratchpad_mode, {"attr"}, nullptr,
          tombola_scratchpad_mode_user);
    check(tombola_primitive_desc_next_impl, {"primitive_desc"}, nullptr);
    check(tombola_primitive_desc_clone, {"primitive_desc", "existing"}, &pd_out, pd);
    check(tombola_primitive_desc_get_attr, {"primitive_desc", "attr"}, pd, &const_attr_out);
    check(tombola_primitive_desc_query, {"primitive_desc", "", "", "result"}, pd,
          tombola_query_axis_s32, 0, &int_out);
    EXPECT_EQ(tombola_primitive_desc_query_md(nullptr, tombola_query_src_md, 0), nullptr);
    expect_message("primitive_desc");
    check(tombola_primitive_create, {"primitive", "primitive_desc"}, &primitive_out, pd);
    check(tombola_primitive_execute, {"primitive", "stream", "", "args"}, primitive, stream, 2,
          args);
    check(tombola_primitive_get_primitive_desc, {"primitive", "primitive_desc"}, primitive,
          &const_pd_out);
    check(tombola_get_primitive_cache_capacity, {"capacity"}, nullptr);
    check(tombola_shuffle_forward_primitive_desc_create,
          {"primitive_desc", "engine", "", "src_desc"}, &pd_out, engine, tombola_forward, desc,
          desc, 1, 2, nullptr);
    check(tombola_shuffle_backward_primitive_desc_create,
          {"primitive_desc", "engine", "", "diff_dst_desc"}, &pd_out, engine, desc, desc, 1, 2,
          nullptr, nullptr);
    check(tombola_random_generator_primitive_desc_create,
          {"primitive_desc", "engine", "", "dst_desc"}, &pd_out, engine, tombola_philox4x32_10,
          words, nullptr);
    check(tombola_random_uniform_primitive_desc_create,
          {"primitive_desc", "engine", "", "dst_desc"}, &pd_out, engine,
          tombola_alignment_tensorflow, desc, 1, 2, tombola_int_draws_spec, nullptr);
    check(tombola_random_uniform_primitive_desc_create_with_rules,
          {"primitive_desc", "engine", "", "dst_desc"}, &pd_out, engine, tombola_alignment_pytorch,
          desc, 1, 2, tombola_int_draws_spec, tombola_float_draws_torch2, 0, nullptr);
    check(tombola_random_normal_primitive_desc_create, {"primitive_desc", "engine", "", "dst_desc"},
          &pd_out, engine, tombola_alignment_tensorflow, desc, 1, 2, nullptr);
    check(tombola_mt19937_normal_state_from_torch, {"torch_state", "", "state"}, "", 5056,
          words_of_state);
    check(tombola_mt19937_normal_state_to_torch, {"state"}, words_of_state, nullptr, 5056);
    check(tombola_random_exponential_primitive_desc_create,
          {"primitive_desc", "engine", "", "dst_desc"}, &pd_out, engine,
          tombola_alignment_tensorflow, desc, 1, 2, nullptr);
    check(tombola_random_bernoulli_primitive_desc_create,
          {"primitive_desc", "engine", "", "dst_desc", "p_desc"}, &pd_out, engine,
          tombola_alignment_tensorflow, desc, desc, 1, 2, nullptr);
    check(tombola_multinomial_primitive_desc_create,
          {"primitive_desc", "engine", "probs_desc", "dst_desc"}, &pd_out, engine, desc, classes, 1,
          0, 1, 2, nullptr);
    check(tombola_random_permutation_primitive_desc_create,
          {"primitive_desc", "engine", "", "dst_desc"}, &pd_out, engine, tombola_permutation_philox,
          classes, 4, 1, 2, nullptr);
    check(tombola_dropout_forward_primitive_desc_create,
          {"primitive_desc", "engine", "", "src_desc"}, &pd_out, engine, tombola_forward, desc,
          desc, 32, tombola_dropout_mask_none, 1, 2, nullptr);
    check(tombola_dropout_backward_primitive_desc_create,
          {"primitive_desc", "engine", "", "diff_dst_desc"}, &pd_out, engine, desc, desc, 32,
          tombola_dropout_mask_none, 1, 2, nullptr, nullptr);
    check(tombola_stochastic_rounding_primitive_desc_create,
          {"primitive_desc", "engine", "src_desc", "dst_desc"}, &pd_out, engine, desc, desc, 1, 2,
          nullptr);
    check(tombola_token_sampler_primitive_desc_create,
          {"primitive_desc", "engine", "logits_desc", "dst_desc"}, &pd_out, engine, desc, classes,
          tombola_filter_order_vllm, tombola_logprobs_none, 0, 1, 2, nullptr);
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
