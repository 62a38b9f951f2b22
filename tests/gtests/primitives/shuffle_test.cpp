// SPDX-License-Identifier: Apache-2.0

// shuffle through the public API: every implementation of the list, both directions, all types and the usual layouts, in
// guarded memory, against the independent reference.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "gtests/common/tensor.hpp"
#include "reference/shuffle_reference.hpp"

namespace tombola::test {
namespace {

constexpr tombola_data_type_t kTypes[] = {tombola_f16, tombola_bf16, tombola_f32, tombola_f64,
                                          tombola_s8,  tombola_u8,   tombola_s32, tombola_u32,
                                          tombola_s64, tombola_u64};

class Shuffle : public testing::Test {
  protected:
    // Checks each implementation that serves the problem, and returns their names.
    std::set<std::string> check(const_tombola_memory_desc_t src_desc,
                                const_tombola_memory_desc_t dst_desc, int axis, int64_t group,
                                bool backward) {
        Tensor src(src_desc, engine_), dst(dst_desc, engine_);
        const Layout& layout = src.layout();
        const auto values = test_bytes(src.count() * layout.element_size);
        std::vector<uint8_t> want(values.size());
        reference::shuffle_reference(layout.dims, layout.element_size, axis, group, backward,
                                     values.data(), want.data());
        src.write(values);
        PrimitiveDesc desc;
        const tombola_status_t status =
            backward ? tombola_shuffle_backward_primitive_desc_create(
                           desc.out(), engine_, dst_desc, src_desc, axis, group, nullptr, nullptr)
                     : tombola_shuffle_forward_primitive_desc_create(
                           desc.out(), engine_, tombola_forward_inference, src_desc, dst_desc, axis,
                           group, nullptr);
        EXPECT_EQ(status, tombola_success) << last_error();
        std::set<std::string> names;
        for_each_implementation(desc, [&](const_tombola_primitive_desc_t implementation) {
            Primitive primitive;
            ASSERT_EQ(tombola_primitive_create(primitive.out(), implementation), tombola_success)
                << last_error();
            dst.buffer().poison();
            const tombola_exec_arg_t args[] = {
                {backward ? TOMBOLA_ARG_DIFF_DST : TOMBOLA_ARG_SRC, src.memory()},
                {backward ? TOMBOLA_ARG_DIFF_SRC : TOMBOLA_ARG_DST, dst.memory()}};
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 2, args), tombola_success)
                << last_error();
            names.insert(impl_name(implementation));
            EXPECT_EQ(dst.read(), want) << impl_name(implementation);
            EXPECT_TRUE(dst.outside_is_intact()) << impl_name(implementation);
            EXPECT_TRUE(dst.padding_is_zero()) << impl_name(implementation);
        });
        return names;
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

TEST_F(Shuffle, EveryTypeAndLayoutInBothDirections) {
    std::set<std::string> reached;
    for (const tombola_data_type_t type : kTypes)
        for (const tombola_format_tag_t tag :
             {tombola_nchw, tombola_nhwc, tombola_nChw4c, tombola_nChw8c, tombola_nChw16c})
            for (const bool backward : {false, true}) {
                SCOPED_TRACE(testing::Message() << "type " << type << " tag " << tag
                                                << (backward ? " backward" : " forward"));
                const MemoryDesc desc = tagged({2, 24, 5, 3}, type, tag);
                const auto names = check(desc, desc, 1, 4, backward);
                EXPECT_EQ(names.count("portable"), 1u);
                reached.insert(names.begin(), names.end());
            }
    if (tombola_get_effective_cpu_isa() == tombola_cpu_isa_none) return;
    for (const char* kind : {"jit_rows:", "jit_interleaved:", "jit_blocked:"})
        EXPECT_NE(std::count_if(reached.begin(), reached.end(),
                                [&](const std::string& name) { return name.rfind(kind, 0) == 0; }),
                  0)
            << kind;
}

TEST_F(Shuffle, EveryAxisAndGroup) {
    const DimVector dims = {6, 18, 12};
    for (int axis = 0; axis < 3; ++axis)
        for (const int64_t group : {int64_t{1}, int64_t{2}, int64_t{3}, dims[axis]})
            for (const tombola_format_tag_t tag :
                 {tombola_abc, tombola_acb, tombola_cba, tombola_aBc8b}) {
                SCOPED_TRACE(testing::Message()
                             << "axis " << axis << " group " << group << " tag " << tag);
                const MemoryDesc desc = tagged(dims, tombola_f32, tag);
                check(desc, desc, axis, group, false);
                check(desc, desc, axis, group, true);
            }
}

TEST_F(Shuffle, LayoutsThatDiffer) {
    for (const tombola_format_tag_t from : {tombola_nchw, tombola_nhwc, tombola_nChw8c})
        for (const tombola_format_tag_t to : {tombola_nchw, tombola_nhwc, tombola_nChw16c}) {
            SCOPED_TRACE(testing::Message() << from << " to " << to);
            const MemoryDesc src = tagged({2, 20, 6, 5}, tombola_bf16, from);
            const MemoryDesc dst = tagged({2, 20, 6, 5}, tombola_bf16, to);
            check(src, dst, 1, 2, false);
            check(src, dst, 1, 2, true);
        }
}

TEST_F(Shuffle, GroupsThatDoNotDivideTheAxisAreRefused) {
    const MemoryDesc desc = tagged({2, 12, 3, 3}, tombola_f32, tombola_nchw);
    for (const int64_t group : {int64_t{5}, int64_t{0}, int64_t{-2}, int64_t{24}}) {
        PrimitiveDesc refused;
        EXPECT_EQ(
            tombola_shuffle_forward_primitive_desc_create(
                refused.out(), engine_, tombola_forward_inference, desc, desc, 1, group, nullptr),
            tombola_invalid_arguments);
        EXPECT_NE(last_error().find(std::to_string(group)), std::string::npos) << last_error();
    }
}

}  // namespace
}  // namespace tombola::test
