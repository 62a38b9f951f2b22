// SPDX-License-Identifier: Apache-2.0

// shuffle against oneDNN in the same process: the same bytes in, the same bytes out, padding
// included. A case that oneDNN does not serve is counted and passed over.
//
// oneDNN 2.6.3 writes out of bounds for bf16 on layouts blocked by 4 or 8 (AVX-512): those cases are left to
// the comparison with the reference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <dnnl.hpp>

#include "gtests/common/tensor.hpp"
#include "peers/dnnl_shuffle.hpp"

namespace tombola::test {
namespace {

using DnnlTag = dnnl::memory::format_tag;
using DnnlType = dnnl::memory::data_type;

struct Layouts {
    tombola_format_tag_t tombola;
    DnnlTag dnnl;
    int block;  // elements of an inner block, 1 of a plain layout
};

struct Types {
    tombola_data_type_t tombola;
    DnnlType dnnl;
};

struct Case {
    DimVector dims;
    Layouts layout;
    Types type;
    bool forward;
    int axis;
    tombola_dim_t group;
};

std::string to_string(const Case& c) {
    std::string text = c.forward ? "forward " : "backward ";
    text += std::string(tombola_dt2str(c.type.tombola)) + ' ' +
            tombola_fmt_tag2str(c.layout.tombola) + " axis " + std::to_string(c.axis) + " group " +
            std::to_string(c.group) + " dims";
    for (const tombola_dim_t size : c.dims) text += ' ' + std::to_string(size);
    return text;
}

class ShufflePeer : public testing::Test {
  protected:
    static constexpr std::ptrdiff_t kSlack = 256;

    // oneDNN's answer: all bytes of the destination. Empty when it does not serve the case.
    std::vector<uint8_t> dnnl_shuffle(const Case& c, const std::vector<uint8_t>& source) {
        const dnnl::memory::desc desc(c.dims, c.type.dnnl, c.layout.dnnl);
        EXPECT_EQ(desc.get_size(), source.size());
        std::vector<uint8_t> from = source;
        std::vector<uint8_t> to(source.size() + kSlack, 0xEE);
        dnnl::memory in(desc, dnnl_engine_, from.data());
        dnnl::memory out(desc, dnnl_engine_, to.data());
        const int group = static_cast<int>(c.group);
        const auto forward = peers::dnnl_forward(dnnl_engine_, desc, c.axis, group);
        if (!forward) return {};
        if (c.forward) {
            dnnl::shuffle_forward(forward).execute(dnnl_stream_,
                                                   {{DNNL_ARG_SRC, in}, {DNNL_ARG_DST, out}});
        } else {
            const auto backward = peers::dnnl_backward(dnnl_engine_, desc, c.axis, group, forward);
            if (!backward) return {};
            dnnl::shuffle_backward(backward).execute(
                dnnl_stream_, {{DNNL_ARG_DIFF_DST, in}, {DNNL_ARG_DIFF_SRC, out}});
        }
        dnnl_stream_.wait();
        const auto end = to.begin() + static_cast<std::ptrdiff_t>(source.size());
        EXPECT_EQ(std::count(end, to.end(), 0xEE), kSlack)
            << "oneDNN wrote behind its tensor: " << to_string(c);
        to.erase(end, to.end());
        return to;
    }

    PrimitiveDesc descriptor(const Case& c, const_tombola_memory_desc_t data) const {
        PrimitiveDesc desc;
        if (c.forward)
            tombola_shuffle_forward_primitive_desc_create(desc.out(), engine_,
                                                          tombola_forward_training, data, data,
                                                          c.axis, c.group, nullptr);
        else
            tombola_shuffle_backward_primitive_desc_create(desc.out(), engine_, data, data, c.axis,
                                                           c.group, nullptr, nullptr);
        EXPECT_NE(desc.get(), nullptr) << to_string(c) << ": " << last_error();
        return desc;
    }

    void compare(const Case& c) {
        const MemoryDesc data = tagged(c.dims, c.type.tombola, c.layout.tombola);
        ASSERT_NE(data.get(), nullptr) << last_error();
        Tensor source(data, engine_);
        source.write(test_bytes(source.count() * source.layout().element_size));
        const uint8_t* bytes = source.buffer().data();
        const std::vector<uint8_t> input(bytes, bytes + source.buffer().bytes());
        const std::vector<uint8_t> expected = dnnl_shuffle(c, input);
        if (expected.empty()) {
            ++not_served_;
            return;
        }
        ++compared_;
        for_each_implementation(descriptor(c, data), [&](const_tombola_primitive_desc_t desc) {
            Primitive primitive;
            ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
            Tensor destination(data, engine_);
            const int from = c.forward ? TOMBOLA_ARG_SRC : TOMBOLA_ARG_DIFF_DST;
            const int to = c.forward ? TOMBOLA_ARG_DST : TOMBOLA_ARG_DIFF_SRC;
            const tombola_exec_arg_t args[] = {{from, source.memory()}, {to, destination.memory()}};
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 2, args), tombola_success)
                << last_error();
            ASSERT_EQ(std::memcmp(destination.buffer().data(), expected.data(), expected.size()), 0)
                << impl_name(desc) << ": " << to_string(c);
            ASSERT_TRUE(destination.buffer().slack_is_intact());
            ASSERT_EQ(std::memcmp(bytes, input.data(), input.size()), 0) << "source changed";
        });
    }

