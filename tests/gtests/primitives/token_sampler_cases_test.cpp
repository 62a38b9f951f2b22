// SPDX-License-Identifier: Apache-2.0

// token_sampler through the C API: every implementation of its list gives what the reference of tests/reference gives, for
// random problems, every kind of row, sets of many classes, work that threads share, and every layout.

#include "gtests/primitives/token_sampler_problems.hpp"

namespace tombola::test {
namespace {

TEST_F(TokenSampler, RandomCases) {
    Noise noise(1);
    int refused = 0;
    // All rows of the list are compared in the run under avx512_core; the others need not repeat all of it.
    const int cases = tombola_get_effective_cpu_isa() == tombola_cpu_isa_avx512_core ? 5000 : 500;
    for (int i = 0; i < cases; ++i) {
        const Problem p = random_problem(noise, i % 50 == 0 ? 9000 : 300);
        refused += reference::token_sampler_refusal(p.request, p.logits.data()).empty() ? 0 : 1;
        check(p, "case " + std::to_string(i));
        if (HasFatalFailure() || HasNonfatalFailure()) return;
    }
    EXPECT_LT(refused, cases / 5);  // masks that leave nothing, offsets at the end
}

// Enough classes that a selection takes every one of its ways, with k around all that it distinguishes.
TEST_F(TokenSampler, EveryKindOfRowAndManyClasses) {
    Noise noise(2);
    for (const int64_t classes : {513, 4097, 20000})
        for (int64_t kind = 0; kind < kKinds; ++kind) {
            Problem p =
                problem(kTypes[(kind + classes) % 3], 1, 2, row_of_kind(kind, classes, noise));
            p.request.logprobs = tombola_logprobs_processed;
            p.request.top_n = 5;
            for (const int32_t k : {1, 50, 600, 9000})
                for (const float top_p : {k == 600 ? 1.0f : 0.9f}) {
                    p.request.filter_order = kOrders[(kind + k) % 4];
                    p.request.top_k = {k};
                    p.request.top_p = {top_p};
                    check(p, "kind " + std::to_string(kind) + " k " + std::to_string(k));
                    if (HasFatalFailure()) return;
                }
            for (const float top_p : {0.1f, 0.9f, 0.9999f, 1.0f}) {
                p.request.top_k = {0};
                p.request.top_p = {top_p};
                p.request.temperature = {1.5f};
                check(p, "kind " + std::to_string(kind) + " without k");
                if (HasFatalFailure()) return;
            }
            p.request.temperature.clear();
            p.request.min_p = {0.05f};
            p.request.top_p.clear();
            check(p, "kind " + std::to_string(kind) + " min_p");
            if (HasFatalFailure()) return;
        }
}

// Numbers where one class ends and the next one begins, top_p where one set ends and the next one begins, and numbers that are a little
// greater or less: estimates of sums cannot decide them. Between these, numbers that they can.
TEST_F(TokenSampler, BordersOfClassesAndSets) {
    Noise noise(43);
    for (const size_t classes : {1000, 4096, 20000})
        for (const auto logprobs : {tombola_logprobs_none, tombola_logprobs_raw}) {
            constexpr int64_t kRows = 12, kSamples = 4;
            std::vector<float> logits;
            for (size_t i = 0; i < kRows * classes; ++i)
                logits.push_back(static_cast<float>(noise.next() * 3));
            Problem p = problem(tombola_f32, kRows, kSamples, logits);
            p.request.temperature = {0.5f};
            p.request.logprobs = logprobs;
            for (size_t row = 0; row < kRows; ++row) {
                std::vector<double> prefix;
                for (size_t k = 0; k < classes; ++k)
                    prefix.push_back((k == 0 ? 0 : prefix.back()) +
                                     std::exp(2 * static_cast<double>(logits[row * classes + k])));
                const auto k =
                    static_cast<size_t>(noise.pick(1, static_cast<int64_t>(classes) - 2));
                const double border = prefix[k] / prefix.back();
                const double middle = (prefix[k] + prefix[k + 1]) / 2 / prefix.back();
                for (const double u : {middle, border, border - 4e-8, border + 4e-8})
                    p.request.uniforms.push_back(row % 3 == 0 ? middle : u);
            }
            check(p, "classes " + std::to_string(classes));
            if (HasFatalFailure()) return;
        }

    // Of many borders, those that an f32 comes near. There is one such row for each, with 60 likely classes.
    constexpr size_t kClasses = 3000, kRows = 60;
    std::vector<float> logits, top_p;
    while (top_p.size() < kRows) {
        std::vector<float> row(kClasses, -25.0f);
        double all = 0, reached = 0;
        std::vector<double> likely;
        for (size_t k = 0; k < 60; ++k) {
            row[k * 41] = static_cast<float>(noise.next() * 8);
            likely.push_back(std::exp(static_cast<double>(row[k * 41])));
        }
        for (const float x : row) all += std::exp(static_cast<double>(x));
        std::sort(likely.rbegin(), likely.rend());
        for (const double w : likely) {
            const double border = (reached += w) / all;
            const auto nearest = static_cast<float>(border);
            if (std::abs(static_cast<double>(nearest) - border) > 2e-9) continue;
            top_p.push_back(nearest);
            logits.insert(logits.end(), row.begin(), row.end());
            break;
        }
    }
    for (const float min_p : {0.0f, 0.001f}) {
        Problem p = problem(tombola_f32, static_cast<int64_t>(top_p.size()), 2, logits);
        p.request.top_p = top_p;
        p.request.min_p = {min_p};
        check(p, "top_p at borders, min_p " + std::to_string(min_p));
        if (HasFatalFailure()) return;
    }
}

// Sets of so many classes that they are not listed: by top_k, by mass, by both, with min_p in every order; rows of equal and of
// nearly equal logits, of the whole range, and with -inf; more top classes than are listed.
TEST_F(TokenSampler, SetsOfManyClasses) {
    Noise noise(21);
    constexpr int64_t kClasses = 12345;
    struct Filters {
        int32_t k;
        float p, m;
    };
    const Filters kFilters[] = {
        {7000, 1, 0}, {9000, 0.8f, 0}, {0, 0.97f, 0}, {0, 0.9f, 0.3f}, {6000, 0.95f, 1e-4f}};
    int64_t at = 0;
    for (const int64_t kind : {1, 2, 3, 4, 7, 8, 9})
        for (const Filters& filters : kFilters) {
            Problem p = problem(kTypes[at % 3], 1, 3, row_of_kind(kind, kClasses, noise));
            p.request.filter_order = kOrders[at % 4];
            p.request.logprobs = static_cast<tombola_logprobs_t>(at % 3);
            p.request.top_n = at % 5 == 0 ? 5000 : 0;
            p.request.top_k = {filters.k};
            p.request.top_p = {filters.p};
            p.request.min_p = {filters.m};
            if (at % 4 != 0) p.request.temperature = {at % 2 == 0 ? 0.7f : 20.0f};
            check(p, "kind " + std::to_string(kind) + " case " + std::to_string(at));
            if (HasFatalFailure()) return;
            ++at;
        }
}

// Masks that allow fewer classes than are asked for, some of them -inf, in rows of any stride. Bits behind the last class are set.
TEST_F(TokenSampler, MoreTopClassesThanAreAllowed) {
    Noise noise(24);
    constexpr int64_t kClasses = 1003;
    for (const int64_t allowed : {1, 2, 10, 19, 20, 21}) {
        std::vector<float> logits = row_of_kind(0, 2 * kClasses, noise);
        Problem p = problem(kTypes[allowed % 3], 2, 3, logits);
        p.request.mask.assign(2 * ((kClasses + 31) / 32), 0);
        const size_t words = p.request.mask.size() / 2;
        for (size_t row = 0; row < 2; ++row) {
            for (int64_t i = 0; i < allowed; ++i) {
                const auto k = static_cast<size_t>(noise.pick(0, kClasses - 1));
                p.request.mask[row * words + k / 32] |= 1u << k % 32;
                if (i % 3 == 1) logits[row * kClasses + k] = -kInf;
            }
            p.request.mask[row * words + words - 1] |= ~0u << kClasses % 32;
        }
        p.logits = to_bytes(p.request.type, logits);
        p.request.top_n = 20;
        p.request.logprobs = tombola_logprobs_raw;
        check(p, std::to_string(allowed) + " allowed");
        p.src_strides = {1, 2};
        check(p, std::to_string(allowed) + " allowed, transposed");
        if (HasFatalFailure()) return;
    }
}

// The implementation guesses from 1,024 classes at equal distances where a set of many classes ends. Here these classes are
// unlike the others, so the guess is too low or too high. Logits of 0 have a neighbour in the order of floats, -0, that
// equals them.
TEST_F(TokenSampler, SampledClassesUnlikeTheOthers) {
    Noise noise(22);
    constexpr int64_t kClasses = 12345, kSampled = 1024;
    constexpr uint64_t kStep = (uint64_t{kClasses} << 32) / kSampled;
    for (const double level : {1.0, -3.0})
        for (const float odd : {0.0f, 4.0f, -5.0f, -kInf})
            for (const int filter : {0, 1, 2}) {
                std::vector<float> row(kClasses);
                for (float& x : row) x = static_cast<float>(level + 2 * noise.next());
                for (uint64_t i = 0; i < kSampled; ++i) row[(i * kStep + kStep / 2) >> 32] = odd;
                Problem p = problem(tombola_f32, 1, 50, row);
                p.request.logprobs = tombola_logprobs_processed;
                if (filter > 0) p.request.top_k = {6000};
                if (filter != 1) p.request.top_p = {0.7f};
                check(p, "level " + std::to_string(level) + " logit " + std::to_string(odd) +
                             " filter " + std::to_string(filter));
            }
}

// More top classes than the sample has above -inf: the set must not reach down to -inf, where the row's padding lies too. In the first row few
// classes of the sample are -inf, and no others, so the sample promises too many classes above it. In the second one a mask forbids nearly all.
TEST_F(TokenSampler, SampledClassesOfMinusInfinity) {
    constexpr int64_t kClasses = 16897, kSampled = 1024, kFinite = 994;
    std::vector<float> row(kClasses, -1);
    for (int64_t i = 0; i < kSampled; ++i)
        row[static_cast<size_t>((2 * i + 1) * kClasses / (2 * kSampled))] =
            i < kFinite ? static_cast<float>(2000 - i) : -kInf;
    for (const int32_t k : {1452, 5000, 16866, 16867, 16868}) {
        Problem p = problem(tombola_f32, 1, 20, row);
        p.request.top_k = {k};
        p.request.logprobs = tombola_logprobs_processed;
        check(p, std::to_string(k) + " of " + std::to_string(kClasses));
    }
    Noise noise(25);
    constexpr int64_t kMasked = 32001;
    for (const auto type : kTypes) {
        Problem p = problem(type, 1, 20, row_of_kind(0, kMasked, noise));
        p.request.mask.assign((kMasked + 31) / 32, 0);
        for (int i = 0; i < 100; ++i) {
            const auto k = static_cast<size_t>(noise.pick(0, kMasked - 1));
            p.request.mask[k / 32] |= 1u << k % 32;
        }
        p.request.top_k = {5000};
        check(p, "100 allowed of " + std::to_string(kMasked));
    }
}

// Sets that end in many equal logits, at, before or behind the place that the sample shows: a prefix of one of a few values,
// each of which has a part of the row.
TEST_F(TokenSampler, SetsThatEndInManyEqualLogits) {
    Noise noise(23);
    constexpr int64_t kClasses = 12345;
    for (const int64_t values : {1, 2, 4, 30})
        for (const float step : {1.0f, 0.001f})
            for (const float zero : {0.0f, -0.0f})
                for (const bool by_mass : {true, false})
                    for (const float part : {0.3f, 0.5f, 0.62f, 0.75f, 0.9f, 0.97f}) {
                        std::vector<float> row(kClasses);
                        for (float& x : row) {
                            const auto value = static_cast<float>(noise.pick(0, values - 1));
                            x = value == 1 ? zero : step * (value - 1);
                        }
                        Problem p = problem(tombola_f32, 1, 20, row);
                        if (by_mass)
                            p.request.top_p = {part};
                        else
                            p.request.top_k = {static_cast<int32_t>(part * kClasses)};
                        check(p, std::to_string(values) + " values, part " + std::to_string(part));
                        if (HasFatalFailure() || HasNonfatalFailure()) return;
                    }
}

// The greatest logits are the last ones, one step of f32 above all others, of which far more are listed than are kept.
TEST_F(TokenSampler, TheGreatestAreTheNextFloatAndComeLast) {
    constexpr size_t kClasses = 20000;
    for (const size_t kept : {1, 16, 40, 200}) {
        std::vector<float> row(kClasses, 1);
        for (size_t k = kClasses - kept; k < kClasses; ++k) row[k] = std::nextafter(1.0f, 2.0f);
        Problem p = problem(tombola_f32, 1, 2, row);
        p.request.top_k = {static_cast<int32_t>(kept)};
        p.request.uniforms = {0, 1};
        for_each_result(p, [&](const TokenSamplerResult& result) {
            EXPECT_EQ(result.kept[0], static_cast<int32_t>(kept));
            EXPECT_EQ(result.ids, (std::vector<int64_t>{static_cast<int64_t>(kClasses - kept),
                                                        static_cast<int64_t>(kClasses - 1)}));
        });
    }
}

// A logit 87 below the greatest has the least weight that is not 0. Many have it, and top_k keeps the first of them.
TEST_F(TokenSampler, TopKEndsAmongTheLeastWeights) {
    std::vector<float> row(20000, -87);
    row[0] = 0;
    Problem p = problem(tombola_f32, 1, 2, row);
    p.request.top_k = {5000};
    p.request.uniforms = {0, 1};
    for_each_result(p, [&](const TokenSamplerResult& result) {
        EXPECT_EQ(result.kept[0], 5000);
        EXPECT_EQ(result.ids, (std::vector<int64_t>{0, 4999}));
    });
}

// Most logits are equal, and three are greater. The difference to a great logit is rounded, so a few logits that are a little
// lower may have the same weight as the equal ones: they come after them in the order all the same.
TEST_F(TokenSampler, EqualLogitsBelowFewGreaterOnes) {
    constexpr size_t kClasses = 12345;
    for (const float level : {0.0f, 1.0f, -0.0078f})
        for (const size_t lower : {0, 3, 40})
            for (const float part : {0.3f, 0.5f, 0.95f, 0.9995f})
                for (const int filter : {0, 1, 2}) {
                    std::vector<float> row(kClasses, level);
                    for (const size_t k : {size_t{3}, kClasses / 3, kClasses - 1}) row[k] = 5;
                    for (size_t i = 0; i < lower; ++i)
                        row[i * 301 + 17] = std::nextafter(level, -1.0f);
                    Problem p = problem(tombola_f32, 1, 20, row);
                    p.request.logprobs = tombola_logprobs_processed;
                    if (filter != 1) p.request.top_p = {part};
                    if (filter != 0) p.request.top_k = {static_cast<int32_t>(part * kClasses)};
                    check(p, std::to_string(lower) + " lower, part " + std::to_string(part) +
                                 " filter " + std::to_string(filter));
                    if (HasFatalFailure() || HasNonfatalFailure()) return;
                }
}

// Enough work that threads share it, by rows and within a row. ctest runs this with one, two and three threads.
TEST_F(TokenSampler, WorkThatThreadsShare) {
    Noise noise(3);
    for (const auto& [batch, classes] : {std::pair<int64_t, int64_t>{300, 7000}, {1, 2100003}})
        for (const int mode : {0, 1, 2, 3}) {
            std::vector<float> logits;
            for (int64_t row = 0; row < batch; ++row) {
                const std::vector<float> values = row_of_kind(row % 3, classes, noise);
                logits.insert(logits.end(), values.begin(), values.end());
            }
            Problem p = problem(mode % 2 == 0 ? tombola_f32 : tombola_bf16, batch, 2, logits);
            if (mode == 0) p.request.temperature = {0};
            if (mode == 1) p.request.top_k = {40};
            if (mode == 2) p.request.top_p = {0.9f};
            if (mode == 3) p.request.temperature = {0.7f};
            check(p, std::to_string(batch) + "x" + std::to_string(classes));
            if (HasFatalFailure()) return;
        }
    // The lowest row is named, whichever thread sees its row first.
    std::vector<float> logits(300 * 4099, 1);
    logits[50 * 4099 + 7] = kNan;
    logits[31 * 4099 + 4098] = kInf;
    check(problem(tombola_f32, 300, 2, logits), "two bad rows");
}

TEST_F(TokenSampler, EveryLayout) {
    Noise noise(4);
    for (const auto type : kTypes) {
        std::vector<float> logits;
        for (int64_t row = 0; row < 3; ++row) {
            const std::vector<float> values = row_of_kind(0, 700, noise);
            logits.insert(logits.end(), values.begin(), values.end());
        }
        Problem p = problem(type, 3, 4, logits);
        p.request.top_k = {20};
        p.request.logprobs = tombola_logprobs_raw;
        p.request.top_n = 3;
        p.src_strides = {1, 3};
        p.dst_strides = {1, 3};
        check(p, "transposed");
        p.src_strides = {750, 1};
        p.dst_strides = {10, 1};
        check(p, "padded rows");
        p.src_strides = {3000, 4};
        p.dst_strides = {100, 2};
        check(p, "strided");
        p.block = 8;
        check(p, "in blocks");
    }
}

}  // namespace
}  // namespace tombola::test
