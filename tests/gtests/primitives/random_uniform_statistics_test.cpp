// SPDX-License-Identifier: Apache-2.0

// Statistics of random_uniform's numbers, alignment tensorflow, with fixed seeds: what is computed here
// is the same at every run.
//
// Each statistic is compared with its expectation under independent uniform numbers, in units of its standard
// deviation. There are about 60 of them; a deviation of more than 4.5 has a probability of 7e-6 each.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "gtests/common/handles.hpp"

namespace tombola::test {
namespace {

constexpr double kLimit = 4.5;
constexpr size_t kCount = size_t{1} << 20;

struct TypeCase {
    tombola_data_type_t type;
    const char* name;
    int bits;  // random bits of a value in [0, 1); for integers, of the range
};
constexpr TypeCase kCases[] = {{tombola_f16, "f16", 10}, {tombola_bf16, "bf16", 7},
                               {tombola_f32, "f32", 23}, {tombola_f64, "f64", 52},
                               {tombola_s32, "s32", 30}, {tombola_s64, "s64", 52}};

class Statistics : public testing::TestWithParam<TypeCase> {
  protected:
    // Values as multiples of 2^-bits in [0, 1).
    std::vector<double> draw(uint64_t global_seed, uint64_t op_seed) const {
        const tombola_data_type_t type = GetParam().type;
        const size_t size = tombola_data_type_size(type);
        const MemoryDesc dst = row_major({kCount}, type), scalar = row_major({1}, type);
        PrimitiveDesc desc;
        EXPECT_EQ(tombola_random_uniform_primitive_desc_create(
                      desc.out(), engine_, tombola_alignment_tensorflow, dst, global_seed, op_seed,
                      tombola_int_draws_spec, nullptr),
                  tombola_success)
            << last_error();
        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        uint64_t min = 0, max = 0;
        set_one(&max);
        std::vector<uint8_t> bytes(kCount * size);
        const Memory min_memory = memory_over(scalar, engine_, &min);
        const Memory max_memory = memory_over(scalar, engine_, &max);
        const Memory out = memory_over(dst, engine_, bytes.data());
        const tombola_exec_arg_t args[] = {
            {TOMBOLA_ARG_MIN, min_memory}, {TOMBOLA_ARG_MAX, max_memory}, {TOMBOLA_ARG_DST, out}};
        EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 3, args), tombola_success)
            << last_error();
        std::vector<double> values(kCount);
        for (size_t i = 0; i < kCount; ++i) values[i] = to_unit(&bytes[i * size]);
        return values;
    }

    void set_one(void* max) const {
        const int bits = GetParam().bits;
        const uint16_t f16_one = 0x3C00, bf16_one = 0x3F80;
        const float f32_one = 1;
        const double f64_one = 1;
        const int32_t s32_range = static_cast<int32_t>(int64_t{1} << (bits & 31));
        const int64_t s64_range = int64_t{1} << bits;
        switch (GetParam().type) {
            case tombola_f16:
                std::memcpy(max, &f16_one, sizeof f16_one);
                break;
            case tombola_bf16:
                std::memcpy(max, &bf16_one, sizeof bf16_one);
                break;
            case tombola_f32:
                std::memcpy(max, &f32_one, sizeof f32_one);
                break;
            case tombola_f64:
                std::memcpy(max, &f64_one, sizeof f64_one);
                break;
            case tombola_s32:
                std::memcpy(max, &s32_range, sizeof s32_range);
                break;
            default:
                std::memcpy(max, &s64_range, sizeof s64_range);
        }
    }

    double to_unit(const uint8_t* bytes) const {
        const auto as = [&](auto value) {
            std::memcpy(&value, bytes, sizeof value);
            return value;
        };
        const double scale = std::ldexp(1.0, -GetParam().bits);
        switch (GetParam().type) {
            case tombola_f16: {
                const uint16_t bits = as(uint16_t{});
                const int exponent = bits >> 10, fraction = bits & 0x3FF;
                return exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(fraction + 1024, exponent - 25);
            }
            case tombola_bf16: {
                const uint32_t bits = uint32_t{as(uint16_t{})} << 16;
                float value;
                std::memcpy(&value, &bits, sizeof value);
                return value;
            }
            case tombola_f32:
                return as(float{});
            case tombola_f64:
                return as(double{});
            case tombola_s32:
                return as(int32_t{}) * scale;
            default:
                return static_cast<double>(as(int64_t{})) * scale;
        }
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

// Of k / N, k uniform in 0 ... N - 1: mean (1 - 1/N) / 2, variance (1 - 1/N^2) / 12. The variance of the squared
// deviation is 1/80 - 1/144 = 1/180, up to terms of 1/N^2.
TEST_P(Statistics, Moments) {
    const std::vector<double> values = draw(2022, 11);
    const double n = static_cast<double>(kCount), step = std::ldexp(1.0, -GetParam().bits);
    const double mean = (1 - step) / 2, variance = (1 - step * step) / 12;
    double sum = 0, squares = 0;
    for (const double value : values) {
        EXPECT_TRUE(0 <= value && value < 1);
        sum += value - mean;
        squares += (value - mean) * (value - mean) - variance;
    }
    EXPECT_LT(std::abs(sum) / std::sqrt(n * variance), kLimit);
    EXPECT_LT(std::abs(squares) / std::sqrt(n / 180), kLimit);
}

// Chi-square of the lowest bits, up to 8, and of the highest: mean df, variance about 2 df.
TEST_P(Statistics, LowestAndHighestBits) {
    const std::vector<double> values = draw(2023, 12);
    const int bits = GetParam().bits, used = std::min(bits, 8);
    const size_t bins = size_t{1} << used;
    std::vector<double> low(bins), high(bins);
    for (const double value : values) {
        const auto k = static_cast<uint64_t>(std::ldexp(value, bits));
        low[k % bins] += 1;
        high[k >> (bits - used)] += 1;
    }
    const double each = static_cast<double>(kCount) / static_cast<double>(bins);
    for (const auto* counts : {&low, &high}) {
        double chi_square = 0;
        for (const double count : *counts) chi_square += (count - each) * (count - each) / each;
        const double df = static_cast<double>(bins - 1);
        EXPECT_LT(std::abs(chi_square - df) / std::sqrt(2 * df), kLimit);
    }
}

double correlation(const std::vector<double>& a, const std::vector<double>& b, size_t lag) {
    double sum = 0;
    for (size_t i = 0; i + lag < a.size(); ++i) sum += (a[i] - 0.5) * (b[i + lag] - 0.5);
    return sum * 12 / std::sqrt(static_cast<double>(a.size() - lag));
}

// Neighbours, and the same word of neighbouring blocks. The means differ from 1/2 by 2^-8 at most (bf16), which
// shifts the statistic by 12 * 2^-16 * 2^10 = 0.19.
TEST_P(Statistics, NeighboursAreUncorrelated) {
    const std::vector<double> values = draw(2024, 13);
    for (const size_t lag : {1, 2, 3, 4, 8})
        EXPECT_LT(std::abs(correlation(values, values, lag)), kLimit) << lag;
}

TEST_P(Statistics, AdjacentSeedsAreUncorrelated) {
    const std::vector<double> values = draw(2025, 14);
    EXPECT_LT(std::abs(correlation(values, draw(2026, 14), 0)), kLimit);
    EXPECT_LT(std::abs(correlation(values, draw(2025, 15), 0)), kLimit);
    EXPECT_LT(std::abs(correlation(values, draw(2025 + (uint64_t{1} << 32), 14), 0)), kLimit);
}

INSTANTIATE_TEST_SUITE_P(EachType, Statistics, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tombola::test
