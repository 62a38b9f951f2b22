// SPDX-License-Identifier: Apache-2.0

// multinomial through the C API: every implementation of its list against the reference of tests/reference, and against
// the specification's own examples.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "gtests/primitives/multinomial_fixture.hpp"

namespace tombola::test {
namespace {

// -- the specification's example computations ------------------------------------------------------------------

// Example 1 for f64 and f16: in f32 0.1f + 0.5f is above 0.6 of the whole, so that u = 0.6 is class 2 there.
TEST_F(Multinomial, SpecificationExample1) {
    for (const auto type : {tombola_f64, tombola_f16}) {
        Problem p = problem(type, 1, 5, {0.1, 0.5, 0.4});
        p.request.uniforms = {0.2, 0.4, 0.6, 0.8, 1};
        expect(p, {1, 1, 1, 2, 2});
    }
}

// Example 2, with the last sample of row 2 as exact arithmetic on f64 weights has it: class 2.
TEST_F(Multinomial, SpecificationExample2) {
    Problem p = problem(tombola_f64, 2, 10, {-1, 1, 2, 50, 1, 21});
    p.request.log_probs = true;
    p.request.uniforms = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
                          0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    expect(p, {1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2});
}

// Example 3 as its own note has it, [[1, 0]], for the greatest f64 below its 0.2. The f64 0.2 itself is
// 1/5 + 2^-56.3, and the weights left are 0.1 and 0.4, in every type one fifth and four: 0.2 is above one fifth
// of their sum, hence class 2.
TEST_F(Multinomial, SpecificationExample3) {
    for (const auto type : kTypes) {
        Problem p = problem(type, 1, 2, {0.1, 0.5, 0.4});
        p.request.with_replacement = false;
        p.request.uniforms = {0.3, std::nextafter(0.2, 0.0)};
        expect(p, {1, 0});
        p.request.uniforms = {0.3, 0.2};
        expect(p, {1, 2});
    }
}

// -- against the reference -------------------------------------------------------------------------------------

TEST_F(Multinomial, EveryTypeAndShape) {
    struct Shape {
        int64_t batch, classes, samples;
    };
    const Shape shapes[] = {
        {1, 1, 1},    {3, 2, 2},      {2, 15, 3},   {3, 16, 16},     {2, 17, 5},     {1, 31, 200},
        {4, 33, 7},   {3, 511, 1},    {3, 512, 4},  {3, 513, 9},     {2, 1000, 1},   {3, 1025, 70},
        {2, 100, 99}, {1, 257, 1030}, {2, 4099, 2}, {1, 5000, 2049}, {2, 12345, 96}, {5, 16, 1},
        {9, 18, 16},  {9, 18, 17},    {3, 496, 16}, {3, 512, 17}};
    for (const auto type : kTypes)
        for (const bool log_probs : {false, true})
            for (const bool with_replacement : {true, false})
                for (const Shape& shape : shapes) {
                    if (!with_replacement && shape.samples > shape.classes) continue;
                    Problem p = problem(type, shape.batch, shape.samples,
                                        varied(shape.batch, shape.classes, log_probs, 7));
                    p.request.log_probs = log_probs;
                    p.request.with_replacement = with_replacement;
                    p.index_type = shape.classes % 2 == 0 ? tombola_s32 : tombola_s64;
                    p.use_seeds_argument = shape.classes % 3 == 0;
                    p.request.offset = shape.classes % 5 == 0 ? 12345678901 : 0;
                    check(p, std::to_string(type) + (log_probs ? " log " : " ") +
                                 std::to_string(shape.batch) + "x" + std::to_string(shape.classes) +
                                 " " + std::to_string(shape.samples) +
                                 (with_replacement ? "" : " without"));
                    if (HasFatalFailure()) return;
                }
}

// Enough work that threads share it, by rows and within a row. ctest runs this with one, two and three threads,
// and the reference has one.
TEST_F(Multinomial, WorkThatThreadsShare) {
    struct Shape {
        int64_t batch, classes, samples;
    };
    for (const Shape& shape : {Shape{260, 4099, 2},
                               {20000, 18, 3},
                               {1, 520021, 8200},
                               {7, 1000, 80000},
                               {1, 700, 260001},
                               {1, 1600011, 3},
                               {2, 540001, 70}})
        for (const bool log_probs : {false, true})
            for (const bool with_replacement : {true, false}) {
                if (!with_replacement && shape.samples > 100) continue;
                Problem p = problem(tombola_f32, shape.batch, shape.samples,
                                    varied(shape.batch, shape.classes, log_probs, 17));
                p.request.log_probs = log_probs;
                p.request.with_replacement = with_replacement;
                check(p, std::to_string(shape.batch) + "x" + std::to_string(shape.classes));
            }
    // Without replacement and with more samples than one for 128 classes, threads share a whole tree of one row. Most
    // samples are of the first classes, where the reference finds them soon.
    Noise noise(23);
    for (const bool log_probs : {false, true}) {
        constexpr int64_t kClasses = 540001, kSamples = 4300;
        Problem p = problem(tombola_f32, 1, kSamples, varied(1, kClasses, log_probs, 29));
        p.request.log_probs = log_probs;
        p.request.with_replacement = false;
        for (int64_t s = 0; s < kSamples; ++s)
            p.request.uniforms.push_back(s % 20 == 0 ? noise.next() : noise.next() / 64);
        check(p, "a tree");
    }
    // The lowest row is named, whichever thread sees its row first.
    std::vector<double> probs(300 * 4099, 1);
    probs[50 * 4099 + 7] = kNan;
    probs[31 * 4099 + 4098] = -1;
    check(problem(tombola_f32, 300, 2, probs), "two bad rows");
    // One reader of UNIFORMS for each part of the rows. 1 is the end of the last class.
    Problem given = problem(tombola_f32, 20000, 2, varied(20000, 16, false, 31));
    for (int64_t s = 0; s < 20000 * 2; ++s)
        given.request.uniforms.push_back(s % 7 == 0 ? 1 : noise.next());
    check(given, "uniforms of short rows");
    probs.assign(20000 * 18, 1);
    probs[19000 * 18 + 17] = kNan;
    probs[9000 * 18] = -1;
    check(problem(tombola_f32, 20000, 2, probs), "two bad short rows");
}

// Numbers where one class ends and the next one begins, and numbers that are a little greater or less: estimates of sums cannot decide them.
// Between these, numbers that they can.
TEST_F(Multinomial, BordersOfClasses) {
    Noise noise(41);
    for (const bool log_probs : {false, true})
        for (const size_t classes : {1000, 4096, 20000, 70001}) {
            constexpr size_t kRows = 12, kSamples = 4;
            std::vector<double> probs = varied(kRows, static_cast<int64_t>(classes), log_probs, 47);
            Problem p = problem(tombola_f32, kRows, kSamples, probs);
            p.request.log_probs = log_probs;
            for (size_t row = 0; row < kRows; ++row) {
                std::vector<double> prefix(classes);
                double reached = 0;
                for (size_t k = 0; k < classes; ++k) {
                    const auto x =
                        static_cast<double>(static_cast<float>(probs[row * classes + k]));
                    prefix[k] = reached += log_probs ? std::exp(x) : x;
                }
                const size_t k =
                    1 + static_cast<size_t>(noise.next() * static_cast<double>(classes - 2));
                const double border = prefix[k] / reached;
                const double middle = (prefix[k] + prefix[k + 1]) / 2 / reached;
                for (const double u : {middle, border, border - 4e-8, border + 4e-8})
                    p.request.uniforms.push_back(row % 3 == 0 ? middle : u);
            }
            check(p, (log_probs ? "log " : "") + std::to_string(classes));
            if (HasFatalFailure()) return;
        }
}

TEST_F(Multinomial, EveryLayout) {
    for (const auto type : {tombola_f32, tombola_bf16})
        for (const bool with_replacement : {true, false})
            for (const int64_t classes : {70, 700})
                for (const int64_t samples : {1, 3, 40}) {
                    Problem p = problem(type, 3, samples, varied(3, classes, true, 3));
                    p.request.log_probs = true;
                    p.request.with_replacement = with_replacement;
                    p.src_strides = {1, 3};
                    p.dst_strides = {1, 3};
                    check(p, "transposed");
                    p.src_strides = {classes + 5, 1};
                    p.dst_strides = {50, 1};
                    check(p, "padded rows");
                    p.src_strides = {4 * classes + 20, 4};
                    p.dst_strides = {100, 2};
                    check(p, "strided");
                    p.block = 16;
                    check(p, "in blocks");
                }
}

TEST_F(Multinomial, UniformsOfEveryMagnitude) {
    std::vector<double> uniforms = {0,       1,           0x1p-1074,           0x1p-1022, 0x1p-200,
                                    0x1p-62, 0x1p-61,     0x1.8p-53,           0.5,       1.0 / 3,
                                    0x1p-52, 1 - 0x1p-53, 0x1.fffffffffffffp-2};
    Noise noise(5);
    for (int i = 0; i < 500; ++i) uniforms.push_back(std::ldexp(noise.next(), -(i % 70)));
    for (const bool log_probs : {false, true})
        for (const int64_t classes : {1, 7, 50, 3000, 70000}) {
            Problem p = problem(tombola_f32, 1, static_cast<int64_t>(uniforms.size()),
                                varied(1, classes, log_probs, 11));
            p.request.log_probs = log_probs;
            p.request.uniforms = uniforms;
            check(p, std::to_string(classes));
        }
}

TEST_F(Multinomial, MoreClassesThanF32CanCount) {
    const int64_t classes = (1 << 24) + 37;
    for (const bool log_probs : {false, true}) {
        std::vector<double> probs(static_cast<size_t>(classes), log_probs ? -1.0 : 0.25);
        for (size_t k = 0; k < probs.size(); k += 3) probs[k] *= 0.5;
        Problem p = problem(tombola_f32, 1, 6, probs);
        p.request.log_probs = log_probs;
        p.request.uniforms = {0, 1, 0.999999999, 0.5, 1e-9, 0.3};
        check(p, "with replacement");
        p.request.with_replacement = false;
        check(p, "without replacement");
    }
    // All equal: class floor(u * classes), hand arithmetic.
    Problem p = problem(tombola_f32, 1, 3, std::vector<double>(static_cast<size_t>(classes), 1.0));
    p.request.uniforms = {0, 1, (16777216.0 + 20.5) / static_cast<double>(classes)};
    expect(p, {0, classes - 1, 16777236});
}

// -- the stream ------------------------------------------------------------------------------------------------

TEST_F(Multinomial, OffsetCutsABatch) {
    const int64_t classes = 300;
    for (const bool with_replacement : {true, false})
        for (const int64_t samples : {1, 3, 64}) {
            const std::vector<double> probs = varied(5, classes, false, 21);
            Problem whole = problem(tombola_f32, 5, samples, probs);
            whole.request.with_replacement = with_replacement;
            Problem first =
                problem(tombola_f32, 2, samples, {probs.begin(), probs.begin() + 2 * classes});
            Problem second =
                problem(tombola_f32, 3, samples, {probs.begin() + 2 * classes, probs.end()});
            first.request.with_replacement = second.request.with_replacement = with_replacement;
            second.request.offset = static_cast<uint64_t>(2 * samples);
            std::vector<int64_t> joined = run(first, describe(first)).indices;
            const std::vector<int64_t> rest = run(second, describe(second)).indices;
            joined.insert(joined.end(), rest.begin(), rest.end());
            expect(whole, joined);
        }
}

// -- without replacement ---------------------------------------------------------------------------------------

TEST_F(Multinomial, WithoutReplacementEveryClassComesOnce) {
    const int64_t classes = 777;
    std::vector<double> logits;
    Noise noise(2);
    for (int64_t i = 0; i < 2 * classes; ++i) logits.push_back(20 * noise.next());
    Problem p = problem(tombola_f32, 2, classes, logits);
    p.request.log_probs = true;
    p.request.with_replacement = false;
    std::vector<int64_t> all(static_cast<size_t>(classes));
    std::iota(all.begin(), all.end(), 0);
    for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
        std::vector<int64_t> indices = run(p, desc).indices;
        ASSERT_EQ(indices.size(), static_cast<size_t>(2 * classes));
        for (int row = 0; row < 2; ++row) {
            const auto begin = indices.begin() + row * classes;
            std::sort(begin, begin + classes);
            EXPECT_TRUE(std::equal(all.begin(), all.end(), begin)) << impl_name(desc);
        }
    });
}

