// SPDX-License-Identifier: Apache-2.0

// The C++ API: the spellings of creation, exceptions, empty objects, queries.

#include "tombola/tombola.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using tombola::engine;
using tombola::memory;
using tombola::primitive_attr;
using tombola::prop_kind;
using tombola::shuffle_backward;
using tombola::shuffle_forward;
using tombola::stream;

using dt = memory::data_type;
using tag = memory::format_tag;

// What a call throws: its status, and whether the message has this text in it.
template <class Body>
void expect_error(tombola_status_t status, const std::string& text, const Body& body) {
    try {
        body();
        ADD_FAILURE() << "no exception; expected: " << text;
    } catch (const tombola::error& error) {
        EXPECT_EQ(error.status, status);
        EXPECT_EQ(std::string(error.what()), error.message);
        EXPECT_NE(std::string(error.message).find(text), std::string::npos)
            << "'" << error.message << "', expected '" << text << "'";
    }
}

class CppApi : public testing::Test {
  protected:
    std::vector<int32_t> run_forward(const shuffle_forward::primitive_desc& pd,
                                     const memory::desc& md, std::vector<int32_t> x) {
        std::vector<int32_t> y(x.size(), -1);
        memory src(md, engine_, x.data());
        memory dst(md, engine_, y.data());
        shuffle_forward(pd).execute(stream_, {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}});
        stream_.wait();
        return y;
    }
    std::vector<int32_t> run_backward(const shuffle_backward::primitive_desc& pd,
                                      const memory::desc& md, std::vector<int32_t> y) {
        std::vector<int32_t> x(y.size(), -1);
        memory diff_dst(md, engine_, y.data());
        memory diff_src(md, engine_, x.data());
        shuffle_backward(pd).execute(
            stream_, {{TOMBOLA_ARG_DIFF_DST, diff_dst}, {TOMBOLA_ARG_DIFF_SRC, diff_src}});
        return x;
    }

    engine engine_{engine::kind::cpu, 0};
    stream stream_{engine_};
    // C = 6, G = 2, by hand: 0 1 2 3 4 5 becomes 0 2 4 1 3 5.
    const memory::desc md_{{6}, dt::s32, tag::x};
    const std::vector<int32_t> x_ = {0, 1, 2, 3, 4, 5};
    const std::vector<int32_t> y_ = {0, 2, 4, 1, 3, 5};
};

// The spelling of dnnl 1 and 2.
TEST_F(CppApi, CreationWithADescriptor) {
    shuffle_forward::desc forward_desc(prop_kind::forward_training, md_, 0, 2);
    shuffle_forward::primitive_desc forward_pd(forward_desc, engine_);
    EXPECT_EQ(run_forward(forward_pd, md_, x_), y_);
    shuffle_backward::desc backward_desc(md_, 0, 2);
    shuffle_backward::primitive_desc backward_pd(backward_desc, engine_, forward_pd);
    EXPECT_EQ(run_backward(backward_pd, md_, y_), x_);

    const primitive_attr attr;
    EXPECT_EQ(
        run_forward(shuffle_forward::primitive_desc(forward_desc, engine_, attr, true), md_, x_),
        y_);
    EXPECT_EQ(run_backward(
                  shuffle_backward::primitive_desc(backward_desc, engine_, forward_pd, attr, true),
                  md_, y_),
              x_);
}

// The spelling of dnnl 3.
TEST_F(CppApi, CreationWithoutADescriptor) {
    shuffle_forward::primitive_desc forward_pd(engine_, prop_kind::forward_inference, md_, md_, 0,
                                               2);
    EXPECT_EQ(run_forward(forward_pd, md_, x_), y_);
    shuffle_backward::primitive_desc backward_pd(engine_, md_, md_, 0, 2, forward_pd);
    EXPECT_EQ(run_backward(backward_pd, md_, y_), x_);
    const primitive_attr attr;
    EXPECT_TRUE(shuffle_backward::primitive_desc(engine_, md_, md_, 0, 2, forward_pd, attr, true));
}

