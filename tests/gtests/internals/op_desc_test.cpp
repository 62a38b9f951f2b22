// SPDX-License-Identifier: Apache-2.0

// Hash and equality of descriptors: each field counts, and the arguments that follow from them.

#include "common/op_desc.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/attr.hpp"
#include "common/verbose.hpp"

namespace tombola::impl {
namespace {

MemoryDesc tensor(DataType type, std::vector<dim_t> dims) {
    return MemoryDesc::from_strides(static_cast<int>(dims.size()), dims.data(), type, nullptr)
        .take();
}

// A descriptor and, for each of its fields, one that differs in that field alone.
template <class Desc>
struct Variants {
    Desc base;
    std::vector<Desc> others;
    std::vector<Desc> other_defaults;
    // The member may be one of a base class of Desc.
    template <class T, class Base>
    void add(T Base::*member, T value) {
        others.push_back(base);
        others.back().*member = value;
    }
    template <class T, class Base>
    void add_default(T Base::*member, T value) {
        other_defaults.push_back(base);
        other_defaults.back().*member = value;
    }
    void add_seeds() {
        add_default(&Desc::global_seed, uint64_t{7});
        add_default(&Desc::op_seed, uint64_t{7});
    }
    // The fields that the fills share.
    void add_fill() {
        add(&Desc::alignment, Alignment::pytorch);
        add(&Desc::dst, tensor(DataType::f32, {9}));
        add_seeds();
    }
    // The fields that the primitives of two directions share.
    void add_directed() {
        add(&Desc::prop_kind, PropKind::backward_data);
        add(&Desc::src, tensor(DataType::f32, {3, 8}));
        add(&Desc::dst, tensor(DataType::f32, {3, 8}));
    }
};

RandomFillDesc a_fill() { return {Alignment::tensorflow, tensor(DataType::f32, {8}), 1, 2}; }
DirectedDesc a_forward() {
    return {PropKind::forward_training, tensor(DataType::f32, {2, 8}),
            tensor(DataType::f32, {2, 8})};
}

template <class Desc>
void expect_all_distinct(const Variants<Desc>& variants) {
    const OpDesc base = variants.base;
    EXPECT_TRUE(base == OpDesc(variants.base));
    EXPECT_EQ(hash_of(base), hash_of(OpDesc(variants.base)));
    std::set<uint64_t> hashes = {hash_of(base)};
    for (const Desc& other : variants.others) {
        EXPECT_FALSE(base == OpDesc(other));
        EXPECT_TRUE(hashes.insert(hash_of(OpDesc(other))).second);
    }
    for (const Desc& other : variants.other_defaults) {
        EXPECT_TRUE(base == OpDesc(other) && identical(base, OpDesc(other)));
        EXPECT_EQ(hash_of(OpDesc(other)), hash_of(base));
        EXPECT_FALSE(same_defaults(base, OpDesc(other)));
    }
    EXPECT_TRUE(same_defaults(base, OpDesc(variants.base)));
    // Every field was varied.
    EXPECT_EQ(variants.others.size() + variants.other_defaults.size(),
              std::tuple_size_v<decltype(Desc::fields())>);
}

TEST(OpDesc, EveryFieldOfShuffleCounts) {
    Variants<ShuffleDesc> v;
    v.base = {a_forward(), 1, 2};
    v.add_directed();
    v.add(&ShuffleDesc::axis, 0);
    v.add(&ShuffleDesc::group_size, dim_t{4});
    expect_all_distinct(v);
}

TEST(OpDesc, EveryFieldOfRandomUniformCounts) {
    Variants<RandomUniformDesc> v;
    v.base = {a_fill(), IntDraws::spec, FloatDraws::torch1, false};
    v.add_fill();
    v.add(&RandomUniformDesc::int_draws, IntDraws::torch2);
    v.add(&RandomUniformDesc::float_draws, FloatDraws::torch2);
    v.add(&RandomUniformDesc::full_range, true);
    expect_all_distinct(v);
}

TEST(OpDesc, EveryFieldOfRandomNormalCounts) {
    Variants<RandomNormalDesc> v;
    v.base = {a_fill()};
    v.add_fill();
    expect_all_distinct(v);
}

TEST(OpDesc, EveryFieldOfRandomExponentialCounts) {
    Variants<RandomExponentialDesc> v;
    v.base = {a_fill()};
    v.add_fill();
    expect_all_distinct(v);
}

TEST(OpDesc, EveryFieldOfRandomBernoulliCounts) {
    Variants<RandomBernoulliDesc> v;
    v.base = {a_fill(), tensor(DataType::f32, {1})};
    v.add_fill();
    v.add(&RandomBernoulliDesc::p, tensor(DataType::f32, {8}));
    expect_all_distinct(v);
}

TEST(OpDesc, EveryFieldOfMultinomialCounts) {
    Variants<MultinomialDesc> v;
    v.base = {tensor(DataType::f32, {2, 8}), tensor(DataType::s32, {2, 4}), true, false, 1, 2};
    v.add(&MultinomialDesc::src, tensor(DataType::f32, {2, 9}));
    v.add(&MultinomialDesc::dst, tensor(DataType::s64, {2, 4}));
    v.add(&MultinomialDesc::with_replacement, false);
    v.add(&MultinomialDesc::log_probs, true);
    v.add_seeds();
    expect_all_distinct(v);
}

TEST(OpDesc, EveryFieldOfRandomPermutationCounts) {
    Variants<RandomPermutationDesc> v;
    v.base = {PermutationAlignment::pytorch, tensor(DataType::s32, {8}), 9, 1, 2};
    v.add(&RandomPermutationDesc::alignment, PermutationAlignment::philox);
    v.add(&RandomPermutationDesc::dst, tensor(DataType::s32, {9}));
    v.add(&RandomPermutationDesc::range, dim_t{10});
    v.add_seeds();
    expect_all_distinct(v);
}

TEST(OpDesc, EveryFieldOfDropoutCounts) {
    Variants<DropoutDesc> v;
    v.base = {a_forward(), 32, DropoutMask::none, 1, 2};
    v.add_directed();
    v.add(&DropoutDesc::draw_bits, 16);
    v.add(&DropoutDesc::mask_kind, DropoutMask::bits);
    v.add_seeds();
    expect_all_distinct(v);
}

TEST(OpDesc, EveryFieldOfTokenSamplerCounts) {
    Variants<TokenSamplerDesc> v;
    v.base = {tensor(DataType::f32, {2, 8}),
              tensor(DataType::s32, {2, 4}),
              FilterOrder::vllm,
              Logprobs::none,
              3,
              1,
              2};
    v.add(&TokenSamplerDesc::src, tensor(DataType::f32, {2, 9}));
    v.add(&TokenSamplerDesc::dst, tensor(DataType::s64, {2, 4}));
    v.add(&TokenSamplerDesc::filter_order, FilterOrder::joint);
    v.add(&TokenSamplerDesc::logprobs, Logprobs::raw);
    v.add(&TokenSamplerDesc::top_n, dim_t{4});
    v.add_seeds();
    expect_all_distinct(v);
}

TEST(OpDesc, EveryFieldOfStochasticRoundingCounts) {
    Variants<StochasticRoundingDesc> v;
    v.base = {tensor(DataType::f32, {2, 8}), tensor(DataType::bf16, {2, 8}), 1, 2};
    v.add(&StochasticRoundingDesc::src, tensor(DataType::f32, {3, 8}));
    v.add(&StochasticRoundingDesc::dst, tensor(DataType::f16, {2, 8}));
    v.add_seeds();
    expect_all_distinct(v);
}

TEST(OpDesc, KindsAreDistinct) {
    const OpDesc generator = RandomGeneratorDesc{};
    const OpDesc uniform = RandomUniformDesc{};
    EXPECT_FALSE(generator == uniform);
    EXPECT_NE(hash_of(generator), hash_of(uniform));
    EXPECT_EQ(kind_of(generator), PrimitiveKind::random_generator);
    EXPECT_EQ(prop_kind_of(generator), PropKind::undef);
}

// C = 12, G = 3: backward transposes with 12 / 3.
TEST(OpDesc, BackwardShuffleTransposesWithTheOtherFactor) {
    const MemoryDesc data = tensor(DataType::f32, {2, 12});
    ShuffleDesc desc = {{PropKind::forward_inference, data, data}, 1, 3};
    EXPECT_EQ(desc.effective_group(), 3);
    desc.prop_kind = PropKind::backward_data;
    EXPECT_EQ(desc.effective_group(), 4);
}

// The table of execution arguments, primitive by primitive.
TEST(OpDesc, ArgumentsOfEachPrimitive) {
    struct Row {
        int arg;
        bool required;
        ArgSpec::Role role;
    };
    constexpr auto kIn = ArgSpec::Role::input;
    constexpr auto kOut = ArgSpec::Role::output;
    const auto expect_args = [](const OpDesc& desc, const std::vector<Row>& rows) {
        const std::vector<ArgSpec> specs = arg_specs(desc);
        ASSERT_EQ(specs.size(), rows.size());
        for (const Row& row : rows) {
            bool found = false;
            for (const ArgSpec& spec : specs)
                found = found || (spec.arg == row.arg && spec.required == row.required &&
                                  spec.role == row.role);
            EXPECT_TRUE(found) << row.arg;
        }
    };
    // The rows of a primitive that fills DST from a stream: its own, and those of every stream.
    const auto with_stream = [](std::vector<Row> rows) {
        for (const Row& row :
             {Row{TOMBOLA_ARG_DST, true, kOut}, Row{TOMBOLA_ARG_SEEDS, false, kIn},
              Row{TOMBOLA_ARG_OFFSET, false, kIn}, Row{TOMBOLA_ARG_SRC_STATE, false, kIn},
              Row{TOMBOLA_ARG_DST_STATE, false, kOut}, Row{TOMBOLA_ARG_DST_SEEDS, false, kOut}})
            rows.push_back(row);
        return rows;
    };
    const MemoryDesc data = tensor(DataType::f32, {2, 8});
    expect_args(ShuffleDesc{{PropKind::forward_training, data, data}, 1, 2},
                {{TOMBOLA_ARG_SRC, true, kIn}, {TOMBOLA_ARG_DST, true, kOut}});
    expect_args(ShuffleDesc{{PropKind::backward_data, data, data}, 1, 2},
                {{TOMBOLA_ARG_DIFF_DST, true, kIn}, {TOMBOLA_ARG_DIFF_SRC, true, kOut}});
    expect_args(RandomGeneratorDesc{GeneratorKind::philox4x32_10, tensor(DataType::u32, {8})},
                {{TOMBOLA_ARG_SRC_STATE, true, kIn},
                 {TOMBOLA_ARG_DST, true, kOut},
                 {TOMBOLA_ARG_DST_STATE, false, kOut}});
    RandomUniformDesc uniform{{Alignment::tensorflow, data, 1, 2}};
    expect_args(uniform, with_stream({{TOMBOLA_ARG_MIN, true, kIn}, {TOMBOLA_ARG_MAX, true, kIn}}));
    uniform.full_range = true;
    expect_args(uniform, with_stream({}));
    expect_args(RandomNormalDesc{{Alignment::pytorch, data, 1, 2}},
                with_stream({{TOMBOLA_ARG_MEAN, false, kIn}, {TOMBOLA_ARG_STD, false, kIn}}));
    expect_args(RandomExponentialDesc{{Alignment::pytorch, data, 1, 2}},
                with_stream({{TOMBOLA_ARG_LAMBDA, false, kIn}}));
    expect_args(
        RandomBernoulliDesc{{Alignment::tensorflow, data, 1, 2}, tensor(DataType::f32, {1})},
        with_stream({{TOMBOLA_ARG_P, true, kIn}}));
    expect_args(MultinomialDesc{data, tensor(DataType::s32, {2, 4}), true, false, 1, 2},
                {{TOMBOLA_ARG_SRC, true, kIn},
                 {TOMBOLA_ARG_DST, true, kOut},
                 {TOMBOLA_ARG_SEEDS, false, kIn},
                 {TOMBOLA_ARG_OFFSET, false, kIn},
                 {TOMBOLA_ARG_UNIFORMS, false, kIn},
                 {TOMBOLA_ARG_DST_SEEDS, false, kOut}});
    expect_args(
        RandomPermutationDesc{PermutationAlignment::philox, tensor(DataType::s32, {8}), 9, 1, 2},
        with_stream({}));
    expect_args(DropoutDesc{{PropKind::forward_training, data, data}, 32, DropoutMask::u8, 1, 2},
                {{TOMBOLA_ARG_SRC, true, kIn},
                 {TOMBOLA_ARG_P, true, kIn},
                 {TOMBOLA_ARG_DST, true, kOut},
                 {TOMBOLA_ARG_SEEDS, false, kIn},
                 {TOMBOLA_ARG_OFFSET, false, kIn},
                 {TOMBOLA_ARG_MASK, false, kOut},
                 {TOMBOLA_ARG_DST_SEEDS, false, kOut}});
    expect_args(DropoutDesc{{PropKind::backward_data, data, data}, 32, DropoutMask::bits, 1, 2},
                {{TOMBOLA_ARG_DIFF_DST, true, kIn},
                 {TOMBOLA_ARG_P, true, kIn},
                 {TOMBOLA_ARG_DIFF_SRC, true, kOut},
                 {TOMBOLA_ARG_SEEDS, false, kIn},
                 {TOMBOLA_ARG_OFFSET, false, kIn},
                 {TOMBOLA_ARG_MASK, false, kIn}});
    expect_args(StochasticRoundingDesc{data, tensor(DataType::bf16, {2, 8}), 1, 2},
                {{TOMBOLA_ARG_SRC, true, kIn},
                 {TOMBOLA_ARG_DST, true, kOut},
                 {TOMBOLA_ARG_SEEDS, false, kIn},
                 {TOMBOLA_ARG_OFFSET, false, kIn},
                 {TOMBOLA_ARG_DST_SEEDS, false, kOut}});
}

// Each choice that a descriptor can make is named in its verbose line, as the API names it.
TEST(VerboseInfo, NamesEveryChoice) {
    const auto line = [](const OpDesc& op, Attr attr = {}) {
        return verbose_info(op, attr, "portable");
    };
    EXPECT_EQ(line(RandomUniformDesc{a_fill(), IntDraws::torch1, FloatDraws::torch2, true}),
              "cpu,random_uniform,portable,undef,dst_f32::blocked:a::f0,,alignment:tensorflow "
              "global_seed:1 op_seed:2 int_draws:torch1 float_draws:torch2 full_range:true,8");
    EXPECT_NE(line(RandomUniformDesc{a_fill(), IntDraws::torch2, FloatDraws::torch1, false})
                  .find(" int_draws:torch2 float_draws:torch1 full_range:false,"),
              std::string::npos);
    EXPECT_NE(line(RandomUniformDesc{a_fill(), IntDraws::spec, FloatDraws::torch1, false})
                  .find(" int_draws:spec "),
              std::string::npos);

    const MemoryDesc logits = tensor(DataType::f32, {2, 8}), ids = tensor(DataType::s32, {2, 1});
    const std::pair<FilterOrder, std::string> orders[] = {
        {FilterOrder::transformers, "transformers"},
        {FilterOrder::vllm, "vllm"},
        {FilterOrder::joint, "joint"},
        {FilterOrder::temperature_last, "temperature_last"}};
    for (const auto& [order, name] : orders)
        EXPECT_NE(line(TokenSamplerDesc{logits, ids, order, Logprobs::none, 0, 1, 2})
                      .find("filter_order:" + name + " logprobs:none "),
                  std::string::npos);
    const std::pair<Logprobs, std::string> kinds[] = {{Logprobs::processed, "processed"},
                                                      {Logprobs::raw, "raw"}};
    for (const auto& [kind, name] : kinds)
        EXPECT_NE(line(TokenSamplerDesc{logits, ids, FilterOrder::vllm, kind, 0, 1, 2})
                      .find(" logprobs:" + name + " "),
                  std::string::npos);

    ShuffleDesc shuffle{a_forward(), 1, 2};
    shuffle.prop_kind = PropKind::forward_inference;
    EXPECT_EQ(line(shuffle, Attr{ScratchpadMode::user}),
              "cpu,shuffle,portable,forward_inference,src_f32::blocked:ab::f0 "
              "dst_f32::blocked:ab::f0,attr-scratchpad:user,axis:1 group:2,2x8");
}

}  // namespace
}  // namespace tombola::impl
