// SPDX-License-Identifier: Apache-2.0

// Which rows of a batch are drawn from in lanes. The samples are the same either way, so only this test shows it.

#include "cpu/x64/multinomial/lane_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/weights/weight_quantum.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "reference/numeric.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using reference::to_bytes;
using test::GuardedBuffer;

class LaneDrawsTest : public testing::TestWithParam<std::tuple<CpuIsa, DataType>> {
  protected:
    CpuIsa isa() const { return std::get<0>(GetParam()); }
    DataType type() const { return std::get<1>(GetParam()); }
    bool is_f64() const { return type() == DataType::f64; }
    int lanes() const { return LaneWeightsKernel::rows(isa(), float_type_of(type())); }

    MultinomialDesc describe(dim_t rows, dim_t classes, dim_t samples, bool log_probs) const {
        MultinomialDesc desc;
        const dim_t src[] = {rows, classes}, dst[] = {rows, samples};
        desc.src = MemoryDesc::row_major(2, src, type());
        desc.dst = MemoryDesc::row_major(2, dst, DataType::s64);
        desc.with_replacement = true;
        desc.log_probs = log_probs;
        return desc;
    }

    // Draws the first class of each row. Returns the ranges that were left to others. The source and the scratchpad end before a page
    // that may not be touched.
    std::vector<std::pair<dim_t, dim_t>> others(const MultinomialDesc& desc,
                                                const std::vector<double>& values,
                                                std::vector<int64_t>& drawn) const {
        const std::vector<uint8_t> bytes =
            to_bytes(static_cast<tombola_data_type_t>(type()), values);
        GuardedBuffer src(bytes.size());
        std::copy(bytes.begin(), bytes.end(), src.data());
        GuardedBuffer scratch(LaneDraws::scratch_bytes(desc));
        const auto count = static_cast<size_t>(desc.dst.nelems());
        const std::vector<double> zeros(count, 0.0);
        UniformSource uniforms;
        uniforms.given = zeros.data();
        drawn.assign(count, -1);
        const auto draws = LaneDraws::create(isa(), desc);
        EXPECT_TRUE(draws.ok());
        std::vector<std::pair<dim_t, dim_t>> ranges;
        draws.value().draw({src.data<char>(), uniforms, drawn.data()}, {0, desc.src.dims[0]},
                           scratch.data<char>(),
                           [&](Range rows) { ranges.emplace_back(rows.begin, rows.end); });
        return ranges;
    }
};

TEST_P(LaneDrawsTest, OnlyTooFewRowsAreLeft) {
    if (isa() > effective_isa()) GTEST_SKIP() << "not on this machine";
    for (const bool log_probs : {false, true})
        for (const dim_t classes : {1, 2, 7, 17, is_f64() ? 128 : 256})
            for (dim_t rows = 1; rows <= 2 * lanes() + 1; ++rows) {
                SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(classes));
                const std::vector<double> values(static_cast<size_t>(rows * classes), 0.5);
                std::vector<int64_t> drawn;
                const auto left = others(describe(rows, classes, 3, log_probs), values, drawn);
                const dim_t rest = rows % lanes();
                // The bound that doc/multinomial.md states for 16 lanes, 4 + classes / 32, in proportion to the lanes.
                const bool few = rest > 0 && rest < (lanes() + classes * lanes() / 128) / 4;
                ASSERT_EQ(left.size(), few ? 1 : 0);
                if (few) {
                    EXPECT_EQ(left[0], std::pair(rows - rest, rows));
                }
                for (dim_t i = 0; i < 3 * rows; ++i)
                    EXPECT_EQ(drawn[static_cast<size_t>(i)],
                              few && i >= 3 * (rows - rest) ? -1 : 0);
            }
}

// The bounds of doc/multinomial.md.
TEST_P(LaneDrawsTest, Serves) {
    const dim_t classes = is_f64() ? 128 : 256, rows = 4 + classes / 32;
    const dim_t most_samples = is_f64() ? 24 : 32;
    const auto serves = [&](dim_t batch, dim_t count, dim_t samples, bool with_replacement) {
        MultinomialDesc desc = describe(batch, count, samples, false);
        desc.with_replacement = with_replacement;
        return LaneDraws::serves(desc);
    };
    EXPECT_TRUE(serves(rows, classes, most_samples, true));
    EXPECT_FALSE(serves(rows - 1, classes, most_samples, true));
    EXPECT_FALSE(serves(rows, classes + 1, most_samples, true));
    EXPECT_FALSE(serves(rows, classes, most_samples + 1, true));
    EXPECT_TRUE(serves(rows, classes, classes, false));
    EXPECT_TRUE(serves(4, 1, 1, true));
    EXPECT_FALSE(serves(3, 1, 1, true));
}

// The least exponent field that the kernels handle is 62. A row below it leaves its whole group to others, and no other group.
TEST_P(LaneDrawsTest, AGroupWithAnExceptionalRowIsLeft) {
    if (isa() > effective_isa()) GTEST_SKIP() << "not on this machine";
    constexpr dim_t kClasses = 5;
    const int bias = is_f64() ? 1023 : 127;
    const dim_t rows = 4 * lanes();
    for (dim_t row = 0; row < rows; row += 3)
        for (const double value : {std::ldexp(1.0, 62 - bias), std::ldexp(1.75, 61 - bias), 0.0,
                                   -0.0, -1.0, std::nan(""), HUGE_VAL}) {
            if (type() == DataType::f16 && value > 0 && value < 1) continue;  // not a number of f16
            SCOPED_TRACE(std::to_string(row) + " " + std::to_string(value));
            std::vector<double> values(static_cast<size_t>(rows * kClasses), 0.5);
            std::fill_n(values.begin() + row * kClasses, kClasses, value);
            std::vector<int64_t> drawn;
            const auto left = others(describe(rows, kClasses, 1, false), values, drawn);
            const bool is_exceptional = value != std::ldexp(1.0, 62 - bias);
            ASSERT_EQ(left.size(), is_exceptional ? 1 : 0);
            const dim_t group = row / lanes() * lanes();
            if (is_exceptional) {
                EXPECT_EQ(left[0], std::pair(group, group + lanes()));
            }
        }
}

TEST(DrawTarget, OfANumeratorIsThatOfTheNumber) {
    constexpr uint64_t kEnd = uint64_t{1} << 52;
    for (const uint64_t numerator :
         {uint64_t{0}, uint64_t{1}, uint64_t{12345678901}, kEnd / 2, kEnd / 3, kEnd - 1})
        for (const uint64_t sum : {uint64_t{1}, uint64_t{2}, uint64_t{1} << 40, kEnd + 1,
                                   (uint64_t{1} << 62) / 3, (uint64_t{1} << 62) - 1}) {
            const double u = std::ldexp(static_cast<double>(numerator), -52);
            EXPECT_EQ(draw_target_of_52_bits(numerator, sum), draw_target(u, sum))
                << numerator << " " << sum;
        }
}

INSTANTIATE_TEST_SUITE_P(EachIsa, LaneDrawsTest,
                         testing::Combine(testing::Values(CpuIsa::avx2, CpuIsa::avx512_core),
                                          testing::Values(DataType::f16, DataType::bf16,
                                                          DataType::f32, DataType::f64)),
                         [](const auto& info) {
                             return std::string(name_of(std::get<0>(info.param))) + "_" +
                                    name_of(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace tombola::impl::cpu::x64