// Layouts of their own in the spelling of dnnl 2.
TEST_F(CppApi, DescriptorsOfTwoTensors) {
    const memory::desc nchw({2, 6, 3, 3}, dt::f32, tag::nchw);
    const memory::desc nhwc({2, 6, 3, 3}, dt::f32, tag::nhwc);
    const shuffle_forward::primitive_desc forward(
        shuffle_forward::desc(prop_kind::forward_training, nchw, nhwc, 1, 2), engine_);
    EXPECT_EQ(forward.src_desc(), nchw);
    EXPECT_EQ(forward.dst_desc(), nhwc);
    const shuffle_backward::primitive_desc backward(shuffle_backward::desc(nchw, nhwc, 1, 2),
                                                    engine_, forward);
    EXPECT_EQ(backward.diff_src_desc(), nchw);
    EXPECT_EQ(backward.diff_dst_desc(), nhwc);
}

TEST_F(CppApi, OpenDestinationTakesTheSourcesLayout) {
    const memory::desc nhwc({2, 6, 3, 3}, dt::f32, tag::nhwc);
    const memory::desc any({2, 6, 3, 3}, dt::f32, tag::any);
    const shuffle_forward::primitive_desc forward(engine_, prop_kind::forward_training, nhwc, any,
                                                  1, 2);
    EXPECT_EQ(forward.dst_desc(), nhwc);
    const shuffle_backward::primitive_desc backward(engine_, any, any, 1, 2, forward);
    EXPECT_EQ(backward.diff_src_desc(), nhwc);
    EXPECT_EQ(backward.diff_dst_desc(), nhwc);
}

TEST_F(CppApi, Queries) {
    const memory::desc src({2, 6, 3, 3}, dt::bf16, tag::nchw);
    const memory::desc dst({2, 6, 3, 3}, dt::bf16, tag::nhwc);
    const shuffle_forward::primitive_desc pd(engine_, prop_kind::forward_training, src, dst, 1, 2);
    EXPECT_EQ(pd.src_desc(), src);
    EXPECT_EQ(pd.dst_desc(), dst);
    EXPECT_TRUE(pd.diff_src_desc().is_zero());
    EXPECT_EQ(pd.get_prop_kind(), prop_kind::forward_training);
    EXPECT_EQ(pd.get_axis(), 1);
    EXPECT_EQ(pd.get_group_size(), 2);
    EXPECT_EQ(pd.get_kind(), tombola::primitive::kind::shuffle);
    EXPECT_EQ(pd.get_engine().get_kind(), engine::kind::cpu);
    EXPECT_NE(std::string(pd.impl_info_str()), "");
    EXPECT_EQ(shuffle_forward(pd).get_kind(), tombola::primitive::kind::shuffle);
    EXPECT_EQ(pd.get_primitive_attr().get_scratchpad_mode(), tombola::scratchpad_mode::library);
    EXPECT_EQ(pd.query_s64(tombola_query_group_size_s64), 2);
    for (const tombola_query_t other : {tombola_query_engine, tombola_query_axis_s32})
        expect_error(tombola_invalid_arguments, "expected memory_consumption_s64 or group_size_s64",
                     [&] { pd.query_s64(other); });

    const tombola::random_generator::primitive_desc generator(
        engine_, tombola::generator_kind::philox4x32_10, memory::desc({4, 4}, dt::u32, tag::ab));
    EXPECT_EQ(generator.exec_arg_desc(TOMBOLA_ARG_SRC_STATE).get_dims(), memory::dims{6});
}

TEST_F(CppApi, NextImplStopsAtTheLast) {
    shuffle_forward::primitive_desc pd(engine_, prop_kind::forward_training, md_, md_, 0, 2);
    const shuffle_forward::primitive_desc copy = pd;
    const std::string first = pd.impl_info_str();
    while (pd.next_impl()) EXPECT_EQ(run_forward(pd, md_, x_), y_) << pd.impl_info_str();
    EXPECT_STREQ(pd.impl_info_str(), "portable");
    EXPECT_FALSE(pd.next_impl());
    EXPECT_EQ(copy.impl_info_str(), first);  // a copy stays where it is
}