// Few samples, all of which come from three blocks of classes. There are enough positive weights, or one too few.
TEST_F(Multinomial, WithoutReplacementFromAFewBlocks) {
    for (const bool log_probs : {false, true})
        for (const int64_t samples : {2, 99, 100, 101}) {
            std::vector<double> values(2 * 20001, log_probs ? -kInf : 0.0);
            for (size_t row = 0; row < 2; ++row)
                for (size_t k = 0; k < 100; ++k)
                    values[row * 20001 + (k < 90 ? 700 + k : 19991 + k - 90)] =
                        static_cast<double>(k % 7 + 1);
            Problem p = problem(tombola_f32, 2, samples, values);
            p.request.log_probs = log_probs;
            p.request.with_replacement = false;
            check(p, std::to_string(samples));
        }
}

// -- the distribution ------------------------------------------------------------------------------------------

// Chi-square with fixed seeds. The quantile at 1 - 1e-6 of chi-square with d degrees of freedom is below
// d + 5 * sqrt(2 d) + 30 (Laurent and Massart's bound, 2000: d + 2 sqrt(d x) + 2 x with x = ln 1e6 = 13.8).
double chi_square(const std::vector<int64_t>& indices, const std::vector<double>& weights) {
    std::vector<double> counts(weights.size(), 0);
    for (const int64_t index : indices) counts[static_cast<size_t>(index)] += 1;
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    double chi = 0;
    for (size_t k = 0; k < weights.size(); ++k) {
        const double expected = static_cast<double>(indices.size()) * weights[k] / sum;
        chi += (counts[k] - expected) * (counts[k] - expected) / expected;
    }
    return chi;
}

