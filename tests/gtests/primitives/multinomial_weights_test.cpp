// SPDX-License-Identifier: Apache-2.0

// The weights of multinomial where arithmetic is hard: zeros, subnormal and giant weights, logits far apart, and the
// exponential that makes a weight of a logit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gtests/primitives/multinomial_fixture.hpp"

namespace tombola::test {
namespace {

TEST_F(Multinomial, ZeroWeightsAreNeverDrawn) {
    for (const auto type : kTypes)
        for (const bool log_probs : {false, true})
            for (const int64_t classes : {5, 100, 2000, 5003}) {
                std::vector<double> probs(static_cast<size_t>(classes), log_probs ? -kInf : 0.0);
                const int64_t only = classes / 2;
                probs[static_cast<size_t>(only)] = 0.5;
                if (!log_probs) probs[0] = -0.0;
                Problem p = problem(type, 1, 4, probs);
                p.request.log_probs = log_probs;
                p.request.uniforms = {0, 1, 0x1p-1074, 0.5};
                expect(p, {only, only, only, only});
                p.request.samples = 1;
                p.request.uniforms = {0};
                expect(p, {only});
            }
}

TEST_F(Multinomial, HardWeights) {
    for (const auto type : {tombola_bf16, tombola_f32, tombola_f64})
        for (const int64_t classes : {33, 600, 3000, 5003})
            for (const int64_t samples : {1, 5, 300}) {
                const auto n = static_cast<size_t>(classes);
                const double tiny = type == tombola_f64   ? 0x1p-1074
                                    : type == tombola_f32 ? 0x1p-149
                                                          : 0x1p-133;
                const double huge = type == tombola_f64 ? 0x1p1023 : 0x1p127;
                std::vector<std::vector<double>> rows(8, std::vector<double>(n));
                for (size_t k = 0; k < n; ++k) {
                    rows[0][k] = tiny * static_cast<double>(k % 5);  // subnormal alone
                    rows[1][k] = k == n / 3 ? 1 : tiny;              // one giant among subnormals
                    rows[2][k] = k == n / 3 ? huge : 1;              // one giant
                    rows[3][k] = 3;                                  // all equal
                    rows[4][k] = huge * (k % 2 == 0 ? 1 : 0.75);     // sums beyond the type
                    rows[5][k] = std::ldexp(1, -static_cast<int>(k % 130));  // every magnitude
                    rows[6][k] = k % 2 == 0 ? 0x1p-70 : tiny;                // small and subnormal
                    rows[7][k] = k % 3 == 0 ? -0.0 : static_cast<double>(k % 6);
                }
                for (size_t r = 0; r < rows.size(); ++r) {
                    Problem p = problem(type, 1, samples, rows[r]);
                    check(p, "row " + std::to_string(r));
                    p.request.with_replacement = false;
                    if (samples < classes) check(p, "without, row " + std::to_string(r));
                }
            }
}

// A weight that is subnormal beside one that is not: classes 0 and 1 have two thirds and one third.
TEST_F(Multinomial, SubnormalWeightsCountAsMuchAsTheyAre) {
    Problem p = problem(tombola_f64, 1, 4, {0x1p-1022, 0x1p-1023});
    p.request.uniforms = {0.6, 0.66, 0.67, 1};
    expect(p, {0, 0, 1, 1});
    p = problem(tombola_f64, 1, 4, {0x1p-1074, 0x1p-1073, 0x1p-1022});
    p.request.uniforms = {0, 0x1p-52, 0x1p-51, 0x1p-50};  // the sum is (2^52 + 3) * 2^-1074
    expect(p, {0, 1, 1, 2});
}

// The weights are integers below 2^60 of which the greatest is above 2^59, so they are their own quanta. With S, their sum, and A, that
// of classes 0 and 1, u * S is A + 2^-53. (Numbers of Python: m = pow(S, -1, 2**53), u = m / 2**53, A = m * S >> 53.)
TEST_F(Multinomial, ATargetIsRoundedUpHoweverLittleIsMissing) {
    Problem p =
        problem(tombola_f64, 1, 2, {0x964a2b918b89600p0, 0x1cp0, 0x69b5d46e803cb00p0, 0x39p0});
    const double u = 0x12c945723093fdp-53;
    p.request.uniforms = {u, std::nextafter(u, 0.0)};
    expect(p, {2, 0});
}

// The greatest weight decides how all are scaled, wherever it lies: blocks of 512 classes that have none, the least,
// or a weight that must be refused, before or after the greatest.
TEST_F(Multinomial, TheGreatestWeightAnywhere) {
    Noise noise(11);
    for (const auto type : kTypes)
        for (const double start : {0.0, 0x1p-20, 1.0})
            for (const double end : {0x1p-20, 1.0, 3.5})
                for (const double last : {1.0, -1.0})
                    for (const int classes : {2000, 6000}) {
                        std::vector<double> weights;
                        for (int k = 0; k < classes; ++k)
                            weights.push_back((k < classes / 4 * 3 ? start : end) *
                                              (1 + noise.next()) / 2);
                        weights.back() *= last;
                        Problem p = problem(type, 1, 5, weights);
                        check(p, std::to_string(start) + " then " + std::to_string(end));
                    }
}

// Whether the first block of a row has the greatest weight changes from row to row: rows are read in the way that was right for the row
// before. `late` has a bit for each row.
TEST_F(Multinomial, TheGreatestWeightElsewhereInEachRow) {
    constexpr int kRows = 4;
    for (const auto type : kTypes)
        for (const int classes : {1500, 6000})
            for (int late = 0; late < 1 << kRows; ++late)
                for (const double first : {0.0, 0x1p-70, 0x1p-10}) {
                    Noise noise(static_cast<uint64_t>(late));
                    std::vector<double> weights;
                    for (int row = 0; row < kRows; ++row)
                        for (int k = 0; k < classes; ++k) {
                            const bool is_great = (late >> row & 1) == (k < 512 ? 0 : 1);
                            weights.push_back((is_great ? 1 : first) * (1 + noise.next()) / 2);
                        }
                    Problem p = problem(type, kRows, 2, weights);
                    check(p, std::to_string(late));
                    weights.back() = -1;
                    p = problem(type, kRows, 2, weights);
                    check(p, "refused " + std::to_string(late));
                }
}

TEST_F(Multinomial, HardLogits) {
    for (const auto type : kTypes)
        for (const int64_t classes : {33, 600, 3000, 5003})
            for (const int64_t samples : {1, 5, 300}) {
                const auto n = static_cast<size_t>(classes);
                const double large = type == tombola_f64   ? 1e308
                                     : type == tombola_f16 ? 60000
                                                           : 3e38;
                std::vector<std::vector<double>> rows(6, std::vector<double>(n));
                for (size_t k = 0; k < n; ++k) {
                    rows[0][k] = k % 2 == 0 ? 10000 : -10000;
                    rows[1][k] = -10000 - static_cast<double>(k % 100);
                    rows[2][k] =
                        k % 7 == 0 ? -kInf
                                   : -87.0 * static_cast<double>(k % 12) / 11;  // to the threshold
                    rows[3][k] = k % 7 == 0 ? 0 : -708.0 - static_cast<double>(k % 3) + 1;
                    rows[4][k] = k % 2 == 0 ? large : -large;  // the difference overflows
                    rows[5][k] = 0;
                }
                for (size_t r = 0; r < rows.size(); ++r) {
                    Problem p = problem(type, 1, samples, rows[r]);
                    p.request.log_probs = true;
                    check(p, "row " + std::to_string(r));
                    p.request.with_replacement = false;
                    if (samples < classes) check(p, "without, row " + std::to_string(r));
                }
            }
}

// -- the exponential -------------------------------------------------------------------------------------------

// The bound of doc/multinomial.md, 1.25 units in the last place of e^d, against the C library in the next wider
// type, whose own error is below 2^-25 and 2^-10 of such a unit.
TEST(MultinomialExp, ErrorIsWithinItsBound) {
    double worst32 = 0;
    for (double d = 0; d >= -87; d -= 0x1.3p-14) {
        const auto x = static_cast<float>(d);
        const double exact = std::exp(static_cast<double>(x));
        const double unit = std::ldexp(1.0, std::ilogb(exact) - 23);
        worst32 = std::max(
            worst32, std::fabs(static_cast<double>(reference::weight_exp_f32(x)) - exact) / unit);
    }
    EXPECT_LE(worst32, 1.25);
    EXPECT_GE(worst32, 0.5);  // no comparison that sees nothing
    long double worst64 = 0;
    for (double d = 0; d >= -708; d -= 0x1.3p-11) {
        const double x = d * (1 - 0x1p-40);
        const long double exact = std::exp(static_cast<long double>(x));
        const long double unit = std::ldexp(1.0L, std::ilogb(exact) - 52);
        worst64 = std::max(
            worst64,
            std::fabs(static_cast<long double>(reference::weight_exp_f64(x)) - exact) / unit);
    }
    EXPECT_LE(worst64, 1.25L);
    EXPECT_GE(worst64, 0.5L);
}

TEST(MultinomialExp, EdgesAreExact) {
    EXPECT_EQ(reference::weight_exp_f32(0), 1);
    EXPECT_EQ(reference::weight_exp_f64(0), 1);
    EXPECT_EQ(reference::weight_exp_f32(-static_cast<float>(kInf)), 0);
    EXPECT_EQ(reference::weight_exp_f64(-kInf), 0);
    EXPECT_EQ(reference::weight_exp_f32(std::nextafter(-87.0f, -100.0f)), 0);
    EXPECT_EQ(reference::weight_exp_f64(std::nextafter(-708.0, -1000.0)), 0);
    EXPECT_GE(reference::weight_exp_f32(-87.0f), std::numeric_limits<float>::min());
    EXPECT_GE(reference::weight_exp_f64(-708.0), std::numeric_limits<double>::min());
}

}  // namespace
}  // namespace tombola::test
