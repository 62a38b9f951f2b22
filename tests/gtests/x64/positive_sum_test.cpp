// SPDX-License-Identifier: Apache-2.0

// The sums of blocks of weights are those of weights computed one by one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "cpu/weights/weight_quantum.hpp"
#include "cpu/x64/weights/row_passes.hpp"
#include "gtests/x64/block_sums_fixture.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class PositiveSumTest : public BlockSumsTest {
  protected:
    // Compares the sums of a row with the definition.
    static void check(std::vector<float> weights, dim_t units) {
        const auto classes = static_cast<dim_t>(weights.size()), block = units * kUnitClasses;
        const std::vector<char> bytes = stored(weights);
        const MemoryDesc desc = row_desc(classes);
        const auto passes = RowPasses::create(isa(), desc, false, RowPasses::Weights::summed);
        ASSERT_TRUE(passes.ok()) << passes.status().message();
        const auto greatest =
            static_cast<double>(*std::max_element(weights.begin(), weights.end()));
        Row row;
        row.data = bytes.data();
        passes.value().set_scale(row, greatest);
        const MatrixLayout layout(desc);
        const RowSource source(layout, bytes.data(), false);
        const dim_t blocks = (classes + block - 1) / block;
        std::vector<uint64_t> sums(static_cast<size_t>(blocks)), expected(sums.size(), 0);
        double found = 0;
        ASSERT_TRUE(
            passes.value().sum(row, source, 0, blocks, bytes.data(), sums.data(), found, units));
        if (!row.is_scalar) {
            EXPECT_EQ(found, greatest);
        }
        const int shift = quantum_shift(greatest, classes);
        for (size_t k = 0; k < weights.size(); ++k)
            expected[k / static_cast<size_t>(block)] +=
                quantise(static_cast<double>(weights[k]), shift);
        EXPECT_EQ(sums, expected) << classes << " classes, " << units << " units a block";
    }
    // zeros: 0 none, 1 a weight of 0, 2 also -0.
    static void check_refusals(int zeros) {
        const MemoryDesc desc = row_desc(5000);
        const auto passes = RowPasses::create(isa(), desc, false, RowPasses::Weights::summed);
        ASSERT_TRUE(passes.ok()) << passes.status().message();
        constexpr float kInf = std::numeric_limits<float>::infinity();
        for (const float wrong : {-1.0f, -1e-6f, kInf, -kInf, std::nanf(""), -std::nanf("")})
            for (const size_t at : {3, 700, 4995, 4999}) {
                std::vector<float> weights = row(5000, 10);
                weights[1] = zeros > 0 ? 0.0f : 1.0f;
                weights[600] = zeros > 1 ? -0.0f : 1.0f;
                weights[at] = wrong;
                const std::vector<char> bytes = stored(weights);
                Row row;
                row.data = bytes.data();
                passes.value().set_scale(row, 1);
                const MatrixLayout layout(desc);
                const RowSource source(layout, bytes.data(), false);
                std::vector<uint64_t> sums(static_cast<size_t>(passes.value().blocks()));
                double found = 0;
                EXPECT_FALSE(passes.value().sum(row, source, 0, passes.value().blocks(),
                                                bytes.data(), sums.data(), found))
                    << wrong << " at " << at;
            }
    }
    static void check_all(const std::vector<float>& weights) {
        check(weights, RowPasses::kBlockUnits);
        check(weights, 4);
    }
    // Weights from 2^-depth to 1, times `factor`.
    static std::vector<float> row(size_t classes, float depth, float factor = 1) {
        std::vector<float> weights = random_row(classes, depth);
        for (float& w : weights) w = std::exp2(w) * factor;
        return weights;
    }
};

TEST_P(PositiveSumTest, Weights) {
    for (const size_t classes : {257, 512, 1000, 1025, 3000, 8192, 20000, 33000, 70001, 140000})
        for (const float depth : {0.01f, 1.0f, 10.0f, 20.0f, 40.0f}) {
            // The lower bits of the smallest weights of depth 40 are below a unit of the sums. f16 has none as small.
            if (depth > 20 && type() == DataType::f16) continue;
            check_all(row(classes, depth));
        }
}

TEST_P(PositiveSumTest, GreatAndSmallFactors) {
    for (const int log : {-60, -30, -14, 3, 15, 60, 127}) {
        if (type() == DataType::f16 && (log < -14 || log > 15)) continue;
        check_all(row(20000, 12, std::ldexp(1.0f, log)));
    }
}

