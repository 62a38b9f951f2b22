// SPDX-License-Identifier: Apache-2.0

// The maxima of groups of logits, and the search for NaN, of both kernels on every ISA.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/float16.hpp"
#include "cpu/x64/token_sampler/select_kernels.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

class GroupMaxTest : public testing::TestWithParam<std::tuple<CpuIsa, FloatType, bool>> {
  protected:
    void SetUp() override {
        if (std::get<0>(GetParam()) > effective_isa()) GTEST_SKIP() << "not on this machine";
    }
    static FloatType type() { return std::get<1>(GetParam()); }
    static size_t element_bytes() { return size_of(data_type_of(type())); }

    // Stores `bits` of the type at an index.
    static void put(std::vector<char>& row, size_t index, uint32_t bits) {
        std::memcpy(&row[index * element_bytes()], &bits, element_bytes());
    }
    static uint32_t bits_of(float x) {
        switch (type()) {
            case FloatType::f16:
                return to_f16(x).bits;
            case FloatType::bf16:
                return to_bf16(x).bits;
            default:
                return bit_cast<uint32_t>(x);
        }
    }
    struct Found {
        std::vector<float> maxima;  // one per group
        float greatest;
        bool has_nan;
    };
    static Found run(const std::vector<char>& row) {
        const auto kernel = cached_function<GroupMaxKernel>(GetParam());
        EXPECT_TRUE(kernel.ok());
        const size_t groups = row.size() / element_bytes() / kGroupClasses;
        std::vector<float> maxima(groups * kGroupLanes);
        GroupMaxKernel::Args args{row.data(), static_cast<int64_t>(groups), maxima.data(), {}};
        kernel.value()(args);
        const size_t bytes = static_cast<size_t>(shape_of(std::get<0>(GetParam())).bytes);
        float lanes[kGroupLanes];
        std::memcpy(lanes, args.found.maxima, bytes);
        Found found{{}, *std::max_element(lanes, lanes + bytes / 4), args.found.refused != 0};
        for (size_t g = 0; g < groups; ++g)
            found.maxima.push_back(*std::max_element(&maxima[g * kGroupLanes],
                                                     &maxima[g * kGroupLanes] + kGroupLanes));
        return found;
    }
};

// Small integers, which every type has exactly, and -inf.
TEST_P(GroupMaxTest, FindsTheMaxima) {
    std::minstd_rand engine(3);
    for (const size_t groups : {1, 2, 5}) {
        for (const int top : {-100, 0, 100}) {
            std::vector<char> row(groups * kGroupClasses * element_bytes());
            std::vector<float> expected(groups, -kInf);
            for (size_t k = 0; k < groups * kGroupClasses; ++k) {
                const float x = engine() % 3 == 0
                                    ? -kInf
                                    : static_cast<float>(top - static_cast<int>(engine() % 99));
                put(row, k, bits_of(x));
                expected[k / kGroupClasses] = std::max(expected[k / kGroupClasses], x);
            }
            const Found found = run(row);
            EXPECT_EQ(found.maxima, expected);
            EXPECT_EQ(found.greatest, *std::max_element(expected.begin(), expected.end()));
            EXPECT_FALSE(found.has_nan);
        }
    }
}

// Of every class alone: the greatest, +inf too, and a NaN of either sign.
TEST_P(GroupMaxTest, MissesNoClass) {
    constexpr size_t kClasses = 2 * kGroupClasses;
    const uint32_t infinity = bits_of(kInf);
    for (size_t k = 0; k < kClasses; ++k) {
        std::vector<char> row(kClasses * element_bytes());
        for (size_t i = 0; i < kClasses; ++i) put(row, i, minus_infinity(type()));
        put(row, k, bits_of(-7));
        const Found found = run(row);
        EXPECT_EQ(found.greatest, -7);
        EXPECT_EQ(found.maxima[k / kGroupClasses], -7);
        EXPECT_EQ(found.maxima[1 - k / kGroupClasses], -kInf);
        EXPECT_FALSE(found.has_nan);
        put(row, k, infinity);
        EXPECT_EQ(run(row).greatest, kInf);
        put(row, k, infinity + 1);
        EXPECT_TRUE(run(row).has_nan) << k;
        put(row, k, minus_infinity(type()) + 1);
        EXPECT_TRUE(run(row).has_nan) << k;
    }
}

INSTANTIATE_TEST_SUITE_P(EachIsa, GroupMaxTest,
                         testing::Combine(testing::Values(CpuIsa::avx2, CpuIsa::avx512_core),
                                          testing::Values(FloatType::f32, FloatType::bf16,
                                                          FloatType::f16),
                                          testing::Bool()),
                         [](const auto& info) {
                             return std::string(name_of(std::get<0>(info.param))) + "_" +
                                    name_of(data_type_of(std::get<1>(info.param))) +
                                    (std::get<2>(info.param) ? "_far" : "");
                         });

}  // namespace
}  // namespace tombola::impl::cpu::x64