    void compare_all(const std::vector<DimVector>& shapes, const std::vector<Layouts>& layouts) {
        const Types types[] = {{tombola_f32, DnnlType::f32}, {tombola_bf16, DnnlType::bf16},
                               {tombola_f16, DnnlType::f16}, {tombola_s32, DnnlType::s32},
                               {tombola_s8, DnnlType::s8},   {tombola_u8, DnnlType::u8}};
        for (const DimVector& dims : shapes)
            for (const Layouts& layout : layouts)
                for (const Types& type : types)
                    for (const bool forward : {true, false})
                        for (int axis = 0; axis < static_cast<int>(dims.size()); ++axis)
                            for (tombola_dim_t group = 1; group <= dims[axis]; ++group) {
                                if (dims[axis] % group != 0) continue;
                                if ((layout.block == 4 || layout.block == 8) &&
                                    type.tombola == tombola_bf16 && dnnl_version()->major < 3)
                                    continue;
                                compare({dims, layout, type, forward, axis, group});
                                if (HasFatalFailure()) return;
                            }
        RecordProperty("compared", compared_);
        RecordProperty("not_served_by_dnnl", not_served_);
        EXPECT_GT(compared_, 0);
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
    dnnl::engine dnnl_engine_{dnnl::engine::kind::cpu, 0};
    dnnl::stream dnnl_stream_{dnnl_engine_};
    int compared_ = 0;
    int not_served_ = 0;
};

TEST_F(ShufflePeer, OneToThreeDimensions) {
    compare_all({{12}}, {{tombola_a, DnnlTag::a, 1}});
    compare_all({{2, 12}, {5, 16}, {16, 1}},
                {{tombola_ab, DnnlTag::ab, 1}, {tombola_ba, DnnlTag::ba, 1}});
    compare_all({{2, 12, 3}, {3, 34, 5}}, {{tombola_abc, DnnlTag::abc, 1},
                                           {tombola_acb, DnnlTag::acb, 1},
                                           {tombola_bac, DnnlTag::bac, 1},
                                           {tombola_bca, DnnlTag::bca, 1},
                                           {tombola_cba, DnnlTag::cba, 1},
                                           {tombola_aBc4b, DnnlTag::aBc4b, 4},
                                           {tombola_aBc8b, DnnlTag::aBc8b, 8},
                                           {tombola_aBc16b, DnnlTag::aBc16b, 16}});
}

TEST_F(ShufflePeer, FourDimensions) {
    compare_all({{2, 12, 3, 5}, {1, 36, 7, 7}, {2, 17, 1, 4}, {1, 64, 2, 3}},
                {{tombola_abcd, DnnlTag::abcd, 1},
                 {tombola_acdb, DnnlTag::acdb, 1},
                 {tombola_bcda, DnnlTag::bcda, 1},
                 {tombola_cdba, DnnlTag::cdba, 1},
                 {tombola_bacd, DnnlTag::bacd, 1},
                 {tombola_aBcd4b, DnnlTag::aBcd4b, 4},
                 {tombola_aBcd8b, DnnlTag::aBcd8b, 8},
                 {tombola_aBcd16b, DnnlTag::aBcd16b, 16}});
}

TEST_F(ShufflePeer, FiveAndSixDimensions) {
    compare_all({{2, 12, 2, 3, 5}, {1, 40, 2, 1, 3}}, {{tombola_abcde, DnnlTag::abcde, 1},
                                                       {tombola_acdeb, DnnlTag::acdeb, 1},
                                                       {tombola_cdeba, DnnlTag::cdeba, 1},
                                                       {tombola_aBcde4b, DnnlTag::aBcde4b, 4},
                                                       {tombola_aBcde8b, DnnlTag::aBcde8b, 8},
                                                       {tombola_aBcde16b, DnnlTag::aBcde16b, 16}});
    compare_all({{1, 12, 2, 2, 2, 3}}, {{tombola_abcdef, DnnlTag::abcdef, 1}});
}

// Shapes of ShuffleNet's layers (oneDNN's own benchdnn inputs name them), large enough to be shared
// among threads.
TEST_F(ShufflePeer, LayersOfShuffleNet) {
    const std::vector<Layouts> layouts = {{tombola_abcd, DnnlTag::abcd, 1},
                                          {tombola_acdb, DnnlTag::acdb, 1},
                                          {tombola_aBcd16b, DnnlTag::aBcd16b, 16}};
    const Types f32 = {tombola_f32, DnnlType::f32};
    const Types s8 = {tombola_s8, DnnlType::s8};
    for (const Layouts& layout : layouts)
        for (const Types& type : {f32, s8})
            for (const bool forward : {true, false}) {
                compare({{2, 136, 56, 56}, layout, type, forward, 1, 4});
                compare({{2, 272, 28, 28}, layout, type, forward, 1, 4});
                compare({{2, 544, 14, 14}, layout, type, forward, 1, 8});
                compare({{1, 1088, 7, 7}, layout, type, forward, 1, 4});
            }
    EXPECT_GT(compared_, 0);
}

}  // namespace
}  // namespace tombola::test
