// SPDX-License-Identifier: Apache-2.0

// The estimates of the sums of blocks differ from exact sums by no more than their bound says, and what a row decides by estimates is what
// exact sums give.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "common/bit_cast.hpp"
#include "cpu/weights/weight_exp.hpp"
#include "cpu/weights/weight_quantum.hpp"
#include "cpu/x64/weights/estimated_row.hpp"
#include "gtests/x64/block_sums_fixture.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The weight that the kernel computes, before it is added, in f64.
double estimated_weight(const WeightEstimate& estimate, float e) {
    e = std::min(e, WeightEstimate::kFarthest);
    const float log2e = std::ldexp(WeightEstimate::kLog2e, estimate.size_log);
    const float z = std::fma(e, log2e, -WeightEstimate::kRound);
    const float t = std::fma(e, log2e, -(z + WeightEstimate::kRound));
    float p = estimate.c[estimate.degree];
    for (int i = estimate.degree - 1; i >= 0; --i) p = std::fma(p, t, estimate.c[i]);
    const auto n = bit_cast<uint32_t>(z);
    const uint32_t scale = estimate.entry(static_cast<int>(n % (1U << estimate.size_log))) +
                           (n << (23 - estimate.size_log));
    return static_cast<double>(bit_cast<float>(scale)) * static_cast<double>(p);
}

TEST(WeightEstimate, ErrorIsWithinItsBound) {
    for (const CpuIsa isa : {CpuIsa::avx2, CpuIsa::avx512_core}) {
        const WeightEstimate estimate = WeightEstimate::of(isa);
        EXPECT_EQ(estimated_weight(estimate, 0), 1);
        double worst = 0;
        const auto last = bit_cast<uint32_t>(WeightEstimate::kFarthest);
        for (uint32_t bits = bit_cast<uint32_t>(0x1p-30f); bits < last; bits += 97) {
            const auto e = bit_cast<float>(bits);
            const auto w = static_cast<double>(weight_exp<WeightExpF32>(-e));
            const double error = std::abs(estimated_weight(estimate, e) / w - 1);
            worst = std::max(worst, error - WeightEstimate::kErrorPerUnit * static_cast<double>(e));
        }
        EXPECT_LE(worst, WeightEstimate::kError) << name_of(isa);
        EXPECT_GE(worst, WeightEstimate::kError / 2) << "the bound is far too great";
    }
}

TEST(EstimateTries, LeaveOutMoreAndMoreRows) {
    EstimateTries tries;
    std::vector<int> tried;
    for (int row = 0; row < 300; ++row)
        if (tries.try_next()) {
            tried.push_back(row);
            tries.note(false);
        }
    EXPECT_EQ(tried, (std::vector<int>{0, 1, 3, 6, 11, 20, 37, 70, 135, 200, 265}));
    // One that is decided: the next row is tried, but after the next one that is not decided, 32 are left out.
    while (!tries.try_next()) continue;
    tries.note(true);
    EXPECT_TRUE(tries.try_next());
    tries.note(false);
    int left_out = 0;
    while (!tries.try_next()) ++left_out;
    EXPECT_EQ(left_out, 32);
}

class EstimateTest : public BlockSumsTest {
  protected:
    struct Exact {
        std::vector<uint64_t> weights;
        uint64_t sum = 0;
    };
    static Exact exact(const std::vector<float>& row, bool log_probs, float ratio) {
        const auto classes = static_cast<dim_t>(row.size());
        const float greatest = *std::max_element(row.begin(), row.end());
        const int shift = quantum_shift(log_probs ? 1.0 : static_cast<double>(greatest), classes);
        Exact result;
        for (const float x : row) {
            const float w = log_probs ? weight_exp<WeightExpF32>((x - greatest) * ratio) : x;
            result.weights.push_back(quantise(static_cast<double>(w), shift));
            result.sum += result.weights.back();
        }
        return result;
    }