TEST_F(CppApi, FailuresThrowTheMessage) {
    expect_error(tombola_invalid_arguments,
                 "group_size is 4; expected a divisor of 6, the size of dimension 0", [&] {
                     shuffle_forward::primitive_desc(
                         shuffle_forward::desc(prop_kind::forward_training, md_, 0, 4), engine_);
                 });
    expect_error(tombola_invalid_arguments, "dims[0] is -2",
                 [&] { memory::desc({-2}, dt::f32, tag::a); });
    expect_error(tombola_invalid_arguments, "strides has 1 element; expected 2", [&] {
        memory::desc({2, 3}, dt::f32, memory::dims{3});
    });
    expect_error(tombola_invalid_arguments, "index is 3", [&] { engine(engine::kind::cpu, 3); });
    const shuffle_forward primitive(
        shuffle_forward::primitive_desc(engine_, prop_kind::forward_training, md_, md_, 0, 2));
    expect_error(tombola_invalid_arguments, "SRC is missing",
                 [&] { primitive.execute(stream_, {}); });
    std::unordered_map<int, memory> many;
    for (int arg = 0; arg < 100; ++arg) many[arg] = memory();
    expect_error(tombola_invalid_arguments, "args has 100 arguments; expected at most 32",
                 [&] { primitive.execute(stream_, many); });
}

// The arguments of an execution in braces, in a map, and as a program for oneDNN may write them.
TEST_F(CppApi, ArgumentsComeInBracesOrInAMap) {
    std::vector<int32_t> x = {0, 1, 2, 3, 4, 5};
    const std::vector<int32_t> expected = {0, 2, 4, 1, 3, 5};
    std::vector<int32_t> y(6);
    const memory src(md_, engine_, x.data());
    const memory dst(md_, engine_, y.data());
    const shuffle_forward primitive(
        shuffle_forward::primitive_desc(engine_, prop_kind::forward_training, md_, md_, 0, 2));
    const auto run = [&](const auto& execute) {
        std::fill(y.begin(), y.end(), -1);
        execute();
        EXPECT_EQ(y, expected);
    };
    run([&] { primitive.execute(stream_, {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}}); });
    run([&] {
        const size_t arg = TOMBOLA_ARG_SRC;
        primitive.execute(stream_, {{arg, src}, {TOMBOLA_ARG_DST, memory(md_, engine_, y.data())}});
    });
    const std::unordered_map<int, memory> map = {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}};
    run([&] { primitive.execute(stream_, map); });
    run([&] { primitive.execute(stream_, {map}); });
    run([&] {
        primitive.execute(
            stream_, {std::make_pair(TOMBOLA_ARG_SRC, src), std::make_pair(TOMBOLA_ARG_DST, dst)});
    });
    expect_error(tombola_invalid_arguments, "SRC is given twice", [&] {
        primitive.execute(stream_, {{TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_SRC, src}});
    });
    expect_error(tombola_invalid_arguments, "DST is null", [&] {
        primitive.execute(stream_, {{TOMBOLA_ARG_DST, memory()}});
    });
}

