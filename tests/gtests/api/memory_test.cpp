// SPDX-License-Identifier: Apache-2.0

// Engines, streams, memory descriptors and memory objects through the C API. How descriptors place
// elements is tested in internals/memory_desc_test.cpp.

#include <gtest/gtest.h>

#include <array>

#include "gtests/common/tensor.hpp"

namespace tombola::test {
namespace {

TEST(Engine, OneCpu) {
    EXPECT_EQ(tombola_engine_get_count(tombola_cpu), 1u);
    EXPECT_EQ(tombola_engine_get_count(tombola_gpu), 0u);
    EXPECT_EQ(tombola_engine_get_count(tombola_any_engine), 0u);
    const Engine engine = cpu_engine();
    tombola_engine_kind_t kind = tombola_any_engine;
    ASSERT_EQ(tombola_engine_get_kind(engine, &kind), tombola_success);
    EXPECT_EQ(kind, tombola_cpu);
}

TEST(Engine, OthersAreRefused) {
    Engine engine;
    EXPECT_EQ(tombola_engine_create(engine.out(), tombola_gpu, 0), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("kind is gpu; expected cpu"), std::string::npos) << last_error();
    EXPECT_EQ(tombola_engine_create(engine.out(), tombola_any_engine, 0),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("kind is any_engine; "), std::string::npos) << last_error();
    EXPECT_EQ(tombola_engine_create(engine.out(), static_cast<tombola_engine_kind_t>(3), 0),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("kind is 3; "), std::string::npos) << last_error();
    EXPECT_EQ(tombola_engine_create(engine.out(), tombola_cpu, 5), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("index is 5"), std::string::npos) << last_error();
    EXPECT_EQ(engine.get(), nullptr);
}

TEST(Stream, BelongsToItsEngine) {
    const Engine engine = cpu_engine();
    for (const unsigned flags :
         {unsigned{tombola_stream_default_flags}, unsigned{tombola_stream_in_order},
          unsigned{tombola_stream_out_of_order}}) {
        Stream stream;
        ASSERT_EQ(tombola_stream_create(stream.out(), engine, flags), tombola_success);
        tombola_engine_t of = nullptr;
        ASSERT_EQ(tombola_stream_get_engine(stream, &of), tombola_success);
        EXPECT_EQ(of, engine.get());
        EXPECT_EQ(tombola_stream_wait(stream), tombola_success);
    }
    Stream stream;
    EXPECT_EQ(tombola_stream_create(stream.out(), engine, 64), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("flags are 0x40"), std::string::npos) << last_error();
}

TEST(MemoryDesc, QueriesOfABlockedLayout) {
    const MemoryDesc desc = tagged({2, 17, 3, 5}, tombola_bf16, tombola_nChw16c);
    const Layout layout(desc);
    EXPECT_EQ(layout.dims, (DimVector{2, 17, 3, 5}));
    EXPECT_EQ(layout.padded_dims, (DimVector{2, 32, 3, 5}));
    EXPECT_EQ(layout.strides, (DimVector{2 * 3 * 5 * 16, 3 * 5 * 16, 5 * 16, 16}));
    EXPECT_EQ(layout.block_dim, 1);
    EXPECT_EQ(layout.block, 16);
    EXPECT_EQ(layout.offset0, 0);
    EXPECT_EQ(layout.element_size, 2u);
    EXPECT_EQ(tombola_memory_desc_get_size(desc), 2u * 32 * 3 * 5 * 2);
    tombola_format_kind_t kind = tombola_format_kind_undef;
    ASSERT_EQ(tombola_memory_desc_query(desc, tombola_query_format_kind, &kind), tombola_success);
    EXPECT_EQ(kind, tombola_blocked);
}

TEST(MemoryDesc, UnknownQueryIsRefused) {
    int value = 77;
    EXPECT_EQ(
        tombola_memory_desc_query(row_major({2}, tombola_f32), tombola_query_axis_s32, &value),
        tombola_invalid_arguments);
    EXPECT_NE(last_error().find("what is 7"), std::string::npos) << last_error();
    EXPECT_EQ(value, 77);
}

TEST(MemoryDesc, NoDimensionsIsEmpty) {
    const MemoryDesc empty = tagged({}, tombola_data_type_undef, tombola_format_tag_undef);
    ASSERT_NE(empty.get(), nullptr) << last_error();
    EXPECT_EQ(tombola_memory_desc_get_size(empty), 0u);
    EXPECT_EQ(tombola_memory_desc_equal(empty, row_major({1}, tombola_f32)), 0);
}

TEST(MemoryDesc, RefusalsNameArgumentValueAndExpectation) {
    struct Row {
        DimVector dims;
        int type;
        int tag;
        const char* message;
    };
    const Row rows[] = {
        {{2, -1}, tombola_f32, tombola_ab, "dims[1] is -1; expected"},
        {{TOMBOLA_RUNTIME_DIM_VAL}, tombola_f32, tombola_a, "dims[0] is a run-time dimension"},
        {{2, 3}, 99, tombola_ab, "data_type is 99; expected"},
        {{2, 3}, tombola_data_type_undef, tombola_ab, "data_type is 0; expected"},
        {{2, 3}, tombola_f32, tombola_abcd, "tag abcd has 4 dimensions; expected 2"},
        {{2, 3}, tombola_f32, tombola_format_tag_undef, "tag is 0; expected"},
        {{2, 3}, tombola_f32, tombola_format_tag_last, "expected one of tombola_format_tag_t"},
        {{INT64_MAX, 2}, tombola_f32, tombola_ab, "less than 2^56 bytes"},
        {DimVector(13, 1), tombola_f32, tombola_a, "ndims is 13; expected 0 to 12"},
    };
    for (const Row& row : rows) {
        auto out = reinterpret_cast<tombola_memory_desc_t>(0x50);
        EXPECT_EQ(tombola_memory_desc_create_with_tag(&out, static_cast<int>(row.dims.size()),
                                                      row.dims.data(),
                                                      static_cast<tombola_data_type_t>(row.type),
                                                      static_cast<tombola_format_tag_t>(row.tag)),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find(row.message), std::string::npos)
            << "'" << last_error() << "', expected '" << row.message << "'";
        EXPECT_EQ(out, reinterpret_cast<tombola_memory_desc_t>(0x50));
    }
    tombola_memory_desc_t out = nullptr;
    const tombola_dims_t dims = {2, 3};
    EXPECT_EQ(tombola_memory_desc_create_with_tag(&out, -1, dims, tombola_f32, tombola_ab),
              tombola_invalid_arguments);
    const tombola_dims_t runtime = {3, TOMBOLA_RUNTIME_DIM_VAL};
    EXPECT_EQ(tombola_memory_desc_create_with_strides(&out, 2, dims, tombola_f32, runtime),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("strides[1]"), std::string::npos) << last_error();
    const tombola_dims_t negative = {3, -1};
    EXPECT_EQ(tombola_memory_desc_create_with_strides(&out, 2, dims, tombola_f32, negative),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("strides[1] is -1"), std::string::npos) << last_error();
    EXPECT_EQ(out, nullptr);
}

// Strides of a tensor without elements are never taken, so they may be anything that is not negative; each primitive
// takes such a tensor.
TEST(MemoryDesc, WithoutElementsTakesAnyStrides) {
    const Engine engine = cpu_engine();
    const Stream stream = default_stream(engine);
    for (const tombola_dim_t stride : {INT64_C(0), INT64_C(1), INT64_C(1) << 60, INT64_MAX}) {
        const MemoryDesc data = strided({0, 6}, tombola_f32, {stride, stride});
        ASSERT_NE(data.get(), nullptr) << last_error();
        EXPECT_EQ(tombola_memory_desc_get_size(data), 0u);
        const tombola_dims_t* kept = nullptr;
        ASSERT_EQ(tombola_memory_desc_query(data, tombola_query_strides, &kept), tombola_success);
        EXPECT_EQ((*kept)[1], stride);
        MemoryDesc box;
        const tombola_dims_t box_dims = {0, 2};
        const tombola_dims_t box_at = {0, 3};
        EXPECT_EQ(tombola_memory_desc_create_submemory(box.out(), data, box_dims, box_at),
                  tombola_success);
        tombola_dim_t offset = -1;
        ASSERT_EQ(tombola_memory_desc_query(box, tombola_query_submemory_offset_s64, &offset),
                  tombola_success);
        EXPECT_EQ(offset, 0);
        MemoryDesc joined;
        const tombola_dims_t joined_dims = {0};
        EXPECT_EQ(tombola_memory_desc_reshape(joined.out(), data, 1, joined_dims), tombola_success)
            << last_error();

        PrimitiveDesc shuffle;
        ASSERT_EQ(tombola_shuffle_forward_primitive_desc_create(
                      shuffle.out(), engine, tombola_forward_training, data, box, 1, 2, nullptr),
                  tombola_invalid_arguments);  // 2 columns are not 6
        ASSERT_EQ(
            tombola_shuffle_forward_primitive_desc_create(
                shuffle.out(), engine, tombola_forward_training, data, nullptr, 1, 2, nullptr),
            tombola_success)
            << last_error();
        PrimitiveDesc uniform;
        ASSERT_EQ(tombola_random_uniform_primitive_desc_create(
                      uniform.out(), engine, tombola_alignment_tensorflow, data, 1, 2,
                      tombola_int_draws_spec, nullptr),
                  tombola_success)
            << last_error();
        PrimitiveDesc multinomial;
        ASSERT_EQ(tombola_multinomial_primitive_desc_create(
                      multinomial.out(), engine, data,
                      strided({0, 3}, tombola_s32, {stride, stride}), 1, 0, 1, 2, nullptr),
                  tombola_success)
            << last_error();

        const Memory empty = memory_over(data, engine, TOMBOLA_MEMORY_NONE);
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), shuffle), tombola_success);
        const tombola_exec_arg_t shuffle_args[] = {{TOMBOLA_ARG_SRC, empty},
                                                   {TOMBOLA_ARG_DST, empty}};
        EXPECT_EQ(tombola_primitive_execute(primitive, stream, 2, shuffle_args), tombola_success)
            << last_error();
        // An execution that writes the state alone runs.
        float bounds[2] = {0, 1};
        std::array<uint64_t, 2> state = {};
        const MemoryDesc one = row_major({1}, tombola_f32);
        const MemoryDesc words = row_major({2}, tombola_u64);
        const Memory low = memory_over(one, engine, &bounds[0]);
        const Memory high = memory_over(one, engine, &bounds[1]);
        const Memory after = memory_over(words, engine, state.data());
        ASSERT_EQ(tombola_primitive_create(primitive.out(), uniform), tombola_success);
        const tombola_exec_arg_t uniform_args[] = {{TOMBOLA_ARG_MIN, low},
                                                   {TOMBOLA_ARG_MAX, high},
                                                   {TOMBOLA_ARG_DST, empty},
                                                   {TOMBOLA_ARG_DST_STATE, after}};
        EXPECT_EQ(tombola_primitive_execute(primitive, stream, 4, uniform_args), tombola_success)
            << last_error();
        EXPECT_EQ(state[1], 2u);  // the operation's seed, no block drawn
    }
}

