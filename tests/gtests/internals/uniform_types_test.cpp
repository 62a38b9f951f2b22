// SPDX-License-Identifier: Apache-2.0

// Which data types random_uniform serves: each other one is refused by name, whatever types are added.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cpu/random_uniform/element_type.hpp"

namespace tombola::impl::cpu {
namespace {

TEST(UniformTypes, EveryTypeIsServedAsItselfOrRefused) {
    constexpr int kBeyondEveryType = 64;
    std::set<std::string> served;
    for (int value = 0; value < kBeyondEveryType; ++value) {
        const auto type = static_cast<DataType>(value);
        if (!is_valid(type)) continue;
        const Result<size_t> size =
            with_uniform_type(type, [](auto element) -> Result<size_t> { return sizeof(element); });
        if (size.ok()) {
            EXPECT_EQ(size.value(), size_of(type)) << name_of(type);
            served.insert(name_of(type));
        } else {
            EXPECT_EQ(size.status().code(), StatusCode::unimplemented);
            EXPECT_EQ(size.status().message(), std::string("no conversion to ") + name_of(type));
        }
    }
    EXPECT_EQ(served, (std::set<std::string>{"bf16", "f16", "f32", "f64", "s32", "s64"}));
}

}  // namespace
}  // namespace tombola::impl::cpu
