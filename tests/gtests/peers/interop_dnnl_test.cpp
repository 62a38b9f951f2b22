// SPDX-License-Identifier: Apache-2.0

// oneDNN and tombola in one process, over the same buffers: descriptors both ways, memory without a
// copy, refusals. Expected values: oneDNN's own reorder and shuffle.

#include "tombola/interop/dnnl.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <string>

#include "peers/dnnl_shuffle.hpp"

namespace tombola::test {
namespace {

using interop::from_dnnl;
using interop::to_dnnl;
using DnnlTag = dnnl::memory::format_tag;
using DnnlType = dnnl::memory::data_type;

class InteropDnnl : public testing::Test {
  protected:
    dnnl::memory row_major(const dnnl::memory::dims& dims, DnnlType type) {
        dnnl::memory mem({dims, type, dnnl::memory::dims()}, dnnl_engine_);
        auto* bytes = static_cast<uint8_t*>(mem.get_data_handle());
        // Small integers for f32, so that a reorder that converts cannot hide a wrong element.
        if (type == DnnlType::f32) {
            auto* values = static_cast<float*>(mem.get_data_handle());
            std::iota(values, values + mem.get_desc().get_size() / sizeof(float), 1.f);
        } else {
            for (size_t i = 0; i < mem.get_desc().get_size(); ++i)
                bytes[i] = static_cast<uint8_t>(i * 7 + 1);
        }
        return mem;
    }
    dnnl::memory reordered(dnnl::memory from, const dnnl::memory::desc& to) {
        dnnl::memory result(to, dnnl_engine_);
        dnnl::reorder(from, result).execute(dnnl_stream_, from, result);
        dnnl_stream_.wait();
        return result;
    }