TEST(MemoryDesc, CloneSubmemoryReshapePermute) {
    const MemoryDesc desc = row_major({4, 6}, tombola_f32);
    MemoryDesc other;
    ASSERT_EQ(tombola_memory_desc_clone(other.out(), desc), tombola_success);
    EXPECT_EQ(tombola_memory_desc_equal(desc, other), 1);

    const tombola_dims_t box = {2, 3};
    const tombola_dims_t at = {1, 2};
    ASSERT_EQ(tombola_memory_desc_create_submemory(other.out(), desc, box, at), tombola_success);
    EXPECT_EQ(Layout(other).offset0, 1 * 6 + 2);
    EXPECT_EQ(Layout(other).strides, (DimVector{6, 1}));
    // From the data handle to behind the last element: row 2, column 4.
    EXPECT_EQ(tombola_memory_desc_get_size(other), (2u * 6 + 4 + 1) * 4);
    EXPECT_EQ(tombola_memory_desc_equal(desc, other), 0);

    const tombola_dims_t flat = {24};
    ASSERT_EQ(tombola_memory_desc_reshape(other.out(), desc, 1, flat), tombola_success);
    EXPECT_EQ(tombola_memory_desc_equal(other, row_major({24}, tombola_f32)), 1);

    const int swap[] = {1, 0};
    ASSERT_EQ(tombola_memory_desc_permute_axes(other.out(), desc, swap), tombola_success);
    EXPECT_EQ(tombola_memory_desc_equal(other, tagged({6, 4}, tombola_f32, tombola_ba)), 1);
}

