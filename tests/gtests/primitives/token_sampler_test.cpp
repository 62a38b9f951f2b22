// SPDX-License-Identifier: Apache-2.0

// What token_sampler means, through the C API: by hand arithmetic, by the C library's functions, as multinomial over the set, by
// what a sample depends on, and by frequencies. token_sampler_cases_test.cpp compares with the reference of
// tests/reference, which is written from doc/token_sampler.md as a sort in exact integers.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "gtests/primitives/token_sampler_problems.hpp"
#include "reference/multinomial_reference.hpp"

namespace tombola::test {
namespace {

// -- hand arithmetic -------------------------------------------------------------------------------------------

// Four equal logits: each class has a quarter of the mass, exactly, and the order is that of the classes.
TEST_F(TokenSampler, EqualLogitsAreKeptInClassOrder) {
    struct Case {
        int32_t k;
        float p;
        int32_t kept;
    };
    for (const Case& c : {Case{0, 1, 4},
                          {0, 0.75f, 3},
                          {0, 0.5f, 2},
                          {0, 0.25f, 1},
                          {0, 0, 1},
                          {0, std::nextafter(0.5f, 1.0f), 3},
                          {0, std::nextafter(0.5f, 0.0f), 2},
                          {3, 1, 3},
                          {2, 0.5f, 1},
                          {1, 1, 1},
                          {9, 1, 4}}) {
        Problem p = problem(tombola_bf16, 1, 3, {7, 7, 7, 7});
        p.request.top_k = {c.k};
        p.request.top_p = {c.p};
        p.request.uniforms = {0, 0.5, 1};
        for_each_result(p, [&](const TokenSamplerResult& result) {
            EXPECT_EQ(result.kept[0], c.kept) << c.k << ' ' << c.p;
            EXPECT_EQ(result.ids, (std::vector<int64_t>{0, (c.kept + 1) / 2 - 1, c.kept - 1}));
        });
        p.request.filter_order = tombola_filter_order_joint;
        const int32_t joint =
            std::min(c.k == 0 ? 4 : c.k, static_cast<int32_t>(std::ceil(c.p * 4)));
        for_each_result(p, [&](const TokenSamplerResult& result) {
            EXPECT_EQ(result.kept[0], std::clamp(joint, 1, 4)) << c.k << ' ' << c.p;
        });
    }
}

// Probabilities 8/15, 4/15, 2/15, 1/15 but for rounding: the orders keep different sets.
TEST_F(TokenSampler, OrdersDiffer) {
    const auto ln2 = static_cast<float>(std::log(2.0));
    Problem p = problem(tombola_f32, 1, 1, {0, 3 * ln2, ln2, 2 * ln2});
    const auto kept = [&](tombola_filter_order_t order) {
        p.request.filter_order = order;
        std::set<int32_t> counts;  // of all implementations
        for_each_result(p,
                        [&](const TokenSamplerResult& result) { counts.insert(result.kept[0]); });
        EXPECT_EQ(counts.size(), 1u);
        return counts.empty() ? -1 : *counts.begin();
    };
    // top_k 2 leaves 2/3 and 1/3; 0.6 of that is one class, but 0.6 of the whole row needs two.
    p.request.top_k = {2};
    p.request.top_p = {0.6f};
    EXPECT_EQ(kept(tombola_filter_order_transformers), 1);
    EXPECT_EQ(kept(tombola_filter_order_vllm), 1);
    EXPECT_EQ(kept(tombola_filter_order_joint), 2);
    // min_p 0.2 keeps 8 and 4 and 2. Of those, top_p 0.85 needs two (12/14); of the whole row it needs three (14/15).
    p.request.top_k.clear();
    p.request.top_p = {0.85f};
    p.request.min_p = {0.2f};
    EXPECT_EQ(kept(tombola_filter_order_transformers), 3);
    EXPECT_EQ(kept(tombola_filter_order_vllm), 2);
    EXPECT_EQ(kept(tombola_filter_order_joint), 3);
    // At temperature 3 the ratios are 2, 1.59, 1.26, 1; temperature_last filters as if it were 1.
    p.request.temperature = {3};
    EXPECT_EQ(kept(tombola_filter_order_transformers), 4);
    EXPECT_EQ(kept(tombola_filter_order_temperature_last), 3);
}

TEST_F(TokenSampler, GreedyTakesTheFirstOfTheOrder) {
    Problem p = problem(tombola_f32, 3, 2, {1, 5, 5, 0, -0.0f, 0.0f, -kInf, -1, -9, -8, -8, -kInf});
    p.request.temperature = {0, 1, 0};
    p.request.top_k = {0, 1, 3};
    p.request.logprobs = tombola_logprobs_raw;
    for_each_result(p, [&](const TokenSamplerResult& result) {
        EXPECT_EQ(result.ids, (std::vector<int64_t>{1, 1, 0, 0, 1, 1}));
        EXPECT_EQ(result.kept, (std::vector<int32_t>{1, 1, 1}));
        // Row 0: 1 / (2 + e^-4 + e^-5); the last but half a unit of f32.
        const double row0 = -std::log(2 + std::exp(-4.0) + std::exp(-5.0));
        EXPECT_NEAR(result.logprobs[0], row0, 1e-6);
        EXPECT_NEAR(result.logprobs[2], -std::log(2 + std::exp(-1.0)), 1e-6);
    });
}

// Log probabilities against the C library's f64 functions. The f32 exponential has a relative error below 2^-22, and the
// result is rounded to f32 once.
TEST_F(TokenSampler, LogprobsAreLogarithmsOfProbabilities) {
    Noise noise(5);
    const std::vector<float> logits = row_of_kind(0, 1000, noise);
    for (const bool raw : {false, true}) {
        Problem p = problem(tombola_f32, 1, 50, logits);
        p.request.temperature = {0.8f};
        p.request.top_k = {100};
        p.request.logprobs = raw ? tombola_logprobs_raw : tombola_logprobs_processed;
        p.request.top_n = 100;
        std::vector<float> sorted = logits;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        double sum = 0;
        const double t = raw ? 1 : 0.8f;
        for (size_t i = 0; i < (raw ? sorted.size() : 100); ++i)
            sum += std::exp((sorted[i] - sorted[0]) / t);
        for_each_result(p, [&](const TokenSamplerResult& result) {
            for (size_t i = 0; i < 100; ++i)
                EXPECT_NEAR(result.top_logprobs[i], (sorted[i] - sorted[0]) / t - std::log(sum),
                            2e-5);
            for (size_t s = 0; s < 50; ++s) {
                const auto id = static_cast<size_t>(result.ids[s]);
                EXPECT_NEAR(result.logprobs[s], (logits[id] - sorted[0]) / t - std::log(sum), 2e-5);
            }
        });
    }
}

// -- against multinomial ---------------------------------------------------------------------------------------

// At temperature 1 the samples are those of multinomial from the same logits with -inf outside the set.
TEST_F(TokenSampler, IsMultinomialOverTheSet) {
    Noise noise(6);
    for (int i = 0; i < 300; ++i) {
        Problem p = random_problem(noise, 500);
        TokenSamplerRequest& r = p.request;
        r.temperature.clear();
        r.row_seeds = false;
        r.seeds = {7, static_cast<uint64_t>(i)};
        r.offset = {static_cast<uint64_t>(i) * 1000};
        const TokenSamplerResult expected = reference::token_sampler_reference(r, p.logits.data());
        if (!expected.refusal.empty() || r.samples == 0) continue;
        const size_t size = tombola_data_type_size(r.type);
        const std::vector<uint8_t> minus_infinity = to_bytes(r.type, {-kInf});
        std::vector<uint8_t> logits;
        for (int64_t row = 0; row < r.batch; ++row)
            for (int64_t k = 0; k < r.classes; ++k) {
                const auto& set = expected.sets[static_cast<size_t>(row)];
                const bool in = std::binary_search(set.begin(), set.end(), k);
                const uint8_t* value = &p.logits[static_cast<size_t>(row * r.classes + k) * size];
                const uint8_t* from = in ? value : minus_infinity.data();
                logits.insert(logits.end(), from, from + size);
            }
        PrimitiveDesc desc;
        const MemoryDesc src_md = row_major({r.batch, r.classes}, r.type);
        const MemoryDesc dst_md = row_major({r.batch, r.samples}, tombola_s64);
        ASSERT_EQ(tombola_multinomial_primitive_desc_create(desc.out(), engine_, src_md, dst_md, 1,
                                                            1, r.seeds[0], r.seeds[1], nullptr),
                  tombola_success);
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        std::vector<int64_t> drawn(static_cast<size_t>(r.batch * r.samples));
        const Memory src = memory_over(src_md, engine_, logits.data());
        const Memory dst = memory_over(dst_md, engine_, drawn.data());
        const Memory offset = memory_over(row_major({1}, tombola_u64), engine_, r.offset.data());
        const Memory uniforms = memory_over(row_major({r.batch, r.samples}, tombola_f64), engine_,
                                            r.uniforms.empty() ? nullptr : r.uniforms.data());
        std::vector<tombola_exec_arg_t> args{
            {TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}, {TOMBOLA_ARG_OFFSET, offset}};
        if (!r.uniforms.empty()) args.push_back({TOMBOLA_ARG_UNIFORMS, uniforms});
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, static_cast<int>(args.size()),
                                            args.data()),
                  tombola_success)
            << last_error();
        for_each_result(p, [&](const TokenSamplerResult& result) {
            EXPECT_EQ(result.ids, drawn) << "case " << i;
        });
        if (HasFailure()) return;
    }
}