    engine engine_{engine::kind::cpu, 0};
    stream stream_{engine_};
    dnnl::engine dnnl_engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream dnnl_stream_{dnnl_engine_};
};

TEST_F(InteropDnnl, DescriptorsBothWays) {
    struct Case {
        dnnl::memory::dims dims;
        DnnlTag theirs;
        memory::format_tag ours;
    };
    const Case cases[] = {
        {{5}, DnnlTag::a, memory::format_tag::a},
        {{2, 3}, DnnlTag::ba, memory::format_tag::ba},
        {{2, 20, 3, 5}, DnnlTag::nchw, memory::format_tag::nchw},
        {{2, 20, 3, 5}, DnnlTag::nhwc, memory::format_tag::nhwc},
        {{2, 20, 3, 5}, DnnlTag::nChw16c, memory::format_tag::nChw16c},
        {{1, 16, 1, 1}, DnnlTag::nChw16c, memory::format_tag::nChw16c},
        {{1, 8, 3, 1}, DnnlTag::nChw8c, memory::format_tag::nChw8c},
        {{2, 6, 3, 5}, DnnlTag::nChw4c, memory::format_tag::nChw4c},
        {{3, 17, 5}, DnnlTag::nCw16c, memory::format_tag::nCw16c},
        {{2, 20, 2, 3, 5}, DnnlTag::nCdhw8c, memory::format_tag::nCdhw8c},
        {{2, 40, 3, 5}, DnnlTag::nChw32c, memory::format_tag::nChw32c},
        {{0, 20, 3, 5}, DnnlTag::nchw, memory::format_tag::nchw},
        {{2, 20, 3, 5}, DnnlTag::any, memory::format_tag::any},
    };
    for (const Case& c : cases)
        for (const auto& [theirs, ours] : {std::pair{DnnlType::f32, memory::data_type::f32},
                                           std::pair{DnnlType::bf16, memory::data_type::bf16},
                                           std::pair{DnnlType::f16, memory::data_type::f16},
                                           std::pair{DnnlType::s32, memory::data_type::s32},
                                           std::pair{DnnlType::s8, memory::data_type::s8},
                                           std::pair{DnnlType::u8, memory::data_type::u8}}) {
            const dnnl::memory::desc theirs_md(c.dims, theirs, c.theirs);
            const memory::desc ours_md(c.dims, ours, c.ours);
            EXPECT_EQ(from_dnnl(theirs_md), ours_md) << static_cast<int>(c.theirs);
            EXPECT_TRUE(to_dnnl(ours_md) == theirs_md) << static_cast<int>(c.theirs);
        }
    EXPECT_TRUE(from_dnnl(dnnl::memory::desc()).is_zero());
    EXPECT_TRUE(to_dnnl(memory::desc()).is_zero());
}

TEST_F(InteropDnnl, StridedPermutedAndBoxes) {
    const dnnl::memory::desc strided({2, 3, 4}, DnnlType::f32, {40, 12, 2});
    const memory::desc ours = from_dnnl(strided);
    EXPECT_EQ(ours, memory::desc({2, 3, 4}, memory::data_type::f32, memory::dims{40, 12, 2}));
    EXPECT_TRUE(to_dnnl(ours) == strided);

    // Channels first in the logical order, second in memory.
    const auto permuted = dnnl::memory::desc({2, 20, 3, 5}, DnnlType::f32, DnnlTag::nChw8c)
                              .permute_axes({1, 0, 3, 2});
    EXPECT_EQ(from_dnnl(permuted).get_dims(), (memory::dims{20, 2, 5, 3}));
    EXPECT_EQ(from_dnnl(permuted).get_inner_idxs(), memory::dims{0});
    EXPECT_TRUE(to_dnnl(from_dnnl(permuted)) == permuted);

    // One block of channels, and dimensions of size 1: their strides do not tell the order in memory.
    for (const dnnl::memory::dims& dims : {dnnl::memory::dims{2, 16, 7, 7},
                                           {2, 10, 7, 7},
                                           {1, 32, 1, 7},
                                           {3, 16, 1, 1},
                                           {1, 1, 1, 1}}) {
        const dnnl::memory::desc named(dims, DnnlType::f32, DnnlTag::nChw16c);
        for (const std::vector<int>& order :
             {std::vector<int>{1, 0, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}}) {
            const auto ties = named.permute_axes(order);
            EXPECT_TRUE(to_dnnl(from_dnnl(ties)) == ties) << dims[0] << ',' << dims[1];
        }
    }

    // A blocked layout that only a blocked name other than tombola's gives.
    const dnnl::memory::desc first({32, 3, 5}, DnnlType::f32, DnnlTag::Abc16a);
    EXPECT_EQ(from_dnnl(first).get_inner_idxs(), memory::dims{0});
    EXPECT_EQ(from_dnnl(first).get_size(), first.get_size());

    const dnnl::memory::desc whole({2, 32, 4, 4}, DnnlType::f32, DnnlTag::nChw16c);
    const auto box = whole.submemory_desc({1, 16, 2, 4}, {1, 16, 1, 0});
    const memory::desc ours_whole({2, 32, 4, 4}, memory::data_type::f32,
                                  memory::format_tag::nChw16c);
    EXPECT_EQ(from_dnnl(box), ours_whole.submemory_desc({1, 16, 2, 4}, {1, 16, 1, 0}));
}

std::string refusal(const std::function<void()>& convert) {
    try {
        convert();
        return "accepted";
    } catch (const error& e) {
        EXPECT_EQ(e.status, tombola_unimplemented) << e.message;
        return e.message;
    }
}

TEST_F(InteropDnnl, Refusals) {
    const auto names = [](const std::string& message, const char* part) {
        return message.find(part) != std::string::npos ? std::string() : message;
    };
    const dnnl::memory::desc twice({32, 32, 3, 3}, DnnlType::f32, DnnlTag::OIhw16i16o);
    EXPECT_EQ(names(refusal([&] { from_dnnl(twice); }), "2 inner blocks"), "");
    const dnnl::memory::desc thrice({32, 32, 3, 3}, DnnlType::s8, DnnlTag::OIhw4i16o4i);
    EXPECT_EQ(names(refusal([&] { from_dnnl(thrice); }), "3 inner blocks"), "");
    const memory::desc words({4}, memory::data_type::u32, memory::format_tag::a);
    EXPECT_EQ(names(refusal([&] { to_dnnl(words); }), "data type u32"), "");
    const auto wide =
        memory::desc::with_block({2, 64, 3}, memory::data_type::f32, {192, 192, 64}, 1, 64);
    EXPECT_EQ(names(refusal([&] { to_dnnl(wide); }), "blocks of 64"), "");
    const auto gap =
        memory::desc::with_block({2, 16, 3}, memory::data_type::f32, {64, 64, 16}, 1, 16);
    EXPECT_EQ(names(refusal([&] { to_dnnl(gap); }), "blocks of 16"), "");
    const auto box = memory::desc({4, 4}, memory::data_type::f32, memory::format_tag::ab)
                         .submemory_desc({2, 2}, {1, 1});
    EXPECT_EQ(names(refusal([&] { to_dnnl(box); }), "submemory offset"), "");
    const dnnl::memory::desc late({DNNL_RUNTIME_DIM_VAL, 3}, DnnlType::f32, DnnlTag::ab);
    EXPECT_EQ(names(refusal([&] { from_dnnl(late); }),
                    "the size of dimension 0 is DNNL_RUNTIME_DIM_VAL; tombola has no"),
              "");
    const dnnl::memory::desc spaced({2, 3}, DnnlType::f32, {DNNL_RUNTIME_DIM_VAL, 1});
    EXPECT_EQ(names(refusal([&] { from_dnnl(spaced); }), "the stride of dimension 0 is"), "");
    const dnnl::memory::desc shared({2, 3}, DnnlType::f32, {0, 1});
    EXPECT_EQ(names(refusal([&] { from_dnnl(shared); }), "share an address"), "");
    const memory::desc close({2, 3}, memory::data_type::f32, memory::dims{5, 2});
    EXPECT_EQ(names(refusal([&] { to_dnnl(close); }), "strides {5, 2}"), "");
    EXPECT_EQ(names(refusal([] { interop::detail::type_from_dnnl(dnnl_data_type_undef); }),
                    "data type undef of oneDNN is not converted; expected one of f16, bf16, f32"),
              "");
#if DNNL_VERSION_MAJOR < 3
    auto padded = dnnl::memory::desc({2, 3}, DnnlType::f32, DnnlTag::ab);
    padded.data.padded_dims[1] = 4;
    EXPECT_EQ(names(refusal([&] { from_dnnl(padded); }), "padded to 4"), "");
    auto shifted = dnnl::memory::desc({2, 3}, DnnlType::f32, DnnlTag::ab);
    shifted.data.padded_offsets[0] = 1;
    EXPECT_EQ(names(refusal([&] { from_dnnl(shifted); }), "padded in front"), "");
    // Weights with a compensation behind them, as int8 convolutions ask for.
    auto compensated = dnnl::memory::desc({32, 3}, DnnlType::s8, DnnlTag::ab);
    compensated.data.extra.flags = dnnl_memory_extra_flag_compensation_conv_s8s8;
    compensated.data.extra.compensation_mask = 1;
    EXPECT_EQ(names(refusal([&] { from_dnnl(compensated); }), "compensation"), "");
    compensated.data.offset0 = 3;  // of a submemory oneDNN 2 says 0 bytes
    EXPECT_EQ(names(refusal([&] { from_dnnl(compensated); }), "compensation"), "");
    const dnnl::memory::desc odd({96, 3, 5}, DnnlType::f32, DnnlTag::Acb48a);
    EXPECT_EQ(names(refusal([&] { from_dnnl(odd); }), "blocks of 48"), "");
#endif
}

// What oneDNN 3's getters tell is read by a template of its own; tombola's descriptor has the same
// getters and stands in for oneDNN's here.
TEST_F(InteropDnnl, GettersOfVersion3) {
    const auto same = [](const memory::desc& desc) {
        const auto layout = interop::detail::from_getters(desc);
        return interop::detail::desc_from(layout, desc.get_data_type()) == desc;
    };
    EXPECT_TRUE(same({{2, 20, 3, 5}, memory::data_type::s8, memory::format_tag::nChw16c}));
    EXPECT_TRUE(same({{2, 20, 3}, memory::data_type::f64, memory::dims{80, 4, 1}}));
    EXPECT_TRUE(same({{2, 20}, memory::data_type::f64, memory::format_tag::any}));
    EXPECT_TRUE(same(memory::desc({4, 4}, memory::data_type::f32, memory::format_tag::ab)
                         .submemory_desc({2, 2}, {1, 1})));
}

// oneDNN reorders into a blocked layout, tombola shuffles there, oneDNN reorders back: as oneDNN's own
// shuffle of the plain tensor.
TEST_F(InteropDnnl, ShuffleInOneDnnsBuffers) {
    const dnnl::memory::dims dims = {2, 40, 3, 5};
    for (const DnnlType type : {DnnlType::f32, DnnlType::s32, DnnlType::s8})
        for (const DnnlTag tag :
             {DnnlTag::nchw, DnnlTag::nhwc, DnnlTag::nChw8c, DnnlTag::nChw16c}) {
            const dnnl::memory plain = row_major(dims, type);
            const dnnl::memory::desc md(dims, type, tag);
            dnnl::memory source = reordered(plain, md);
            dnnl::memory destination(md, dnnl_engine_);

            const memory ours_src = from_dnnl(source, engine_);
            const memory ours_dst = from_dnnl(destination, engine_);
            EXPECT_EQ(ours_src.get_data_handle(), source.get_data_handle());
            EXPECT_EQ(ours_dst.get_data_handle(), destination.get_data_handle());
            const shuffle_forward::primitive_desc pd(engine_, prop_kind::forward_training,
                                                     ours_src.get_desc(), ours_dst.get_desc(), 1,
                                                     4);
            shuffle_forward(pd).execute(stream_,
                                        {{TOMBOLA_ARG_SRC, ours_src}, {TOMBOLA_ARG_DST, ours_dst}});

            dnnl::memory expected(plain.get_desc(), dnnl_engine_);
            const auto theirs = peers::dnnl_forward(dnnl_engine_, plain.get_desc(), 1, 4);
            dnnl::shuffle_forward(theirs).execute(
                dnnl_stream_, {{DNNL_ARG_SRC, plain}, {DNNL_ARG_DST, expected}});
            dnnl_stream_.wait();
            const dnnl::memory result = reordered(destination, plain.get_desc());
            EXPECT_EQ(std::memcmp(result.get_data_handle(), expected.get_data_handle(),
                                  plain.get_desc().get_size()),
                      0)
                << static_cast<int>(type) << ' ' << static_cast<int>(tag);
        }
}

// The other way: random numbers of tombola in a tensor that oneDNN reorders.
TEST_F(InteropDnnl, OneDnnReadsTombolasBuffers) {
    const memory::desc md({2, 20, 3, 5}, memory::data_type::f32, memory::format_tag::nChw16c);
    const memory ours(md, engine_);
    auto* data = static_cast<float*>(ours.get_data_handle());
    for (size_t i = 0; i < md.get_size() / sizeof(float); ++i) data[i] = static_cast<float>(i);
    const dnnl::memory theirs = to_dnnl(ours, dnnl_engine_);
    EXPECT_EQ(theirs.get_data_handle(), ours.get_data_handle());
    const dnnl::memory plain = reordered(theirs, {{2, 20, 3, 5}, DnnlType::f32, DnnlTag::nchw});
    const auto* values = static_cast<const float*>(plain.get_data_handle());
    for (int n = 0; n < 2; ++n)
        for (int c = 0; c < 20; ++c)
            for (int i = 0; i < 15; ++i)
                ASSERT_EQ(values[(n * 20 + c) * 15 + i],
                          static_cast<float>(((n * 2 + c / 16) * 15 + i) * 16 + c % 16));

    // A box: its offset becomes part of the address.
    const memory::desc whole({4, 6}, memory::data_type::f32, memory::format_tag::ab);
    const memory parent(whole, engine_);
    const memory box(whole.submemory_desc({2, 3}, {1, 2}), engine_, parent.get_data_handle());
    const dnnl::memory their_box = to_dnnl(box, dnnl_engine_);
    EXPECT_EQ(their_box.get_data_handle(), static_cast<float*>(parent.get_data_handle()) + 8);
    EXPECT_TRUE(their_box.get_desc() == dnnl::memory::desc({2, 3}, DnnlType::f32, {6, 1}));
}

}  // namespace
}  // namespace tombola::test