// The bounds of a random_uniform as numbers of C++: their bytes by hand, their types checked.
TEST_F(CppApi, BoundsAreNumbersOfTheDestinationsType) {
    using tombola::random_normal;
    using tombola::random_uniform;
    const auto descriptor = [&](dt type) {
        return random_uniform::primitive_desc(engine_, tombola::alignment::tensorflow,
                                              memory::desc({4}, type, tag::a), 1, 2);
    };
    const auto bits16 = [](const memory& bound) {
        uint16_t bits = 0;
        std::memcpy(&bits, bound.get_data_handle(), sizeof(bits));
        return bits;
    };
    // The halves of a binary16: 1 sign, 5 exponent (bias 15), 10 fraction bits; numbers between two of them go to the
    // nearest, ties to the even one.
    const struct {
        float number;
        uint16_t f16, bf16;
    } halves[] = {
        {0.0f, 0x0000, 0x0000},
        {-0.0f, 0x8000, 0x8000},
        {1.0f, 0x3C00, 0x3F80},
        {-2.0f, 0xC000, 0xC000},
        {65504.0f, 0x7BFF, 0x4780},          // the greatest f16; bf16: 65536
        {65519.0f, 0x7BFF, 0x4780},          // rounds down to it
        {INFINITY, 0x7C00, 0x7F80},          // the execution refuses it
        {0x1p-14f, 0x0400, 0x3880},          // the least normal f16
        {0x1.ffcp-15f, 0x03FF + 1, 0x3880},  // half-way between 0x3FF.8 units of 2^-24 and 2^-14
        {0x1p-24f, 0x0001, 0x3380},          // the least subnormal f16
        {0x1p-25f, 0x0000, 0x3300},          // half of it: to even
        {0x1.000002p-25f, 0x0001, 0x3300},   // a little more
        {0x1.8p-24f, 0x0002, 0x33C0},        // one and a half: to even
        {0x1.002p0f, 0x3C00, 0x3F80},        // 1 + half a unit of f16: to even
        {0x1.006p0f, 0x3C02, 0x3F80},        // 1 + three halves: to even
        {0x1.01p0f, 0x3C04, 0x3F80},         // 1 + half a unit of bf16: to even
        {0x1.03p0f, 0x3C0C, 0x3F82},         // 1 + three halves: to even
        {0.1f, 0x2E66, 0x3DCD},              // 0.1 = 0x1.99999ap-4
    };
    for (const auto& row : halves) {
        const random_uniform::bounds half(descriptor(dt::f16), row.number, 0.0f);
        EXPECT_EQ(bits16(half.min()), row.f16) << row.number;
        const random_uniform::bounds bfloat(descriptor(dt::bf16), 0.0f, row.number);
        EXPECT_EQ(bits16(bfloat.max()), row.bf16) << row.number;
    }
    const random_uniform::bounds doubles(descriptor(dt::f64), -1.5, 0.1);
    EXPECT_EQ(*static_cast<double*>(doubles.min().get_data_handle()), -1.5);
    EXPECT_EQ(*static_cast<double*>(doubles.max().get_data_handle()), 0.1);
    const random_uniform::bounds ints(descriptor(dt::s32), -7, 8);
    EXPECT_EQ(*static_cast<int32_t*>(ints.min().get_data_handle()), -7);
    const random_uniform::bounds longs(descriptor(dt::s64), INT64_MIN, INT64_C(5));
    EXPECT_EQ(*static_cast<int64_t*>(longs.min().get_data_handle()), INT64_MIN);
    EXPECT_EQ(longs.max().get_desc(), descriptor(dt::s64).bound_desc());

    expect_error(
        tombola_invalid_arguments,
        "bounds: min is of type double; expected float, as the destination has the data type f32",
        [&] { random_uniform::bounds(descriptor(dt::f32), 0.0, 1.0); });
    expect_error(
        tombola_invalid_arguments,
        "bounds: min is of type int32_t; expected float, as the destination has the data type f16",
        [&] { random_uniform::bounds(descriptor(dt::f16), 0, 1); });
    expect_error(tombola_invalid_arguments, "min is of type int32_t; expected int64_t",
                 [&] { random_uniform::bounds(descriptor(dt::s64), 0, 1); });
    expect_error(tombola_invalid_arguments, "min is of type float; expected double",
                 [&] { random_uniform::bounds(descriptor(dt::f64), 0.0f, 1.0f); });
    expect_error(tombola_invalid_arguments, "min is of type int64_t; expected int32_t",
                 [&] { random_uniform::bounds(descriptor(dt::s32), INT64_C(0), INT64_C(1)); });

    // Finite numbers that round to infinity are refused as they were given. 65520 lies half-way between the greatest f16
    // and 65536, 0x1.FFp127 half-way between the greatest bf16 and 2^128.
    expect_error(tombola_invalid_arguments,
                 "bounds: max is 1e+06; expected a number that f16 can hold",
                 [&] { random_uniform::bounds(descriptor(dt::f16), 0.0f, 1e6f); });
    expect_error(tombola_invalid_arguments,
                 "bounds: min is -65520; expected a number that f16 can hold",
                 [&] { random_uniform::bounds(descriptor(dt::f16), -65520.0f, 0.0f); });
    expect_error(tombola_invalid_arguments, "expected a number that bf16 can hold",
                 [&] { random_uniform::bounds(descriptor(dt::bf16), 0.0f, 0x1.FFp127f); });
    // So are two numbers that round to equal ones: f16 has 1 and 1 + 2^-10, and nothing between 0 and 2^-24.
    expect_error(tombola_invalid_arguments,
                 "bounds: min is 1 and max is 1.0001; expected min < max, each rounded to f16",
                 [&] { random_uniform::bounds(descriptor(dt::f16), 1.0f, 1.0001f); });
    const random_uniform::primitive_desc full(
        engine_, tombola::alignment::pytorch, memory::desc({4}, dt::s32, tag::a), 1, 2,
        tombola::int_draws::spec, tombola::float_draws::torch1, /*afull_range=*/true);
    EXPECT_TRUE(full.bound_desc().is_zero());
    const char* const no_bounds = "bounds: min is given for a primitive descriptor of full_range";
    expect_error(tombola_invalid_arguments, no_bounds, [&] { random_uniform::bounds(full, 0, 1); });
    expect_error(tombola_invalid_arguments, no_bounds,
                 [&] { random_uniform::bounds(full, 0.0f, 1.0f); });
    expect_error(tombola_invalid_arguments, "min is -1e-09 and max is 1e-09; expected min < max",
                 [&] { random_uniform::bounds(descriptor(dt::f16), -1e-9f, 1e-9f); });
    expect_error(tombola_invalid_arguments,
                 "min is 2.5 and max is 2.5000002; expected min < max, each rounded to bf16",
                 [&] { random_uniform::bounds(descriptor(dt::bf16), 2.5f, 0x1.400002p1f); });
    const random_normal::primitive_desc normal(engine_, tombola::alignment::tensorflow,
                                               memory::desc({4}, dt::f16, tag::a), 1, 2);
    expect_error(tombola_invalid_arguments,
                 "random_normal::moments: std is 1e+06; expected a number that f16 can hold",
                 [&] { random_normal::moments(normal, 0.0f, 1e6f); });

    // An execution with them: s32 in [3, 4) is 3.
    std::vector<int32_t> y(4, -1);
    const random_uniform::bounds three(descriptor(dt::s32), 3, 4);
    random_uniform(descriptor(dt::s32))
        .execute(stream_, {{TOMBOLA_ARG_MIN, three.min()},
                           {TOMBOLA_ARG_MAX, three.max()},
                           {TOMBOLA_ARG_DST,
                            memory(memory::desc({4}, dt::s32, tag::a), engine_, y.data())}});
    EXPECT_EQ(y, (std::vector<int32_t>{3, 3, 3, 3}));
}