// -- what a sample depends on ----------------------------------------------------------------------------------

// With a stream per row, a row alone gives what it gives in a batch: verification of speculative tokens.
TEST_F(TokenSampler, ARowDependsOnItsOwnArgumentsAlone) {
    Noise noise(7);
    constexpr int64_t kRows = 5, kClasses = 900;
    std::vector<std::vector<float>> rows;
    std::vector<float> logits;
    for (int64_t row = 0; row < kRows; ++row) {
        rows.push_back(row_of_kind(row % 3, kClasses, noise));
        logits.insert(logits.end(), rows.back().begin(), rows.back().end());
    }
    Problem batch = problem(tombola_f32, kRows, 2, logits);
    batch.request.row_seeds = true;
    batch.request.seeds.clear();
    for (uint64_t row = 0; row < kRows; ++row) {
        batch.request.seeds.insert(batch.request.seeds.end(), {42, 43});
        batch.request.offset.push_back(100 + 2 * row);
        batch.request.top_k.push_back(static_cast<int32_t>(10 * row));
        batch.request.temperature.push_back(row == 2 ? 0 : 0.5f + 0.2f * static_cast<float>(row));
    }
    for_each_result(batch, [&](const TokenSamplerResult& all) {
        for (size_t row = 0; row < kRows; ++row) {
            Problem one = problem(tombola_f32, 1, 2, rows[row]);
            one.request.seeds = {42, 43};
            one.request.offset = {batch.request.offset[row]};
            one.request.top_k = {batch.request.top_k[row]};
            one.request.temperature = {batch.request.temperature[row]};
            Problem source = one;
            const Outcome outcome = run(source, describe(source));
            ASSERT_EQ(outcome.status, tombola_success) << outcome.error;
            EXPECT_EQ(outcome.result.ids,
                      std::vector<int64_t>(all.ids.begin() + static_cast<int64_t>(2 * row),
                                           all.ids.begin() + static_cast<int64_t>(2 * row + 2)));
        }
        describe(batch);
    });
}

