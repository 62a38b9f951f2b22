// SPDX-License-Identifier: Apache-2.0

// What multinomial refuses. The message names the place, and nothing is written.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gtests/primitives/multinomial_fixture.hpp"

namespace tombola::test {
namespace {

TEST_F(Multinomial, RefusesWithRowAndClass) {
    for (const auto type : kTypes)
        for (const bool log_probs : {false, true})
            for (const int64_t classes : {3, 40, 1500, 5003})
                for (const int64_t samples : {1, 3, 1000})
                    for (const int64_t bad_class : {int64_t{0}, classes / 2, classes - 1})
                        for (const double bad : {kNan, -kNan, kInf, -kInf, -1.0, -0x1p-24}) {
                            if (log_probs && !(std::isnan(bad) || bad == kInf)) continue;
                            if (classes > 5000 && samples > 1) continue;
                            std::vector<double> probs = varied(4, classes, log_probs, 9);
                            probs[static_cast<size_t>(2 * classes + bad_class)] = bad;
                            if (bad_class == 0) probs[static_cast<size_t>(3 * classes + 1)] = bad;
                            Problem p = problem(type, 4, samples, probs);
                            p.request.log_probs = log_probs;
                            check(p, std::to_string(bad));
                            p.request.with_replacement = false;
                            if (samples <= classes) check(p, "without " + std::to_string(bad));
                        }
}

// Generated code looks at the next row of logits while it sums a row, and stops at blocks that are far below the greatest logit.
// Whatever the next row has in any block is noticed: a NaN, and the greatest logit.
TEST_F(Multinomial, LogitsBehindARowOfBlocksFarBelow) {
    constexpr int64_t kClasses = 12 * 512, kBlock = 512;
    for (const auto type : {tombola_f32, tombola_bf16})
        for (const int64_t near_every : {2, 100})
            for (int64_t block = 0; block < kClasses / kBlock; ++block)
                for (const int64_t within : {int64_t{0}, kBlock - 17, kBlock - 1}) {
                    std::vector<double> logits(static_cast<size_t>(2 * kClasses), -1.0);
                    for (int64_t k = 1; k < kClasses; ++k)
                        if (k / kBlock % near_every != 0) logits[static_cast<size_t>(k)] = -80;
                    double& one = logits[static_cast<size_t>(kClasses + block * kBlock + within)];
                    for (const double value : {kNan, 40.0}) {
                        one = value;
                        Problem p = problem(type, 2, 1, logits);
                        p.request.log_probs = true;
                        check(p, std::to_string(value));
                    }
                }
}

TEST_F(Multinomial, RefusesRowsThatAreNoDistribution) {
    for (const auto type : kTypes)
        for (const bool log_probs : {false, true})
            for (const int64_t classes : {3, 1500})
                for (const int64_t samples : {1, 3, 1000}) {
                    std::vector<double> probs = varied(3, classes, log_probs, 9);
                    std::fill(probs.begin() + classes, probs.begin() + 2 * classes,
                              log_probs ? -kInf : 0.0);
                    Problem p = problem(type, 3, samples, probs);
                    p.request.log_probs = log_probs;
                    check(p, "zero row");
                    if (samples > classes) continue;
                    p.request.with_replacement = false;
                    check(p, "zero row, without");
                }
}

TEST_F(Multinomial, RefusesTooFewPositiveClasses) {
    for (const bool log_probs : {false, true})
        for (const int64_t classes : {10, 2000}) {
            std::vector<double> probs(static_cast<size_t>(2 * classes), log_probs ? -200.0 : 0.0);
            for (int64_t k = 0; k < 6; ++k) probs[static_cast<size_t>(k)] = 1;
            for (int64_t k = 0; k < 5; ++k) probs[static_cast<size_t>(classes + k)] = 1;
            Problem p = problem(tombola_f32, 2, 6, probs);
            p.request.log_probs = log_probs;
            p.request.with_replacement = false;
            check(p, "5 of 6");
            p = problem(tombola_f32, 2, 5, probs);
            p.request.log_probs = log_probs;
            p.request.with_replacement = false;
            check(p, "5 of 5");
        }
}

TEST_F(Multinomial, RefusesUniformsOutsideTheUnitInterval) {
    for (const double bad : {-0x1p-1074, 1 + 0x1p-52, kNan, kInf, -1.0}) {
        Problem p = problem(tombola_f32, 2, 3, {1, 2, 3, 4});
        p.request.uniforms = {0, 0.5, 1, 0.25, bad, 0.75};
        check(p, std::to_string(bad));
    }
    Problem p = problem(tombola_f32, 2, 1, {1, 2, 3, 4});
    p.request.uniforms = {-0.0, 1};
    expect(p, {0, 1});
}

// Samples are numbered by 64 bits.
TEST_F(Multinomial, OffsetsOfWhichSamplesPass64BitsAreRefused) {
    for (const bool with_replacement : {true, false}) {
        Problem p = problem(tombola_f32, 2, 3, varied(2, 300, false, 22));
        p.request.with_replacement = with_replacement;
        p.request.offset = 0 - uint64_t{6};
        check(p, "the last that 6 samples may have");
        ++p.request.offset;
        for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
            const Outcome outcome = run(p, desc);
            EXPECT_EQ(outcome.status, tombola_invalid_arguments) << impl_name(desc);
            EXPECT_NE(outcome.error.find("OFFSET is 18446744073709551611 for 6 elements; expected "
                                         "at most 18446744073709551610"),
                      std::string::npos)
                << outcome.error;
            EXPECT_TRUE(outcome.untouched);
        });
        // UNIFORMS takes the place of the stream, and with it of OFFSET.
        p.request.uniforms = {0, 0.2, 0.4, 0.6, 0.8, 1};
        check(p, "UNIFORMS");
    }
}

}  // namespace
}  // namespace tombola::test