TEST_F(CppApi, ADropoutOfTheOtherDirectionIsRefused) {
    const memory::desc data({6}, dt::f32, tag::x);
    const tombola::dropout_forward::primitive_desc forward(
        engine_, prop_kind::forward_training, data, data, 32, tombola::dropout_mask::none, 1, 2);
    const tombola::dropout_backward::primitive_desc backward(
        engine_, data, data, 32, tombola::dropout_mask::none, 1, 2, forward);
    EXPECT_EQ(tombola::dropout_forward::primitive_desc(forward.get()).get_prop_kind(),
              prop_kind::forward_training);
    EXPECT_EQ(tombola::dropout_backward::primitive_desc(backward.get()).get_prop_kind(),
              prop_kind::backward_data);
    expect_error(tombola_invalid_arguments,
                 "primitive_desc: c_pd is of forward dropout; expected backward dropout",
                 [&] { tombola::dropout_backward::primitive_desc{forward.get()}; });
    expect_error(tombola_invalid_arguments,
                 "primitive_desc: c_pd is of backward dropout; expected forward dropout",
                 [&] { tombola::dropout_forward::primitive_desc{backward.get()}; });
    expect_error(tombola_invalid_arguments,
                 "primitive_desc: c_pd is of dropout; expected multinomial",
                 [&] { tombola::multinomial::primitive_desc{backward.get()}; });
    const tombola::random_generator::primitive_desc generator(
        engine_, tombola::generator_kind::philox4x32_10, memory::desc({4}, dt::u32, tag::x));
    expect_error(tombola_invalid_arguments,
                 "primitive_desc: c_pd is of random_generator; expected backward shuffle",
                 [&] { tombola::shuffle_backward::primitive_desc{generator.get()}; });
}

