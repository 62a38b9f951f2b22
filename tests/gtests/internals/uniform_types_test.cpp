// SPDX-License-Identifier: Apache-2.0

// Which data types random_uniform's implementations serve: every other one is refused by name, whatever types are
// added.

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "common/implementation.hpp"
#include "cpu/rng/element_type.hpp"

namespace tombola::impl::cpu {
namespace {

constexpr std::array kServed{DataType::f16, DataType::f32, DataType::f64, DataType::u8,
                             DataType::s64};

template <class Check>
void for_each_type(const Check& check) {
    constexpr int kBeyondEveryType = 64;
    for (int value = 0; value < kBeyondEveryType; ++value)
        if (const auto type = static_cast<DataType>(value); is_valid(type)) check(type);
}

// No type is taken for another.
TEST(ElementType, EachIsServedAsItselfOrRefused) {
    for_each_type([](DataType type) {
        const auto size = with_element_type<kServed>(
            type, [](auto element) -> Result<size_t> { return sizeof(element); });
        const std::set<DataType> served(kServed.begin(), kServed.end());
        ASSERT_EQ(size.ok(), served.count(type) == 1) << name_of(type);
        if (size.ok()) {
            EXPECT_EQ(size.value(), size_of(type)) << name_of(type);
        } else {
            EXPECT_EQ(size.status().message(), std::string("no conversion to ") + name_of(type));
        }
    });
}

TEST(UniformTypes, AllImplementationsServeTheSameSix) {
    for (const Implementation& row : implementations(PrimitiveKind::random_uniform))
        for (const Alignment alignment : {Alignment::tensorflow, Alignment::pytorch}) {
            std::set<std::string> served;
            for_each_type([&](DataType type) {
                RandomUniformDesc desc;
                desc.alignment = alignment;
                desc.dst = MemoryDesc::vector(type, 8);
                const Result<PlanPtr> planned = row.plan(row.isa, desc);
                if (planned.ok()) {
                    served.insert(name_of(type));
                    return;
                }
                EXPECT_EQ(planned.status().code(), StatusCode::unimplemented);
                EXPECT_EQ(planned.status().message(),
                          std::string("no conversion to ") + name_of(type));
            });
            EXPECT_EQ(served, (std::set<std::string>{"bf16", "f16", "f32", "f64", "s32", "s64"}))
                << row.name;
        }
}

}  // namespace
}  // namespace tombola::impl::cpu