TEST(MemoryDesc, SubmemoryInsideABlockIsUnimplemented) {
    const MemoryDesc desc = tagged({1, 32, 2, 2}, tombola_f32, tombola_nChw16c);
    MemoryDesc box;
    const tombola_dims_t dims = {1, 8, 2, 2};
    const tombola_dims_t at = {0, 8, 0, 0};
    EXPECT_EQ(tombola_memory_desc_create_submemory(box.out(), desc, dims, at),
              tombola_unimplemented);
    const tombola_dims_t outside = {1, 16, 2, 2};
    const tombola_dims_t at_end = {0, 32, 0, 0};
    EXPECT_EQ(tombola_memory_desc_create_submemory(box.out(), desc, outside, at_end),
              tombola_invalid_arguments);
    EXPECT_EQ(box.get(), nullptr);
}

TEST(Memory, LibraryAllocatesAlignedWithZeroPadding) {
    const Engine engine = cpu_engine();
    const MemoryDesc desc = tagged({1, 3, 5}, tombola_u8, tombola_nCw16c);
    const Memory memory = memory_over(desc, engine, TOMBOLA_MEMORY_ALLOCATE);
    ASSERT_NE(memory.get(), nullptr) << last_error();
    void* data = nullptr;
    ASSERT_EQ(tombola_memory_get_data_handle(memory, &data), tombola_success);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
    for (size_t position = 0; position < 5; ++position)
        for (size_t channel = 3; channel < 16; ++channel)
            EXPECT_EQ(static_cast<uint8_t*>(data)[position * 16 + channel], 0);

    const_tombola_memory_desc_t kept = nullptr;
    ASSERT_EQ(tombola_memory_get_memory_desc(memory, &kept), tombola_success);
    EXPECT_EQ(tombola_memory_desc_equal(kept, desc), 1);
    tombola_engine_t of = nullptr;
    ASSERT_EQ(tombola_memory_get_engine(memory, &of), tombola_success);
    EXPECT_EQ(of, engine.get());
}