TEST_F(CppApi, AllowEmptyMakesAnEmptyObjectInstead) {
    const primitive_attr attr;
    const shuffle_forward::desc bad(prop_kind::forward_training, md_, 0, 4);
    EXPECT_FALSE(shuffle_forward::primitive_desc(bad, engine_, attr, true));
    EXPECT_FALSE(shuffle_forward::primitive_desc(engine_, prop_kind::forward_training, md_, md_, 9,
                                                 2, attr, true));
    const shuffle_forward::primitive_desc good(engine_, prop_kind::forward_training, md_, md_, 0,
                                               2);
    EXPECT_FALSE(shuffle_backward::primitive_desc(shuffle_backward::desc(md_, 0, 3), engine_, good,
                                                  attr,
                                                  true));  // not the hint's group
    EXPECT_FALSE(memory::desc({-2}, dt::f32, tag::a, true));
    EXPECT_FALSE(memory::desc({6}, dt::f32, memory::dims{1, 1}, true));
    EXPECT_FALSE(memory::desc::with_block({6}, dt::f32, {1, 1}, 0, 1, 0, true));
    EXPECT_FALSE(md_.submemory_desc({2, 2}, {0}, true));
    EXPECT_FALSE(md_.submemory_desc({2}, {0, 0}, true));
    EXPECT_FALSE(md_.permute_axes({1, 0}, true));
    EXPECT_FALSE(md_.reshape({5}, true));
    EXPECT_TRUE(md_.reshape({2, 3}, true));
}

TEST_F(CppApi, EmptyObjects) {
    EXPECT_FALSE(shuffle_forward());
    EXPECT_FALSE(shuffle_forward::primitive_desc());
    EXPECT_FALSE(memory());
    EXPECT_TRUE(memory::desc().is_zero());
    EXPECT_TRUE(memory::desc(nullptr).is_zero());
    // An empty descriptor makes a memory object without bytes, as a scratchpad that is not needed; an empty handle does not.
    EXPECT_EQ(memory(memory::desc(), engine_).get_desc().get_size(), 0u);
    expect_error(tombola_invalid_arguments, "the handle of the memory descriptor is empty",
                 [&] { memory(memory::desc(nullptr), engine_); });
    // As a destination it is the other way round.
    const auto forward = [&](const memory::desc& dst) {
        return shuffle_forward::primitive_desc(engine_, prop_kind::forward_training, md_, dst, 0,
                                               2);
    };
    EXPECT_EQ(forward(memory::desc(nullptr)).dst_desc(), md_);
    expect_error(tombola_invalid_arguments,
                 "dst_desc is an empty descriptor; expected a tensor, or a null handle for the "
                 "layout of src_desc",
                 [&] { forward(memory::desc()); });
    expect_error(tombola_invalid_arguments, "the handle of the primitive descriptor is empty",
                 [&] { shuffle_forward{shuffle_forward::primitive_desc()}; });
    expect_error(tombola_invalid_arguments, "the handle of the memory object is empty",
                 [&] { memory().get_data_handle(); });
    expect_error(tombola_invalid_arguments, "the handle of the engine is empty; expected one that",
                 [&] { stream(engine{}); });
    expect_error(tombola_invalid_arguments, "the handle of the stream is empty",
                 [&] { stream().get(); });
    expect_error(tombola_invalid_arguments, "the handle of the memory descriptor is empty",
                 [&] { memory::desc(tombola_memory_desc_t{}).get(); });
    expect_error(tombola_invalid_arguments, "the handle of the primitive is empty",
                 [&] { shuffle_forward().get(); });
}