    // Estimates a row, and compares it with exact sums. Draws from it, and returns the part of the draws that were decided.
    static double check(std::vector<float> elements, bool log_probs, bool scaled = false,
                        float ratio = 1) {
        const auto classes = static_cast<dim_t>(elements.size());
        const std::vector<char> bytes = stored(elements);
        const MemoryDesc desc = row_desc(classes);
        const auto created =
            RowPasses::create(isa(), desc, log_probs, RowPasses::Weights::estimated, scaled);
        EXPECT_TRUE(created.ok()) << created.status().message();
        const RowPasses& passes = created.value();
        EXPECT_TRUE(passes.has_estimates());
        const auto greatest =
            static_cast<double>(*std::max_element(elements.begin(), elements.end()));
        Row row;
        row.data = bytes.data();
        passes.set_scale(row, greatest, ratio);
        const dim_t blocks = passes.blocks();
        std::vector<double> sums(static_cast<size_t>(blocks), -1);
        double found = 0;
        EXPECT_TRUE(passes.estimate(row, 0, blocks, bytes.data(), sums.data(), found));
        if (!scaled) {
            EXPECT_EQ(found, greatest);
        }

        const Exact expected = exact(elements, log_probs, ratio);
        const double bound = passes.estimate_error() * static_cast<double>(expected.sum);
        double estimated = 0, reached = 0;
        for (dim_t b = 0; b < blocks; ++b) {
            estimated += std::ldexp(sums[static_cast<size_t>(b)], row.scale.shift);
            const dim_t end = std::min(classes, (b + 1) * RowPasses::kBlockClasses);
            for (dim_t k = b * RowPasses::kBlockClasses; k < end; ++k)
                reached += static_cast<double>(expected.weights[static_cast<size_t>(k)]);
            if (std::abs(estimated - reached) > bound) {
                ADD_FAILURE() << "block " << b << " of " << blocks << ": " << estimated
                              << " in place of " << reached << ", which differs by more than "
                              << bound;
                break;
            }
        }

        const MatrixLayout layout(desc);
        const RowSource source(layout, bytes.data(), log_probs);
        const EstimatedRow drawn(passes, source, row, sums.data());
        EXPECT_LE(drawn.sum().lower, expected.sum);
        EXPECT_GE(drawn.sum().upper, expected.sum);
        return check_draws(drawn, expected);
    }

    // Also draws numbers beside those where one class ends and another one begins.
    static double check_draws(const EstimatedRow& row, const Exact& expected) {
        std::minstd_rand engine(7);
        std::uniform_real_distribution<double> uniform(0, 1);
        std::vector<uint64_t> prefix;
        for (const uint64_t w : expected.weights)
            prefix.push_back(w + (prefix.empty() ? 0 : prefix.back()));
        const auto compare = [&](double u) {
            const dim_t k = row.draw(u);
            if (k == EstimatedRow::kUndecided) return false;
            const uint64_t target = draw_target(u, expected.sum);
            EXPECT_EQ(k, std::lower_bound(prefix.begin(), prefix.end(), target) - prefix.begin())
                << u;
            return true;
        };
        int decided = 0;
        constexpr int kDraws = 200;
        for (int i = 0; i < kDraws; ++i) decided += compare(uniform(engine)) ? 1 : 0;
        int at_borders = 0;
        for (int i = 0; i < 20; ++i) {
            const uint64_t border = prefix[engine() % prefix.size()];
            const double u = static_cast<double>(border) / static_cast<double>(expected.sum);
            for (const double x :
                 {u, std::nextafter(u, 0.0), std::min(1.0, std::nextafter(u, 1.0))})
                at_borders += compare(x) ? 1 : 0;
        }
        EXPECT_EQ(at_borders, 0) << "borders are never certain";
        compare(0);
        compare(1);
        return static_cast<double>(decided) / kDraws;
    }

    static std::vector<float> weights(size_t classes, float depth, float factor = 1) {
        std::vector<float> row = random_row(classes, depth);
        for (float& x : row) x = std::exp2(x) * factor;
        return row;
    }
};

constexpr size_t kSizes[] = {513, 1000, 1024, 1025, 3000, 8192, 20000, 33000, 140000};

TEST_P(EstimateTest, Logits) {
    for (const size_t classes : kSizes)
        for (const float width : {1e-3f, 1.0f, 20.0f, 100.0f}) {
            check(random_row(classes, width), true);
            check(random_row(classes, width), true, true, 0.3f);
        }
    for (const float ratio : {1.25f, 0x1p64f, 0x1p-128f})
        check(random_row(20000, 20), true, true, ratio);
}

TEST_P(EstimateTest, Weights) {
    for (const size_t classes : kSizes)
        for (const float depth : {0.01f, 1.0f, 20.0f}) check(weights(classes, depth), false);
    for (const int log : {-60, -14, 3, 15, 60, 100}) {
        if (type() == DataType::f16 && (log < -14 || log > 15)) continue;
        check(weights(20000, 12, std::ldexp(1.0f, log)), false);
    }
}