TEST(Memory, UserHandle) {
    const Engine engine = cpu_engine();
    const MemoryDesc desc = row_major({4}, tombola_f64);
    alignas(16) unsigned char bytes[64] = {};
    const Memory memory = memory_over(desc, engine, bytes);
    void* data = nullptr;
    ASSERT_EQ(tombola_memory_get_data_handle(memory, &data), tombola_success);
    EXPECT_EQ(data, bytes);
    ASSERT_EQ(tombola_memory_set_data_handle(memory, bytes + 8), tombola_success);
    ASSERT_EQ(tombola_memory_get_data_handle(memory, &data), tombola_success);
    EXPECT_EQ(data, bytes + 8);
    // f64 lies at multiples of eight.
    EXPECT_EQ(tombola_memory_set_data_handle(memory, bytes + 4), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("aligned to 8 bytes"), std::string::npos) << last_error();
    ASSERT_EQ(tombola_memory_get_data_handle(memory, &data), tombola_success);
    EXPECT_EQ(data, bytes + 8);
    EXPECT_EQ(memory_over(desc, engine, bytes + 1).get(), nullptr);
}

// An address given back to the object that owns it stays its own.
TEST(Memory, OwnHandleSetAgainIsKept) {
    const Engine engine = cpu_engine();
    const Memory memory = memory_over(row_major({4}, tombola_s32), engine, TOMBOLA_MEMORY_ALLOCATE);
    void* data = nullptr;
    ASSERT_EQ(tombola_memory_get_data_handle(memory, &data), tombola_success);
    static_cast<int32_t*>(data)[3] = 42;
    ASSERT_EQ(tombola_memory_set_data_handle(memory, data), tombola_success);
    EXPECT_EQ(static_cast<int32_t*>(data)[3], 42);
}

