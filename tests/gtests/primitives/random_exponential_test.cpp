// SPDX-License-Identifier: Apache-2.0

// random_exponential: every implementation of the list against the independent reference, bit for bit; what PyTorch drew;
// and the distribution itself, with fixed seeds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtests/common/golden.hpp"
#include "gtests/common/stream_call.hpp"
#include "reference/numeric.hpp"
#include "reference/random_exponential_reference.hpp"

namespace tombola::test {
namespace {

constexpr tombola_data_type_t kTypes[] = {tombola_f16, tombola_bf16, tombola_f32, tombola_f64};

class RandomExponential : public testing::Test {
  protected:
    PrimitiveDesc describe(const_tombola_memory_desc_t dst, const StreamCall& call,
                           SeedPair seeds = kDescriptorSeeds) const {
        PrimitiveDesc desc;
        EXPECT_EQ(tombola_random_exponential_primitive_desc_create(
                      desc.out(), engine_, call.alignment, dst, seeds[0], seeds[1], nullptr),
                  tombola_success)
            << last_error();
        return desc;
    }
    StreamAnswer run(const_tombola_primitive_desc_t desc, const_tombola_memory_desc_t dst,
                     StreamCall call, std::optional<double> lambda) const {
        if (lambda)
            call.parameters.push_back(
                {TOMBOLA_ARG_LAMBDA, scalar_, bytes_of(std::vector<double>{*lambda})});
        return run_stream(engine_, stream_, desc, dst, call);
    }
    // Every implementation gives the reference's bits.
    void check(const_tombola_memory_desc_t dst, tombola_data_type_t type, const StreamCall& call,
               std::optional<double> lambda) const {
        reference::ExponentialRequest request;
        request.type = type;
        request.lambda = lambda.value_or(1);
        check_stream(
            describe(dst, call), dst, request, call, reference::random_exponential_reference,
            [&](const_tombola_primitive_desc_t row) { return run(row, dst, call, lambda); });
    }
    std::vector<double> draw(tombola_alignment_t alignment, tombola_data_type_t type, size_t count,
                             uint64_t seed, double lambda) const {
        const MemoryDesc dst = row_major({static_cast<tombola_dim_t>(count)}, type);
        StreamCall call;
        call.alignment = alignment;
        const StreamAnswer answer = run(describe(dst, call, {seed, 1}), dst, call, lambda);
        EXPECT_EQ(answer.status, tombola_success) << last_error();
        std::vector<double> values(count);
        const size_t size = tombola_data_type_size(type);
        for (size_t i = 0; i < count; ++i) {
            reference::Scalar scalar{};
            std::memcpy(scalar.data(), &answer.values[i * size], size);
            values[i] = reference::double_of(type, scalar);
        }
        return values;
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
    MemoryDesc scalar_ = row_major({1}, tombola_f64);
};

TEST_F(RandomExponential, EveryTypeAtEverySize) {
    for_each_size(kTypes,
                  [&](tombola_data_type_t type, tombola_dim_t size, const StreamCall& call) {
                      check(row_major({size}, type), type, call, size % 3 == 0 ? 1 : 0.37);
                  });
}

TEST_F(RandomExponential, LargeTensors) {
    for_each_large_tensor(
        kTypes, [&](tombola_data_type_t type, tombola_dim_t size, const StreamCall& call) {
            check(row_major({size}, type), type, call, 0.37);
        });
}

TEST_F(RandomExponential, NoElements) {
    for (const auto alignment : kAlignments) {
        StreamCall call;
        call.alignment = alignment;
        call.offset = 17;
        check(row_major({3, 0}, tombola_f32), tombola_f32, call, 2.0);
    }
}

// A rate that makes values overflow the type, vanish, or stay as they are; and the default.
TEST_F(RandomExponential, Rates) {
    for (const auto alignment : kAlignments)
        for (const auto type : kTypes)
            for (const std::optional<double> lambda :
                 {std::optional<double>(), std::optional<double>(1), std::optional<double>(1e-5),
                  std::optional<double>(3e-39), std::optional<double>(1e-300),
                  std::optional<double>(1e30), std::optional<double>(1e300),
                  std::optional<double>(0x1p-1022)}) {
                StreamCall call;
                call.alignment = alignment;
                check(row_major({501}, type), type, call, lambda);
            }
}

TEST_F(RandomExponential, LayoutsSeedsAndOffsets) {
    for (const auto alignment : kAlignments)
        for (const auto type : {tombola_bf16, tombola_f32, tombola_f64}) {
            StreamCall call;
            call.alignment = alignment;
            call.seeds = SeedPair{0xDEADBEEFCAFEBABE, 7};
            call.offset = alignment == tombola_alignment_pytorch ? 1000007 : 1000000000007;
            check(tagged({3, 19, 5, 7}, type, tombola_nchw), type, call, 0.5);
            check(tagged({3, 19, 5, 7}, type, tombola_nhwc), type, call, 0.5);
            check(tagged({3, 19, 5, 7}, type, tombola_nChw16c), type, call, 0.5);
            check(tagged({2, 3000}, type, tombola_ba), type, call, 0.5);
            check(strided({7, 9}, type, {1, 11}), type, call, 0.5);
        }
}

// [0, k) then [k, n) is [0, n), by OFFSET and by states.
TEST_F(RandomExponential, CutsAndStates) {
    constexpr tombola_dim_t kCount = 1300;
    for (const auto alignment : kAlignments)
        for (const auto type : {tombola_f16, tombola_f64}) {
            const MemoryDesc whole = row_major({kCount}, type);
            StreamCall call;
            call.alignment = alignment;
            const StreamAnswer all = run(describe(whole, call), whole, call, 3.0);
            const size_t size = tombola_data_type_size(type);
            for (const tombola_dim_t k : {1, 5, 311, 313, 640, 1299}) {
                const MemoryDesc first = row_major({k}, type), rest = row_major({kCount - k}, type);
                StreamCall second = call;
                second.offset = static_cast<uint64_t>(k);
                check(rest, type, second, 3.0);
                const StreamAnswer tail = run(describe(rest, call), rest, second, 3.0);
                EXPECT_TRUE(std::equal(
                    tail.values.begin(), tail.values.end(),
                    all.values.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(k) * size)));
                EXPECT_TRUE(tail.state == all.state);
                // The state of the first part goes on where it ended.
                StreamCall chained = call;
                chained.state = run(describe(first, call), first, call, 3.0).state;
                check(rest, type, chained, 3.0);
            }
        }
}

TEST_F(RandomExponential, EntropyIsDrawnAndReported) {
    const MemoryDesc dst = row_major({20}, tombola_f32);
    for (const auto alignment : kAlignments) {
        StreamCall call;
        call.alignment = alignment;
        const PrimitiveDesc desc = describe(dst, call, {0, 0});
        const StreamAnswer once = run(desc, dst, call, 1.0), twice = run(desc, dst, call, 1.0);
        EXPECT_TRUE(once.values != twice.values);
        EXPECT_NE(once.seeds, twice.seeds);
        call.seeds = once.seeds;
        EXPECT_TRUE(run(desc, dst, call, 1.0).values == once.values);
    }
}

TEST_F(RandomExponential, BadRatesAreRefused) {
    const MemoryDesc dst = row_major({20}, tombola_f32);
    for (const auto alignment : kAlignments)
        for (const double lambda : {0.0, -0.0, -1.0, std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN(), 1e-310}) {
            StreamCall call;
            call.alignment = alignment;
            for_each_implementation(describe(dst, call), [&](const_tombola_primitive_desc_t row) {
                EXPECT_EQ(run(row, dst, call, lambda).status, tombola_invalid_arguments);
                EXPECT_NE(last_error().find("LAMBDA is "), std::string::npos) << last_error();
            });
        }
}

TEST_F(RandomExponential, BadStatesAndOffsetsAreRefused) {
    const MemoryDesc dst = row_major({20}, tombola_f32);
    StreamCall call;
    call.offset = std::numeric_limits<uint64_t>::max();
    for (const auto alignment : kAlignments) {
        call.alignment = alignment;
        for_each_implementation(describe(dst, call), [&](const_tombola_primitive_desc_t row) {
            EXPECT_EQ(run(row, dst, call, 1.0).status, tombola_invalid_arguments);
            EXPECT_NE(last_error().find("OFFSET is "), std::string::npos) << last_error();
        });
    }
    StreamCall state;
    state.alignment = tombola_alignment_pytorch;
    state.state = bytes_of(std::vector<uint32_t>(625, 700));
    for_each_implementation(describe(dst, state), [&](const_tombola_primitive_desc_t row) {
        EXPECT_EQ(run(row, dst, state, 1.0).status, tombola_invalid_arguments);
        EXPECT_NE(last_error().find("SRC_STATE"), std::string::npos) << last_error();
    });
}

// A state whose next words are 0: u = 0 gives +0, never -0.
TEST_F(RandomExponential, TheSmallestUniformGivesZero) {
    for (const auto type : kTypes) {
        std::vector<uint32_t> state(625, 0);
        state[0] = 0x80000000;  // not all bits are 0; the word has been used
        state[624] = 1;
        StreamCall call;
        call.alignment = tombola_alignment_pytorch;
        call.state = bytes_of(state);
        const MemoryDesc dst = row_major({100}, type);
        check(dst, type, call, 2.0);
        for_each_implementation(describe(dst, call), [&](const_tombola_primitive_desc_t row) {
            const StreamAnswer answer = run(row, dst, call, 2.0);
            EXPECT_TRUE(answer.values == Bytes(answer.values.size(), 0)) << impl_name(row);
        });
    }
}

TEST_F(RandomExponential, GivesWhatPytorchDrew) {
    for (const TorchDraw& drawn : torch_draws("exponential")) {
        const MemoryDesc dst = row_major({drawn.count}, drawn.type);
        StreamCall call;
        call.alignment = tombola_alignment_pytorch;
        call.seeds = SeedPair{drawn.seed, 1};
        const StreamAnswer answer = run(describe(dst, call), dst, call, std::stod(drawn.parameter));
        ASSERT_EQ(answer.status, tombola_success) << last_error();
        EXPECT_EQ(fnv1a(answer.values), drawn.hash) << drawn.line;
    }
}

// Each statistic is compared with its expectation in units of its standard deviation; about 60 of them, and a deviation of
// more than 4.5 has a probability of 7e-6 each. X = LAMBDA * value has E X^k = k!, so the variance of X^k is (2k)! - k!^2.
TEST_F(RandomExponential, HasTheMomentsOfTheDistribution) {
    constexpr size_t kCount = 1 << 18;
    constexpr double kLimit = 4.5;
    constexpr double kFactorial[] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320};
    for (const auto alignment : kAlignments)
        for (const auto type : kTypes) {
            SCOPED_TRACE(std::to_string(alignment) + " " + std::to_string(type));
            constexpr double kLambda = 0.5;
            std::vector<double> x = draw(alignment, type, kCount, 42, kLambda);
            double product = 0, sums[5] = {};
            size_t tail = 0;
            for (size_t i = 0; i < kCount; ++i) {
                x[i] *= kLambda;
                ASSERT_GE(x[i], 0);
                for (int k = 1; k <= 4; ++k) sums[k] += std::pow(x[i], k);
                if (i > 0) product += (x[i] - 1) * (x[i - 1] - 1);
                tail += x[i] > 8;
            }
            for (int k = 1; k <= 4; ++k) {
                const double deviation =
                    std::sqrt((kFactorial[2 * k] - kFactorial[k] * kFactorial[k]) / double{kCount});
                EXPECT_LT(std::fabs(sums[k] / double{kCount} - kFactorial[k]) / deviation, kLimit)
                    << k;
            }
            EXPECT_LT(std::fabs(product) / std::sqrt(double{kCount}), kLimit);
            const double expected = std::exp(-8.0) * double{kCount};
            EXPECT_LT(std::fabs(static_cast<double>(tail) - expected) / std::sqrt(expected),
                      kLimit);
            if (type == tombola_f16 || type == tombola_bf16) continue;  // too coarse for the rest
            // Chi-square over 256 cells of equal probability: mean 255, variance 510.
            std::vector<double> cells(256);
            for (const double value : x)
                ++cells[std::min<size_t>(255, static_cast<size_t>(-256 * std::expm1(-value)))];
            double chi = 0;
            for (const double seen : cells)
                chi += (seen - kCount / 256.0) * (seen - kCount / 256.0) / (kCount / 256.0);
            EXPECT_LT(std::fabs(chi - 255) / std::sqrt(510.0), kLimit);
            // Adjacent seeds are uncorrelated.
            const std::vector<double> y = draw(alignment, type, kCount, 43, 1);
            double cross = 0;
            for (size_t i = 0; i < kCount; ++i) cross += (x[i] - 1) * (y[i] - 1);
            EXPECT_LT(std::fabs(cross) / std::sqrt(double{kCount}), kLimit);
        }
}

}  // namespace
}  // namespace tombola::test
