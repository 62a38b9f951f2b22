// SPDX-License-Identifier: Apache-2.0

// Statistics of random_normal's numbers as the types have them, both alignments, with fixed seeds: what is computed here is
// the same at every run.
//
// Each statistic is compared with its expectation under independent normal numbers, in units of its standard deviation.
// There are about 150 of them; a deviation of more than 4.5 has a probability of 7e-6 each. The types of 16 bits have few
// digits and under pytorch few random bits, so their distributions are coarse: they get the limits that are derived below.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "gtests/common/handles.hpp"
#include "reference/numeric.hpp"

namespace tombola::test {
namespace {

constexpr double kLimit = 4.5;
constexpr size_t kCount = size_t{1} << 18;

struct Case {
    tombola_alignment_t alignment;
    tombola_data_type_t type;
    const char* name;
};
constexpr Case kCases[] = {
    {tombola_alignment_tensorflow, tombola_f16, "tensorflow_f16"},
    {tombola_alignment_tensorflow, tombola_bf16, "tensorflow_bf16"},
    {tombola_alignment_tensorflow, tombola_f32, "tensorflow_f32"},
    {tombola_alignment_tensorflow, tombola_f64, "tensorflow_f64"},
    {tombola_alignment_pytorch, tombola_f16, "pytorch_f16"},
    {tombola_alignment_pytorch, tombola_bf16, "pytorch_bf16"},
    {tombola_alignment_pytorch, tombola_f32, "pytorch_f32"},
    {tombola_alignment_pytorch, tombola_f64, "pytorch_f64"},
};

class NormalStatistics : public testing::TestWithParam<Case> {
  protected:
    std::vector<double> draw(uint64_t global_seed, uint64_t op_seed) const {
        const tombola_data_type_t type = GetParam().type;
        const size_t size = tombola_data_type_size(type);
        const MemoryDesc dst = row_major({kCount}, type);
        PrimitiveDesc desc;
        EXPECT_EQ(
            tombola_random_normal_primitive_desc_create(desc.out(), engine_, GetParam().alignment,
                                                        dst, global_seed, op_seed, nullptr),
            tombola_success)
            << last_error();
        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        std::vector<uint8_t> bytes(kCount * size);
        const Memory out = memory_over(dst, engine_, bytes.data());
        const tombola_exec_arg_t arg = {TOMBOLA_ARG_DST, out};
        EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 1, &arg), tombola_success)
            << last_error();
        std::vector<double> values(kCount);
        for (size_t i = 0; i < kCount; ++i) {
            reference::Scalar scalar{};
            std::memcpy(scalar.data(), &bytes[i * size], size);
            values[i] = reference::double_of(type, scalar);
        }
        return values;
    }