TEST(Memory, LayoutLeftOpenIsRefused) {
    const Engine engine = cpu_engine();
    Memory memory;
    EXPECT_EQ(
        tombola_memory_create(memory.out(), tagged({2, 3}, tombola_f32, tombola_format_tag_any),
                              engine, TOMBOLA_MEMORY_NONE),
        tombola_invalid_arguments);
    EXPECT_NE(last_error().find("any"), std::string::npos) << last_error();
    EXPECT_EQ(memory.get(), nullptr);
}

TEST(Memory, MoreThanThereIsIsOutOfMemory) {
    const Engine engine = cpu_engine();
    Memory memory;
    EXPECT_EQ(tombola_memory_create(memory.out(), row_major({INT64_C(1) << 55}, tombola_u8), engine,
                                    TOMBOLA_MEMORY_ALLOCATE),
              tombola_out_of_memory);
    EXPECT_NE(last_error().find("36028797018963968"), std::string::npos) << last_error();
    EXPECT_EQ(memory.get(), nullptr);
}

TEST(Names, OfTypesTagsAndStatuses) {
    EXPECT_STREQ(tombola_status2str(tombola_success), "success");
    EXPECT_STREQ(tombola_status2str(tombola_last_impl_reached), "last_impl_reached");
    EXPECT_STREQ(tombola_status2str(static_cast<tombola_status_t>(99)), "unknown");
    EXPECT_STREQ(tombola_dt2str(tombola_bf16), "bf16");
    EXPECT_STREQ(tombola_dt2str(static_cast<tombola_data_type_t>(99)), "undef");
    EXPECT_STREQ(tombola_fmt_tag2str(tombola_nhwc), "acdb");
    EXPECT_STREQ(tombola_fmt_tag2str(static_cast<tombola_format_tag_t>(9999)), "undef");
    EXPECT_EQ(tombola_str2fmt_tag("nhwc"), tombola_acdb);
    EXPECT_EQ(tombola_str2fmt_tag("any"), tombola_format_tag_any);
    EXPECT_EQ(tombola_str2fmt_tag("nhwd"), tombola_format_tag_undef);
    EXPECT_STREQ(tombola_prop_kind2str(tombola_backward_data), "backward_data");
    EXPECT_STREQ(tombola_prop_kind2str(tombola_backward), "backward");
    EXPECT_STREQ(tombola_cpu_isa2str(tombola_cpu_isa_avx512_core_vbmi), "avx512_core_vbmi");
    EXPECT_EQ(tombola_data_type_size(tombola_f16), 2u);
    EXPECT_EQ(tombola_data_type_size(tombola_u64), 8u);
    EXPECT_EQ(tombola_data_type_size(tombola_data_type_undef), 0u);
    EXPECT_EQ(tombola_data_type_size(static_cast<tombola_data_type_t>(99)), 0u);
}

TEST(Version, IsTheHeadersOwn) {
    const tombola_version_t* version = tombola_version();
    ASSERT_NE(version, nullptr);
    EXPECT_EQ(version->major, TOMBOLA_VERSION_MAJOR);
    EXPECT_EQ(version->minor, TOMBOLA_VERSION_MINOR);
    EXPECT_EQ(version->patch, TOMBOLA_VERSION_PATCH);
    EXPECT_STREQ(version->cpu_runtime, TOMBOLA_TEST_CPU_RUNTIME);
}