// With shared seeds OFFSET cuts a batch as it cuts multinomial's.
TEST_F(TokenSampler, OffsetCutsABatch) {
    Noise noise(8);
    std::vector<float> logits;
    for (int64_t row = 0; row < 6; ++row) {
        const std::vector<float> values = row_of_kind(row % 2, 100, noise);
        logits.insert(logits.end(), values.begin(), values.end());
    }
    const Problem whole = problem(tombola_f32, 6, 3, logits);
    for_each_result(whole, [&](const TokenSamplerResult& all) {
        Problem part = problem(tombola_f32, 4, 3, {logits.begin() + 200, logits.end()});
        part.request.offset = {2 * 3};
        const Outcome outcome = run(part, describe(part));
        ASSERT_EQ(outcome.status, tombola_success) << outcome.error;
        EXPECT_EQ(outcome.result.ids, std::vector<int64_t>(all.ids.begin() + 6, all.ids.end()));
        describe(whole);
    });
}

TEST_F(TokenSampler, ExtremeTemperatures) {
    for (const float t : {0x1p-64f, 0x1p-30f, 1e-3f, 0x1p64f, std::numeric_limits<float>::max()})
        for (const auto order : kOrders) {
            Problem p = problem(tombola_f32, 2, 40,
                                {-3e38f, 3e38f, 1, 2, -kInf, 0, 5, 5, 5, 4.9999995f, 5, 1});
            p.request.temperature = {t};
            p.request.filter_order = order;
            p.request.logprobs = tombola_logprobs_processed;
            check(p, std::to_string(t));
        }
}