// The greatest sums of a lane: of weights as great as their exponent allows, and of powers of two.
TEST_P(PositiveSumTest, EqualWeights) {
    const int digits = type() == DataType::f32 ? 24 : type() == DataType::f16 ? 11 : 8;
    for (int log = 9; log <= 18; ++log)
        for (const float w : {1.0f, 1.5f, 2 - std::ldexp(1.0f, 1 - digits)})
            for (const size_t more : {0, 1})
                check_all(std::vector<float>((size_t{1} << log) - 1 + more, w));
}

// Beside the smallest weight that the kernels sum: 2^(L-61) times the greatest power of two.
TEST_P(PositiveSumTest, TinyWeights) {
    if (type() == DataType::f16) GTEST_SKIP() << "f16 has no weights that are as small";
    constexpr int kLog = 15;
    for (const float factor : {0.25f, 0.5f, 0.75f, 1.0f, 1.5f, 3.0f}) {
        std::vector<float> weights = row(size_t{1} << kLog, 8);
        const float tiny = std::ldexp(factor, kLog - 61);
        weights[1] = weights[700] = weights[32767] = tiny;
        for (size_t k = 9000; k < 12000; ++k) weights[k] = tiny;
        check_all(weights);
        for (size_t k = 0; k < weights.size(); k += 3) weights[k] = 0;
        check_all(weights);
        for (size_t k = 0; k < weights.size(); k += 6) weights[k] = -0.0f;
        check_all(weights);
    }
}

TEST_P(PositiveSumTest, Zeros) {
    for (const size_t classes : {300, 5000, 30000, 33333}) {
        std::vector<float> weights = row(classes, 10);
        weights[classes / 2] = 0;
        check_all(weights);
        for (size_t k = 0; k < classes; k += 2) weights[k] = k % 4 == 0 ? 0.0f : -0.0f;
        weights[0] = 1;
        check_all(weights);
    }
    if (type() == DataType::f16) return;
    check_all(row(30000, 0.01f, std::numeric_limits<float>::min()));  // in scalar C++
}

// The forms for large weights sum all blocks that have no others. The form for all elements sums every block.
TEST_P(PositiveSumTest, OnlyOtherElementsStopTheForms) {
    constexpr dim_t kBlocks = 3, kUnits = RowPasses::kBlockClasses / kUnitClasses;
    constexpr int kLog = 12, kFieldOfOne = 127;
    using Elements = PositiveSumKernel::Elements;
    using Span = PositiveSumKernel::Span;
    const auto left = [&](Elements elements, Span span, float changed) {
        std::vector<float> weights = row(kBlocks * RowPasses::kBlockClasses, 12);
        weights[600] = changed;  // in the second block
        const std::vector<char> bytes = stored(weights);
        const auto kernel =
            cached_function<PositiveSumKernel>({isa(), float_type_of(type()), elements, span});
        EXPECT_TRUE(kernel.ok()) << kernel.status().message();
        std::vector<uint64_t> sums(kBlocks);
        PositiveSumKernel::Args args{
            {bytes.data(), bytes.data(), kBlocks, kUnits, sums.data()},
            PositiveSumKernel::scale(float_type_of(type()), kFieldOfOne, kLog, elements),
            {}};
        kernel.value()(args);
        return args.blocks.count;
    };
    for (const Elements form : {Elements::large, Elements::large_or_zero, Elements::all})
        for (const Span span : {Span::step, Span::block}) {
            const dim_t of_others = form == Elements::all ? 0 : 2;
            EXPECT_EQ(left(form, span, 0.5f), 0);
            EXPECT_EQ(left(form, span, 0.0f), form == Elements::large ? 2 : 0);
            EXPECT_EQ(left(form, span, -0.0f), of_others);
            EXPECT_EQ(left(form, span, -1.0f), of_others);
            if (type() == DataType::f16) continue;
            EXPECT_EQ(left(form, span, std::ldexp(1.0f, kLog - 61)), 0);
            EXPECT_EQ(left(form, span, std::ldexp(1.0f, kLog - 62)), of_others);
        }
}

TEST_P(PositiveSumTest, RefusedWeights) {
    for (const int zeros : {0, 1, 2}) check_refusals(zeros);
}

INSTANTIATE_TEST_SUITE_P(EachIsa, PositiveSumTest, BlockSumsTest::parameters(),
                         BlockSumsTest::name);

}  // namespace
}  // namespace tombola::impl::cpu::x64