TEST_F(Multinomial, FrequenciesFollowTheWeights) {
    for (const int64_t classes : {2, 10, 200}) {
        std::vector<double> weights;
        for (int64_t k = 0; k < classes; ++k) weights.push_back(1 + static_cast<double>(k % 9));
        Problem p = problem(tombola_f32, 1, 200000, weights);
        const auto d = static_cast<double>(classes - 1);
        const double bound = d + 2 * std::sqrt(d * 13.8) + 27.6;
        for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
            EXPECT_LT(chi_square(run(p, desc).indices, weights), bound) << impl_name(desc);
        });
    }
}

// Without replacement, two of three classes with weights 1, 2, 3: P(i then j) = w_i / 6 * w_j / (6 - w_i).
TEST_F(Multinomial, PairsWithoutReplacementFollowTheWeights) {
    const int64_t rows = 60000;
    std::vector<double> probs;
    for (int64_t row = 0; row < rows; ++row) probs.insert(probs.end(), {1, 2, 3});
    Problem p = problem(tombola_f32, rows, 2, probs);
    p.request.with_replacement = false;
    std::vector<double> weights;
    for (const double i : {1.0, 2.0, 3.0})
        for (const double j : {1.0, 2.0, 3.0})
            if (i != j) weights.push_back(i / 6 * j / (6 - i));
    for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
        const std::vector<int64_t> drawn = run(p, desc).indices;
        std::vector<int64_t> pairs;
        for (size_t row = 0; row < static_cast<size_t>(rows); ++row) {
            const int64_t i = drawn[2 * row];
            const int64_t j = drawn[2 * row + 1];
            ASSERT_NE(i, j);
            pairs.push_back(2 * i + (j > i ? j - 1 : j));
        }
        EXPECT_LT(chi_square(pairs, weights), 5 + 2 * std::sqrt(5 * 13.8) + 27.6)
            << impl_name(desc);
    });
}