TEST_F(CppApi, StatusesOfBothKindsCompare) {
    const tombola::error error(tombola_invalid_arguments, "wrong");
    EXPECT_TRUE(error.status == tombola::status::invalid_arguments);
    EXPECT_TRUE(tombola::status::invalid_arguments == error.status);
    EXPECT_FALSE(error.status == tombola::status::unimplemented);
    EXPECT_FALSE(tombola::status::unimplemented == error.status);
    EXPECT_TRUE(error.status != tombola::status::unimplemented);
    EXPECT_TRUE(tombola::status::unimplemented != error.status);
    EXPECT_FALSE(error.status != tombola::status::invalid_arguments);
    EXPECT_FALSE(tombola::status::invalid_arguments != error.status);
    EXPECT_TRUE(error.status == tombola_invalid_arguments);
}

TEST_F(CppApi, MemoryDescriptors) {
    const memory::desc md({2, 17, 3, 3}, dt::f16, tag::nChw16c);
    EXPECT_EQ(md.get_ndims(), 4);
    EXPECT_EQ(md.get_dims(), (memory::dims{2, 17, 3, 3}));
    EXPECT_EQ(md.dims(), md.get_dims());
    EXPECT_EQ(md.get_padded_dims(), (memory::dims{2, 32, 3, 3}));
    EXPECT_EQ(md.get_strides(), (memory::dims{288, 144, 48, 16}));
    EXPECT_EQ(md.get_inner_nblks(), 1);
    EXPECT_EQ(md.get_inner_blks(), memory::dims{16});
    EXPECT_EQ(md.get_inner_idxs(), memory::dims{1});
    EXPECT_EQ(md.get_data_type(), dt::f16);
    EXPECT_EQ(md.get_format_kind(), memory::format_kind::blocked);
    EXPECT_EQ(md.get_size(), 2u * 32 * 9 * 2);
    EXPECT_EQ(memory::data_type_size(dt::s64), 8u);

    const memory::desc plain({4, 6}, dt::s32, memory::dims{6, 1});
    EXPECT_EQ(plain, memory::desc({4, 6}, dt::s32, tag::ab));
    EXPECT_NE(plain, memory::desc({4, 6}, dt::s32, tag::ba));
    EXPECT_EQ(plain.submemory_desc({2, 2}, {1, 3}).get_submemory_offset(), 9);
    EXPECT_EQ(plain.reshape({24}).get_dims(), memory::dims{24});
    EXPECT_EQ(plain.permute_axes({1, 0}), memory::desc({6, 4}, dt::s32, tag::ba));
}

TEST_F(CppApi, MemoryObjects) {
    std::vector<float> data(6);
    memory mem(memory::desc({6}, dt::f32, tag::a), engine_, data.data());
    EXPECT_EQ(mem.get_data_handle(), data.data());
    EXPECT_EQ(mem.map_data<float>(), data.data());
    EXPECT_EQ(mem.get_desc(), memory::desc({6}, dt::f32, tag::a));
    mem.set_data_handle(nullptr);
    EXPECT_EQ(mem.get_data_handle(), nullptr);
    const memory owned(mem.get_desc(), engine_);
    EXPECT_NE(owned.get_data_handle(), nullptr);
}

TEST_F(CppApi, Settings) {
    const int before = tombola::get_primitive_cache_capacity();
    tombola::set_primitive_cache_capacity(3);
    EXPECT_EQ(tombola::get_primitive_cache_capacity(), 3);
    tombola::set_primitive_cache_capacity(before);
    EXPECT_EQ(tombola::version()->major, TOMBOLA_VERSION_MAJOR);
    EXPECT_EQ(static_cast<int>(tombola::get_effective_cpu_isa()),
              static_cast<int>(tombola_get_effective_cpu_isa()));
}

}  // namespace
