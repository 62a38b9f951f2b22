// SPDX-License-Identifier: Apache-2.0

// The sums of blocks of weights of logits are those of weights computed one by one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "cpu/x64/weights/row_passes.hpp"
#include "gtests/x64/block_sums_fixture.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

class LogitSumTest : public BlockSumsTest {
  protected:
    // Compares the sums of a row, with a ratio and a flush if scaled, with the definition.
    static void check(std::vector<float> logits, bool scaled, float ratio, float flush) {
        const auto classes = static_cast<dim_t>(logits.size());
        const std::vector<char> bytes = stored(logits);
        const MemoryDesc desc = row_desc(classes);
        const auto passes =
            RowPasses::create(isa(), desc, true, RowPasses::Weights::summed, scaled);
        ASSERT_TRUE(passes.ok()) << passes.status().message();
        const float greatest = *std::max_element(logits.begin(), logits.end());
        Row row;
        row.data = bytes.data();
        passes.value().set_scale(row, static_cast<double>(greatest), ratio, flush);
        const MatrixLayout layout(desc);
        const RowSource source(layout, bytes.data(), true);
        const dim_t blocks = passes.value().blocks();
        std::vector<uint64_t> sums(static_cast<size_t>(blocks)), expected(sums.size(), 0);
        double found = 0;
        ASSERT_TRUE(passes.value().sum(row, source, 0, blocks, bytes.data(), sums.data(), found));
        if (!scaled) {
            EXPECT_EQ(found, static_cast<double>(greatest));
        }
        const int shift = quantum_shift(1.0, classes);
        for (size_t k = 0; k < logits.size(); ++k) {
            const float d = scaled ? (logits[k] - greatest) * ratio : logits[k] - greatest;
            const float w = d >= flush ? weight_exp<WeightExpF32>(d) : 0;
            expected[k / RowPasses::kBlockClasses] += quantise(static_cast<double>(w), shift);
        }
        EXPECT_EQ(sums, expected) << classes << " classes, ratio " << ratio << ", flush " << flush;
    }
    static void check_all(const std::vector<float>& logits) {
        constexpr float kFlush = WeightExpF32::kFlush;
        check(logits, false, 1, kFlush);
        check(logits, true, 1, kFlush);
        check(logits, true, 1.25f, kFlush);
        check(logits, true, 0.3f, kFlush);
        check(logits, true, 1.25f, -3.0f);
        check(logits, true, 1.25f, -30.0f);
    }
};

TEST_P(LogitSumTest, LogitsNearTheGreatest) {
    for (const size_t classes : {1025, 2048, 3000, 5000, 8192, 16384, 20000, 33000, 70001, 140000})
        for (const float width : {1e-3f, 1.0f, 20.0f}) check_all(random_row(classes, width));
}

// Every weight is 1, so every sum of a lane is as great as it can be, and every addition is a tie or exact.
TEST_P(LogitSumTest, EqualLogits) {
    for (int log = 10; log <= 18; ++log) {
        check_all(std::vector<float>((size_t{1} << log) + 1, 7.5f));
        check_all(std::vector<float>(size_t{1} << log, -7.5f));
    }
}

// Weights that are as much less than a power of two as a float can be, and as many that are just above.
TEST_P(LogitSumTest, WeightsBesidePowersOfTwo) {
    for (int n = 0; n <= 30; ++n) {
        std::vector<float> logits(20000, 0);
        const float at = static_cast<float>(-n) * 0.693147182f;
        for (size_t k = 1; k < logits.size(); ++k)
            logits[k] = at + static_cast<float>(static_cast<int>(k % 7) - 3) * 4e-7f;
        logits[0] = 1e-6f;
        check_all(logits);
    }
}

// The form for near logits sums all blocks that have no others. The form for all logits sums every block.
TEST_P(LogitSumTest, OnlyTheFormForNearLogitsStops) {
    constexpr dim_t kBlocks = 3, kUnits = RowPasses::kBlockClasses / kUnitClasses;
    constexpr float kFar = -86.0f, kMinusInf = -std::numeric_limits<float>::infinity();
    using Logits = LogitSumKernel::Logits;
    const auto left = [&](Logits form, float changed) {
        std::vector<float> logits = random_row(kBlocks * RowPasses::kBlockClasses, 20);
        logits[600] = changed;  // in the second block
        const std::vector<char> bytes = stored(logits);
        const auto kernel =
            cached_function<LogitSumKernel>({isa(), float_type_of(type()), false, form});
        EXPECT_TRUE(kernel.ok()) << kernel.status().message();
        std::vector<uint64_t> sums(kBlocks);
        LogitSumKernel::Args args{{{bytes.data(), bytes.data(), kBlocks, kUnits, sums.data()},
                                   0,  // the greatest logit is 0
                                   0},
                                  -WeightExpF32::kFlush,
                                  LogitSumKernel::shape(12, isa()),
                                  {}};
        kernel.value()(args);
        return args.row.blocks.count;
    };
    EXPECT_EQ(left(Logits::near, -20), 0);
    for (const float far : {kFar, kMinusInf}) {
        EXPECT_EQ(left(Logits::near, far), 2) << far;
        EXPECT_EQ(left(Logits::all, far), 0) << far;
    }
}

TEST_P(LogitSumTest, LogitsFarBelow) {
    for (const float width : {40.0f, 80.0f, 200.0f}) check_all(random_row(30000, width));
    constexpr float kInf = std::numeric_limits<float>::infinity();
    for (const float far :
         {-28.0f, -31.0f, -32.0f, -33.0f, -86.9f, -87.5f, -1000.0f, -60000.0f, -kInf}) {
        std::vector<float> logits = random_row(30000, 3);
        logits[1] = logits[700] = logits[29999] = far;
        for (size_t k = 9000; k < 12000; ++k) logits[k] = far;
        check_all(logits);
    }
}

// Numbers whose products with log2(e) are so great that the low bits of their sum with a constant are any bits.
TEST_P(LogitSumTest, LogitsFarBeyondTheRounding) {
    if (type() == DataType::f16) GTEST_SKIP() << "f16 has no such numbers";
    std::minstd_rand engine(5);
    for (int i = 0; i < 200; ++i) {
        std::vector<float> logits = random_row(2100, 3);
        for (size_t k = 0; k < 20; ++k)
            logits[engine() % logits.size()] =
                -std::ldexp(1.0f + static_cast<float>(engine() % 65536) / 65536,
                            static_cast<int>(engine() % 60) + 5);
        logits[5] = 0;
        check_all(logits);
    }
}

INSTANTIATE_TEST_SUITE_P(EachIsa, LogitSumTest, BlockSumsTest::parameters(), BlockSumsTest::name);

}  // namespace
}  // namespace tombola::impl::cpu::x64