    bool is_f16() const { return GetParam().type == tombola_f16; }
    bool is_bf16() const { return GetParam().type == tombola_bf16; }
    // Whether a uniform number has so few bits that the tails end early: at sqrt(2 ln 2048) = 3.9 and sqrt(2 ln 256) = 3.3.
    bool is_coarse() const {
        return GetParam().alignment == tombola_alignment_pytorch && (is_f16() || is_bf16());
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// E x^k is 0, 1, 0, 3 and Var x^k is E x^2k - (E x^k)^2 = 1, 2, 15, 96. Uniform numbers of d bits change the moments: with
// u = 1 - k/N, E(-2 ln u) = (2 / N) sum of ln(N / k) is below 2 by about ln(2 pi N) / N: 0.3 % for N = 2048, 3 % for 256, and
// the fourth moment falls by about twice that share and more.
TEST_P(NormalStatistics, MomentsToTheFourth) {
    const std::vector<double> values = draw(2022, 11);
    const double n = static_cast<double>(kCount);
    const double expected[] = {0, 1, 0, 3}, variance[] = {1, 2, 15, 96};
    const double coarse = !is_coarse() ? 0 : is_f16() ? 0.006 : 0.04;
    for (int k = 1; k <= 4; ++k) {
        double sum = 0;
        for (const double value : values) sum += std::pow(value, k);
        const double allowed = kLimit * std::sqrt(variance[k - 1] / n) +
                               (k % 2 == 0 ? coarse * expected[k - 1] * k : 0);
        EXPECT_LT(std::abs(sum / n - expected[k - 1]), allowed) << k;
    }
}

// Kolmogorov-Smirnov: sqrt(n) D is above 2.3 with a probability of 2 exp(-2 * 2.3^2) = 5e-5. A type of p digits puts up to
// 2^-p * x * density(x) <= 2^-p * 0.242 into one number, and a uniform number of d bits moves the distribution by up to a few
// steps: the sum of both is the allowance of the 16-bit types.
TEST_P(NormalStatistics, KolmogorovSmirnov) {
    std::vector<double> values = draw(2023, 12);
    std::sort(values.begin(), values.end());
    const double n = static_cast<double>(kCount);
    double distance = 0;
    // Equal values are compared at their middle.
    for (size_t i = 0; i < kCount;) {
        size_t end = i;
        while (end < kCount && values[end] == values[i]) ++end;
        const double middle = static_cast<double>(i + end) / 2 / n;
        distance = std::max(distance, std::abs(normal_cdf(values[i]) - middle));
        i = end;
    }
    const double coarse = is_f16()    ? (is_coarse() ? 1.0 / 2048 : 0.25 / 1024)
                          : is_bf16() ? (is_coarse() ? 2.0 / 256 : 0.25 / 128)
                                      : 0;
    EXPECT_LT(distance, 2.3 / std::sqrt(n) + coarse);
}

// Chi-square over 256 cells of equal probability: mean 255, variance about 510. Not for 16 bits, whose numbers are no finer
// than the cells.
TEST_P(NormalStatistics, ChiSquareOfCells) {
    if (is_f16() || is_bf16()) GTEST_SKIP() << "the type is as coarse as the cells";
    constexpr size_t kCells = 256;
    std::vector<double> counts(kCells);
    for (const double value : draw(2024, 13))
        counts[std::min(kCells - 1, static_cast<size_t>(normal_cdf(value) * kCells))] += 1;
    const double each = static_cast<double>(kCount) / kCells;
    double chi_square = 0;
    for (const double count : counts) chi_square += (count - each) * (count - each) / each;
    const double df = kCells - 1;
    EXPECT_LT(std::abs(chi_square - df) / std::sqrt(2 * df), kLimit);
}

// The numbers beyond 3 and 4 sigma. (Beyond 4: 17 of 2^18 are expected.)
TEST_P(NormalStatistics, Tails) {
    const std::vector<double> values = draw(2025, 14);
    for (const double sigma : {3.0, 4.0}) {
        const double expected = static_cast<double>(kCount) * 2 * normal_cdf(-sigma);
        double found = 0, greatest = 0;
        for (const double value : values) {
            found += std::abs(value) > sigma ? 1 : 0;
            greatest = std::max(greatest, std::abs(value));
        }
        if (is_coarse()) {
            EXPECT_LT(greatest, is_f16() ? 3.95 : 3.4);
            continue;
        }
        // Rounding to bf16 (spacing 2^-6 at 3 and 2^-5 at 4) moves the border by up to half a step: the density there, 0.0089 and
        // 0.00027 for both sides, times that.
        const double step = is_bf16() ? (sigma == 3.0 ? 0x1p-7 : 0x1p-6) : is_f16() ? 0x1p-9 : 0;
        const double moved =
            static_cast<double>(kCount) * step * 2 * std::exp(-sigma * sigma / 2) / 2.5066;
        EXPECT_LT(std::abs(found - expected), kLimit * std::sqrt(expected) + moved) << sigma;
    }
}

// The correlation of x and y, and of their squares (variance 4), in standard deviations. The squares of a pair share R.
double correlation(const std::vector<double>& x, const std::vector<double>& y, size_t lag,
                   size_t step, bool squares) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i + lag < x.size(); i += step, ++count) {
        const double a = x[i], b = y[i + lag];
        sum += squares ? (a * a - 1) * (b * b - 1) / 2 : a * b;
    }
    return std::abs(sum) / std::sqrt(static_cast<double>(count));
}

// Neighbours, the sine and the cosine of a pair (one apart under tensorflow, eight under pytorch), and neighbouring blocks. The
// squares of 16 bits under pytorch have a mean that is not 1.
TEST_P(NormalStatistics, NeighboursAndPairsAreUncorrelated) {
    const std::vector<double> values = draw(2026, 15);
    for (const size_t lag : {1, 2, 3, 4, 8, 16}) {
        EXPECT_LT(correlation(values, values, lag, 1, false), kLimit) << lag;
        if (!is_coarse()) {
            EXPECT_LT(correlation(values, values, lag, 1, true), kLimit) << lag;
        }
    }
    // Pairs alone: elements 0 2 4 ... with the next, or 0 16 32 ... with the eighth.
    const bool pytorch = GetParam().alignment == tombola_alignment_pytorch;
    const size_t lag = pytorch ? 8 : 1, step = pytorch ? 16 : 2;
    EXPECT_LT(correlation(values, values, lag, step, false), kLimit);
    if (!is_coarse()) {
        EXPECT_LT(correlation(values, values, lag, step, true), kLimit);
    }
}

TEST_P(NormalStatistics, AdjacentSeedsAreUncorrelated) {
    const std::vector<double> values = draw(2027, 16);
    EXPECT_LT(correlation(values, draw(2028, 16), 0, 1, false), kLimit);
    if (GetParam().alignment == tombola_alignment_pytorch) return;  // has one seed
    EXPECT_LT(correlation(values, draw(2027, 17), 0, 1, false), kLimit);
}

INSTANTIATE_TEST_SUITE_P(EachCase, NormalStatistics, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tombola::test