// -- the seeds -------------------------------------------------------------------------------------------------

TEST_F(Multinomial, SeedsZeroDrawFreshOnesAndTellThem) {
    Problem p = problem(tombola_f32, 1, 50, varied(1, 100000, false, 4));
    p.request.global_seed = p.request.op_seed = 0;
    const PrimitiveDesc desc = describe(p);
    std::vector<int64_t> runs[2];
    for (auto& indices : runs) {
        Tensor src(src_md_, engine_);
        Tensor dst(dst_md_, engine_);
        src.write(p.probs);
        uint64_t seeds[2] = {0, 0};
        const Memory seeds_memory = memory_over(row_major({2}, tombola_u64), engine_, seeds);
        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src.memory()},
                                           {TOMBOLA_ARG_DST, dst.memory()},
                                           {TOMBOLA_ARG_DST_SEEDS, seeds_memory}};
        Primitive primitive;
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 3, args), tombola_success)
            << last_error();
        indices = dst.read_as<int64_t>();
        MultinomialRequest again = p.request;
        again.global_seed = seeds[0];
        again.op_seed = seeds[1];
        std::vector<int64_t> expected;
        ASSERT_EQ(reference::multinomial_reference(again, p.probs.data(), expected), "");
        EXPECT_EQ(indices, expected);
    }
    EXPECT_NE(runs[0], runs[1]);  // 50 of 100,000 classes: equal by chance once in 10^200 or more
}

