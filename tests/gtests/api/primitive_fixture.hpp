// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fixture of the tests of primitive descriptors and of executions through the C API, with shuffle as the example.

#include <gtest/gtest.h>

#include <vector>

#include "gtests/common/tensor.hpp"

namespace tombola::test {

class PrimitiveApi : public testing::Test {
  protected:
    PrimitiveDesc forward(const_tombola_memory_desc_t src, const_tombola_memory_desc_t dst,
                          int axis, tombola_dim_t group,
                          const_tombola_primitive_attr_t attr = nullptr) const {
        PrimitiveDesc desc;
        tombola_shuffle_forward_primitive_desc_create(desc.out(), engine_, tombola_forward_training,
                                                      src, dst, axis, group, attr);
        return desc;
    }
    PrimitiveDesc backward(const_tombola_memory_desc_t diff_src,
                           const_tombola_memory_desc_t diff_dst, int axis, tombola_dim_t group,
                           const_tombola_primitive_desc_t hint = nullptr) const {
        PrimitiveDesc desc;
        tombola_shuffle_backward_primitive_desc_create(desc.out(), engine_, diff_src, diff_dst,
                                                       axis, group, hint, nullptr);
        return desc;
    }
    Primitive primitive(const_tombola_primitive_desc_t desc) const {
        Primitive made;
        EXPECT_EQ(tombola_primitive_create(made.out(), desc), tombola_success) << last_error();
        return made;
    }
    tombola_status_t execute(const_tombola_primitive_t primitive,
                             const std::vector<tombola_exec_arg_t>& args) const {
        return tombola_primitive_execute(primitive, stream_, static_cast<int>(args.size()),
                                         args.data());
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

}  // namespace tombola::test