// -- frequencies -----------------------------------------------------------------------------------------------

// Pearson's chi-square of 20,000 draws through filters, against exact probabilities, at the quantile 1 - 1e-6.
TEST_F(TokenSampler, FrequenciesFollowTheProbabilities) {
    std::vector<float> logits;
    for (int k = 0; k < 40; ++k) logits.push_back(static_cast<float>((k * 7) % 40) / 8);
    for (const auto order : kOrders) {
        constexpr int64_t kSamples = 20000;
        Problem p = problem(tombola_f32, 1, kSamples, logits);
        p.request.filter_order = order;
        p.request.temperature = {1.3f};
        p.request.top_k = {20};
        p.request.top_p = {0.95f};
        p.request.min_p = {0.03f};
        const TokenSamplerResult expected =
            reference::token_sampler_reference(p.request, p.logits.data());
        const auto& set = expected.sets[0];
        ASSERT_GE(set.size(), 8u);
        // Probabilities from the C library's exp, not from the reference's weights.
        std::vector<double> probability;
        for (const int64_t k : set)
            probability.push_back(
                std::exp(static_cast<double>(logits[static_cast<size_t>(k)]) / 1.3f));
        const double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
        for_each_result(p, [&](const TokenSamplerResult& result) {
            std::vector<double> counts(set.size());
            for (const int64_t id : result.ids) {
                const auto at = std::lower_bound(set.begin(), set.end(), id) - set.begin();
                ASSERT_EQ(set[static_cast<size_t>(at)], id);
                ++counts[static_cast<size_t>(at)];
            }
            double chi_square = 0;
            for (size_t i = 0; i < set.size(); ++i) {
                const double mean = kSamples * probability[i] / sum;
                chi_square += (counts[i] - mean) * (counts[i] - mean) / mean;
            }
            // Wilson and Hilferty's approximation of the quantile; z is that of the normal distribution.
            const auto n = static_cast<double>(set.size() - 1);
            const double z = 4.753, c = 2 / (9 * n);
            EXPECT_LT(chi_square, n * std::pow(1 - c + z * std::sqrt(c), 3));
        });
    }
}

// -- seeds -----------------------------------------------------------------------------------------------------

TEST_F(TokenSampler, SeedsZeroDrawFreshOnesAndTellThem) {
    constexpr int64_t kRows = 3, kSamples = 50;
    Problem p = problem(tombola_f32, kRows, kSamples, std::vector<float>(kRows * 1000, 0));
    for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
        SCOPED_TRACE(impl_name(desc));
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        std::vector<int64_t> ids(kRows * kSamples);
        uint64_t seeds[2 * kRows] = {0, 0, 5, 6, 0, 0};
        uint64_t used[2 * kRows] = {};
        const Memory src = memory_over(src_md_, engine_, p.logits.data());
        const Memory dst = memory_over(dst_md_, engine_, ids.data());
        const MemoryDesc pairs = row_major({kRows, 2}, tombola_u64);
        const Memory in = memory_over(pairs, engine_, seeds);
        const Memory out = memory_over(pairs, engine_, used);
        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src},
                                           {TOMBOLA_ARG_DST, dst},
                                           {TOMBOLA_ARG_SEEDS, in},
                                           {TOMBOLA_ARG_DST_SEEDS, out}};
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 4, args), tombola_success)
            << last_error();
        EXPECT_EQ(used[2], 5u);
        EXPECT_EQ(used[3], 6u);
        EXPECT_TRUE(used[0] != 0 || used[1] != 0);
        EXPECT_TRUE(used[0] != used[4] || used[1] != used[5]);
        Problem again = p;
        again.request.row_seeds = true;
        again.request.seeds.assign(used, used + 2 * kRows);
        EXPECT_EQ(reference::token_sampler_reference(again.request, p.logits.data()).ids, ids);
        // One pair cannot tell three.
        const Memory one = memory_over(row_major({2}, tombola_u64), engine_, used);
        const tombola_exec_arg_t wrong[] = {{TOMBOLA_ARG_SRC, src},
                                            {TOMBOLA_ARG_DST, dst},
                                            {TOMBOLA_ARG_SEEDS, in},
                                            {TOMBOLA_ARG_DST_SEEDS, one}};
        EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 4, wrong),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find("DST_SEEDS has 2 elements; expected 6"), std::string::npos)
            << last_error();
    });
}

}  // namespace
}  // namespace tombola::test