// A descriptor without a layout (any) has no boxes, and any shape of as many elements.
TEST(MemoryDesc, WithoutALayoutHasNoBoxesAndKeepsItsElements) {
    const MemoryDesc any = tagged({4, 6}, tombola_f32, tombola_format_tag_any);
    const tombola_dim_t box[] = {2, 3}, at[] = {0, 0}, flat[] = {24}, fewer[] = {23};
    MemoryDesc other;
    EXPECT_EQ(tombola_memory_desc_create_submemory(other.out(), any, box, at),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("parent has no layout; expected strides"), std::string::npos);
    EXPECT_EQ(other.get(), nullptr);
    EXPECT_EQ(tombola_memory_desc_reshape(other.out(), any, 1, flat), tombola_success);
    EXPECT_EQ(tombola_memory_desc_reshape(other.out(), any, 1, fewer), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("dims are 23; expected 24 elements"), std::string::npos)
        << last_error();
    EXPECT_EQ(tombola_memory_desc_reshape(other.out(), any, 0, nullptr), tombola_invalid_arguments);
    EXPECT_NE(last_error().find("dims are none; expected 24 elements"), std::string::npos)
        << last_error();
}

TEST(MemoryObject, CannotBeToldToAllocateLater) {
    const Engine engine = cpu_engine();
    const MemoryDesc desc = tagged({4}, tombola_f32, tombola_a);
    float numbers[4];
    Memory memory;
    ASSERT_EQ(tombola_memory_create(memory.out(), desc, engine, numbers), tombola_success);
    EXPECT_EQ(tombola_memory_set_data_handle(memory, TOMBOLA_MEMORY_ALLOCATE),
              tombola_invalid_arguments);
    EXPECT_NE(last_error().find("handle is TOMBOLA_MEMORY_ALLOCATE; expected an address or NULL"),
              std::string::npos);
    void* handle = nullptr;
    ASSERT_EQ(tombola_memory_get_data_handle(memory, &handle), tombola_success);
    EXPECT_EQ(handle, numbers);
}

// As the enumerators are called, without their prefix.
TEST(Status, EachHasItsName) {
    EXPECT_STREQ(tombola_status2str(tombola_success), "success");
    EXPECT_STREQ(tombola_status2str(tombola_out_of_memory), "out_of_memory");
    EXPECT_STREQ(tombola_status2str(tombola_invalid_arguments), "invalid_arguments");
    EXPECT_STREQ(tombola_status2str(tombola_unimplemented), "unimplemented");
    EXPECT_STREQ(tombola_status2str(tombola_last_impl_reached), "last_impl_reached");
    EXPECT_STREQ(tombola_status2str(tombola_runtime_error), "runtime_error");
    EXPECT_STREQ(tombola_status2str(tombola_not_required), "not_required");
    EXPECT_STREQ(tombola_status2str(static_cast<tombola_status_t>(99)), "unknown");
}

// A dimension of size 1 in front of a large stride.
TEST(Reshape, StridesAreStrides) {
    const MemoryDesc far = strided({2}, tombola_u8, {(int64_t{1} << 56) - 3});
    const tombola_dim_t dims[] = {1, 1, 2};
    MemoryDesc reshaped, again;
    ASSERT_EQ(tombola_memory_desc_reshape(reshaped.out(), far, 3, dims), tombola_success)
        << last_error();
    const tombola_dims_t* strides = nullptr;
    ASSERT_EQ(tombola_memory_desc_query(reshaped, tombola_query_strides, &strides),
              tombola_success);
    ASSERT_EQ(tombola_memory_desc_create_with_strides(again.out(), 3, dims, tombola_u8, *strides),
              tombola_success)
        << last_error();
    EXPECT_NE(tombola_memory_desc_equal(reshaped, again), 0);
}

}  // namespace
}  // namespace tombola::test