// All roundings of a sum go the same way.
TEST_P(EstimateTest, EqualElements) {
    for (const int log : {10, 13, 16, 18, 20})
        for (const float x : {1.0f, 1 + 0x1p-7f, 1.5f}) {
            check(std::vector<float>(size_t{1} << log, x), false);
            std::vector<float> row(size_t{1} << log, -x * 7.77f);
            row[0] = 0;
            check(row, true);
        }
}

TEST_P(EstimateTest, LogitsFarBelow) {
    for (const float far : {-79.9f, -80.1f, -86.9f, -87.5f, -1000.0f, -60000.0f, -kInfinity}) {
        std::vector<float> row = random_row(30000, 3);
        row[1] = row[700] = row[29999] = far;
        for (size_t k = 9000; k < 12000; ++k) row[k] = far;
        check(row, true);
        std::fill(row.begin(), row.end(), far);
        row[17] = 0;
        check(row, true);
    }
}

TEST_P(EstimateTest, WeightsOfZeroAndTinyOnes) {
    std::vector<float> row = weights(30000, 3);
    for (const float tiny : {0.0f, -0.0f, 0x1p-24f, 0x1p-60f, 0x1p-140f}) {
        for (size_t k = 9000; k < 30000; k += 3) row[k] = tiny;
        check(row, false);
    }
}

TEST_P(EstimateTest, DecidesNearlyEveryDrawFromFewLikelyClasses) {
    for (const size_t classes : {2000, 32000, 128000}) {
        std::vector<float> row(classes);
        for (size_t k = 0; k < classes; ++k) row[k] = -1.5f * std::log(static_cast<float>(k + 1));
        EXPECT_GE(check(row, true), 0.9) << classes;
        for (float& x : row) x = std::exp(x);
        EXPECT_GE(check(row, false), 0.9) << classes;
    }
}

TEST_P(EstimateTest, RefusesWeights) {
    const MemoryDesc desc = row_desc(5000);
    const auto passes = RowPasses::create(isa(), desc, false, RowPasses::Weights::estimated);
    ASSERT_TRUE(passes.ok()) << passes.status().message();
    for (const float wrong : {-1.0f, -1e-6f, kInfinity, -kInfinity, std::nanf(""), -std::nanf("")})
        for (const size_t at : {3, 700, 4995, 4999}) {
            std::vector<float> elements = weights(5000, 10);
            elements[600] = -0.0f;
            elements[at] = wrong;
            const std::vector<char> bytes = stored(elements);
            Row row;
            row.data = bytes.data();
            std::vector<double> sums(static_cast<size_t>(passes.value().blocks()));
            double found = 0;
            EXPECT_FALSE(passes.value().estimate(row, 0, passes.value().blocks(), bytes.data(),
                                                 sums.data(), found))
                << wrong << " at " << at;
        }
}

// A sum that is too great for f32 decides nothing.
TEST_P(EstimateTest, GreatestWeights) {
    if (type() == DataType::f16) GTEST_SKIP() << "f16 has no weights that are as great";
    std::vector<float> elements(2000, 0x1.fp127f);
    const std::vector<char> bytes = stored(elements);
    const MemoryDesc desc = row_desc(2000);
    const auto passes = RowPasses::create(isa(), desc, false, RowPasses::Weights::estimated);
    ASSERT_TRUE(passes.ok()) << passes.status().message();
    Row row;
    row.data = bytes.data();
    passes.value().set_scale(row, static_cast<double>(elements[0]));
    std::vector<double> sums(static_cast<size_t>(passes.value().blocks()));
    double found = 0;
    ASSERT_TRUE(
        passes.value().estimate(row, 0, passes.value().blocks(), bytes.data(), sums.data(), found));
    const MatrixLayout layout(desc);
    const RowSource source(layout, bytes.data(), false);
    EXPECT_EQ(EstimatedRow(passes.value(), source, row, sums.data()).draw(0.3),
              EstimatedRow::kUndecided);
}

INSTANTIATE_TEST_SUITE_P(EachIsa, EstimateTest, BlockSumsTest::parameters(), BlockSumsTest::name);

}  // namespace
}  // namespace tombola::impl::cpu::x64
