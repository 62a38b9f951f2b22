// SPDX-License-Identifier: Apache-2.0

// Batches of many rows of few classes. Generated code draws from 4, 8 or 16 of their rows at once (x64/lane_draws_test.cpp shows when).

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gtests/primitives/multinomial_fixture.hpp"

namespace tombola::test {
namespace {

struct Shape {
    int64_t batch, classes, samples;
};

std::string name_of(const Shape& shape) {
    return std::to_string(shape.batch) + "x" + std::to_string(shape.classes) + " " +
           std::to_string(shape.samples);
}

// Whole groups and rests, and both sides of the bounds on rows, classes and samples.
TEST_F(Multinomial, RowsOfFewClasses) {
    const Shape shapes[] = {
        {3, 6, 1},     {4, 6, 1},     {5, 1, 2},    {7, 2, 3},    {8, 18, 1},   {9, 18, 4},
        {15, 17, 1},   {16, 17, 32},  {17, 3, 32},  {17, 3, 33},  {20, 33, 2},  {31, 5, 5},
        {33, 64, 1},   {11, 127, 1},  {40, 128, 9}, {40, 129, 9}, {12, 256, 1}, {11, 256, 1},
        {20, 256, 32}, {20, 257, 32}, {70, 20, 17}, {70, 20, 20}, {19, 256, 2}, {17, 256, 100},
        {33, 250, 65}, {17, 128, 60}, {17, 20, 24}, {18, 20, 25}};
    for (const auto type : kTypes)
        for (const bool log_probs : {false, true})
            for (const bool with_replacement : {true, false})
                for (const Shape& shape : shapes) {
                    if (!with_replacement && shape.samples > shape.classes / 2) continue;
                    Problem p = problem(type, shape.batch, shape.samples,
                                        varied(shape.batch, shape.classes, log_probs, 41));
                    p.request.log_probs = log_probs;
                    p.request.with_replacement = with_replacement;
                    p.index_type = shape.classes % 2 == 0 ? tombola_s32 : tombola_s64;
                    p.request.offset = shape.classes % 3 == 0 ? 1234567 : 0;
                    check(p, std::to_string(type) + (log_probs ? " log " : " ") + name_of(shape) +
                                 (with_replacement ? "" : " without"));
                    if (HasFatalFailure()) return;
                }
}

TEST_F(Multinomial, RowsOfFewClassesInEveryLayout) {
    for (const auto type : kTypes)
        for (const bool with_replacement : {true, false})
            for (const Shape& shape : {Shape{9, 3, 1}, {21, 18, 1}, {21, 18, 5}, {40, 70, 3}}) {
                if (shape.samples > shape.classes) continue;
                Problem p = problem(type, shape.batch, shape.samples,
                                    varied(shape.batch, shape.classes, false, 43));
                p.request.with_replacement = with_replacement;
                p.src_strides = {1, shape.batch};
                p.dst_strides = {1, shape.batch};
                check(p, "transposed " + name_of(shape));
                p.src_strides = {shape.classes + 5, 1};
                p.dst_strides = {50, 1};
                check(p, "padded rows " + name_of(shape));
                p.src_strides = {4 * shape.classes + 20, 4};
                p.dst_strides = {100, 2};
                check(p, "strided " + name_of(shape));
                p.block = 16;
                check(p, "in blocks " + name_of(shape));
            }
}

// Each row has one class of positive weight. So a sample from another row's lane would be seen.
TEST_F(Multinomial, RowsWithASinglePositiveClass) {
    for (const auto type : kTypes)
        for (int64_t batch = 4; batch <= 20; ++batch)
            for (const int64_t classes : {1, 2, 7}) {
                std::vector<double> probs(static_cast<size_t>(batch * classes), 0.0);
                std::vector<int64_t> expected;
                for (int64_t row = 0; row < batch; ++row) {
                    const int64_t k = (3 * row + 1) % classes;
                    probs[static_cast<size_t>(row * classes + k)] = 0.25;
                    expected.insert(expected.end(), 2, k);
                }
                expect(problem(type, batch, 2, probs), expected);
            }
}

// Without replacement, until every class is drawn.
TEST_F(Multinomial, RowsOfFewClassesUntilNoneIsLeft) {
    for (const auto type : kTypes)
        for (const bool log_probs : {false, true})
            for (const int64_t classes : {5, 70, 128}) {
                std::vector<double> values = varied(17, classes, log_probs, 67);
                for (double& value : values)
                    value = log_probs ? std::fmax(value, -20) : std::fmax(value, 0x1p-20);
                Problem p = problem(type, 17, classes, values);
                p.request.log_probs = log_probs;
                p.request.with_replacement = false;
                check(p, std::to_string(classes));
            }
}

// Zeros of both signs, subnormals beside normal weights, and weights whose sum is beyond the type.
TEST_F(Multinomial, HardWeightsInManyRows) {
    constexpr int64_t kBatch = 37, kClasses = 33;
    for (const auto type : kTypes)
        for (const bool with_replacement : {true, false}) {
            const double tiny = type == tombola_f64   ? 0x1p-1074
                                : type == tombola_f32 ? 0x1p-149
                                : type == tombola_f16 ? 0x1p-24
                                                      : 0x1p-133;
            const double huge = type == tombola_f64   ? 0x1p1023
                                : type == tombola_f16 ? 0x1p15
                                                      : 0x1p127;
            std::vector<double> probs;
            for (int64_t row = 0; row < kBatch; ++row)
                for (int64_t k = 0; k < kClasses; ++k) {
                    const double kinds[] = {k == 11 ? 1 : tiny,
                                            k == 11 ? huge : 1,
                                            3,
                                            huge * (k % 2 == 0 ? 1 : 0.75),
                                            std::ldexp(1, -static_cast<int>(4 * k)),
                                            k % 3 == 0 ? -0.0 : static_cast<double>(k % 6)};
                    probs.push_back(kinds[row % 6]);
                }
            Problem p = problem(type, kBatch, 3, probs);
            p.request.with_replacement = with_replacement;
            p.request.offset = 0 - uint64_t{kBatch * 3};
            check(p, std::to_string(type));
        }
}

TEST_F(Multinomial, HardLogitsInManyRows) {
    constexpr int64_t kBatch = 37, kClasses = 33;
    for (const auto type : kTypes)
        for (const bool with_replacement : {true, false}) {
            const double large = type == tombola_f64 ? 1e308 : type == tombola_f16 ? 60000 : 3e38;
            std::vector<double> logits;
            for (int64_t row = 0; row < kBatch; ++row)
                for (int64_t k = 0; k < kClasses; ++k) {
                    const auto rest = static_cast<double>(k % 12);
                    const double kinds[] = {
                        k % 2 == 0 ? 10000.0 : -10000.0,
                        -10000 - rest,
                        k % 7 == 0 ? -kInf : -87.0 * rest / 11,
                        k % 7 == 0 ? 0 : -708.0 - static_cast<double>(k % 3) + 1,
                        k % 2 == 0 ? large : -large,
                        0};
                    logits.push_back(kinds[row % 6]);
                }
            Problem p = problem(type, kBatch, 3, logits);
            p.request.log_probs = true;
            p.request.with_replacement = with_replacement;
            check(p, std::to_string(type));
        }
}

// Subnormal weights, which only scalar code handles, of one row among others: the group is drawn row by row.
TEST_F(Multinomial, ATinyRowAmongOthers) {
    for (const auto type : {tombola_f32, tombola_bf16, tombola_f64})
        for (const int64_t tiny_row : {0, 5, 16, 36})
            for (const bool with_replacement : {true, false}) {
                std::vector<double> probs = varied(37, 18, false, 47);
                for (size_t k = 0; k < 18; ++k) {
                    double& value = probs[static_cast<size_t>(tiny_row) * 18 + k];
                    value = std::ldexp(value + 0.5, type == tombola_f64 ? -1060 : -130);
                }
                Problem p = problem(type, 37, 3, probs);
                p.request.with_replacement = with_replacement;
                check(p, std::to_string(tiny_row));
            }
}

// The lowest row is named, wherever it lies in its group, and whatever is wrong with later ones.
TEST_F(Multinomial, RefusesTheLowestOfManyRows) {
    constexpr int64_t kBatch = 37, kClasses = 18;
    for (const auto type : kTypes)
        for (const bool log_probs : {false, true})
            for (const int64_t row : {0, 3, 7, 8, 15, 16, 31, 32, 36})
                for (const double bad : {kNan, kInf, log_probs ? kNan : -1.0}) {
                    std::vector<double> probs = varied(kBatch, kClasses, log_probs, 53);
                    probs[static_cast<size_t>(row * kClasses + row % kClasses)] = bad;
                    probs.back() = kNan;
                    Problem p = problem(type, kBatch, 1, probs);
                    p.request.log_probs = log_probs;
                    check(p, std::to_string(row) + " " + std::to_string(bad));
                    // A row without a distribution.
                    for (int64_t k = 0; k < kClasses; ++k)
                        probs[static_cast<size_t>(row * kClasses + k)] = log_probs ? -kInf : 0.0;
                    p = problem(type, kBatch, 2, probs);
                    p.request.log_probs = log_probs;
                    check(p, std::to_string(row) + " nothing");
                }
}

// Without replacement, row 5 runs out of classes at a later sample than row 9. With 16 lanes both are in one group.
TEST_F(Multinomial, RefusesTheLowestRowThatRunsOutOfClasses) {
    constexpr int64_t kBatch = 20, kClasses = 8, kSamples = 6;
    std::vector<double> probs(kBatch * kClasses, 1.0);
    for (size_t k = 5; k < kClasses; ++k) probs[5 * kClasses + k] = 0;
    for (size_t k = 2; k < kClasses; ++k) probs[9 * kClasses + k] = 0;
    Problem p = problem(tombola_f32, kBatch, kSamples, probs);
    p.request.with_replacement = false;
    check(p, "two rows");
    p.request.samples = 5;
    check(p, "row 9 alone");
    p.request.samples = 2;
    check(p, "none");
}

// 1 is the end of the last class of positive weight, 0 the beginning of the first one.
TEST_F(Multinomial, UniformsOfManyRows) {
    Noise noise(59);
    for (const auto type : {tombola_f32, tombola_f64})
        for (const bool with_replacement : {true, false}) {
            Problem p = problem(type, 37, 4, varied(37, 18, false, 61));
            p.request.with_replacement = with_replacement;
            for (int i = 0; i < 37 * 4; ++i)
                p.request.uniforms.push_back(i % 5 == 0   ? 1
                                             : i % 5 == 1 ? 0
                                             : i % 5 == 2 ? std::ldexp(noise.next(), -i)
                                                          : noise.next());
            check(p, std::to_string(type));
        }
}

}  // namespace
}  // namespace tombola::test