// UNIFORMS takes the place of the stream: seeds (0, 0) draw nothing, and DST_SEEDS has the seeds as they were given. UNIFORMS of no
// samples has no memory, but it is given.
class SeedsBesideUniforms : public Multinomial, public testing::WithParamInterface<int64_t> {};
TEST_P(SeedsBesideUniforms, AreReportedAsTheyWereGiven) {
    const int64_t samples = GetParam();
    Problem p = problem(tombola_f32, 1, samples, {1, 2, 3});
    p.request.global_seed = p.request.op_seed = 0;
    for_each_implementation(describe(p), [&](const_tombola_primitive_desc_t desc) {
        Tensor src(src_md_, engine_);
        Tensor dst(dst_md_, engine_);
        src.write(p.probs);
        double uniforms[2] = {0.1, 0.9};
        const Memory uniforms_memory = memory_over(row_major({1, samples}, tombola_f64), engine_,
                                                   samples == 0 ? nullptr : uniforms);
        using Pair = std::array<uint64_t, 2>;
        for (Pair given : {Pair{0, 0}, Pair{5, 6}}) {
            Pair used = {1, 1};
            const MemoryDesc pair = row_major({2}, tombola_u64);
            const Memory seeds_memory = memory_over(pair, engine_, given.data());
            const Memory used_memory = memory_over(pair, engine_, used.data());
            const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src.memory()},
                                               {TOMBOLA_ARG_DST, dst.memory()},
                                               {TOMBOLA_ARG_UNIFORMS, uniforms_memory},
                                               {TOMBOLA_ARG_DST_SEEDS, used_memory},
                                               {TOMBOLA_ARG_SEEDS, seeds_memory}};
            Primitive primitive;
            ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 5, args), tombola_success)
                << last_error();
            EXPECT_EQ(used, given) << impl_name(desc);
            // Without SEEDS, the descriptor's (0, 0).
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 4, args), tombola_success)
                << last_error();
            EXPECT_EQ(used, (Pair{0, 0})) << impl_name(desc);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Multinomial, SeedsBesideUniforms, testing::Values(2, 0));

TEST_F(Multinomial, EmptyTensorsAreLeftAlone) {
    for (const auto& [batch, samples] : {std::pair<int64_t, int64_t>{0, 4}, {3, 0}}) {
        Problem p = problem(tombola_f32, 1, samples, {1, 2, 3});
        p.request.batch = batch;
        p.probs.resize(static_cast<size_t>(batch) * 12);
        expect(p, {});
    }
}

}  // namespace
}  // namespace tombola::test
