// SPDX-License-Identifier: Apache-2.0

// random_bernoulli: every implementation of the list against the independent reference, bit for bit; what PyTorch drew; and
// the frequencies, with fixed seeds.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gtests/common/golden.hpp"
#include "gtests/common/stream_call.hpp"
#include "reference/random_bernoulli_reference.hpp"

namespace tombola::test {
namespace {

constexpr tombola_data_type_t kTypes[] = {tombola_u8,   tombola_s32, tombola_s64, tombola_f16,
                                          tombola_bf16, tombola_f32, tombola_f64};

Bytes probability_bytes(const std::vector<double>& p, tombola_data_type_t type) {
    return type == tombola_f64 ? bytes_of(p) : bytes_of(std::vector<float>(p.begin(), p.end()));
}

// Probabilities of all sizes, with both ends of the range among them, that f32 has exactly.
std::vector<double> varied(size_t count) {
    std::vector<double> p(count);
    for (size_t i = 0; i < count; ++i)
        p[i] = i % 7 == 2   ? 0
               : i % 7 == 5 ? 1
                            : static_cast<double>(i * 2654435761 % (1 << 24)) * 0x1p-24;
    return p;
}

class RandomBernoulli : public testing::Test {
  protected:
    PrimitiveDesc describe(const_tombola_memory_desc_t dst, const_tombola_memory_desc_t p,
                           const StreamCall& call, SeedPair seeds = kDescriptorSeeds) const {
        PrimitiveDesc desc;
        EXPECT_EQ(tombola_random_bernoulli_primitive_desc_create(
                      desc.out(), engine_, call.alignment, dst, p, seeds[0], seeds[1], nullptr),
                  tombola_success)
            << last_error();
        return desc;
    }
    StreamAnswer run(const_tombola_primitive_desc_t desc, const_tombola_memory_desc_t dst,
                     const_tombola_memory_desc_t p_desc, tombola_data_type_t p_type,
                     const std::vector<double>& p, StreamCall call) const {
        constexpr uint8_t kPadding = 0xFF;  // NaN, which is no probability
        call.parameters.push_back({TOMBOLA_ARG_P, p_desc, probability_bytes(p, p_type), kPadding});
        return run_stream(engine_, stream_, desc, dst, call);
    }
    // Every implementation gives the reference's bits. `one`: P is one number.
    void check(const_tombola_memory_desc_t dst, tombola_data_type_t type,
               const_tombola_memory_desc_t p_desc, tombola_data_type_t p_type, bool one,
               const std::vector<double>& p, const StreamCall& call) const {
        reference::BernoulliRequest request;
        request.type = type;
        request.p_type = p_type;
        request.one_p = one;
        request.p = p;
        if (p_type == tombola_f32)
            for (double& value : request.p) value = static_cast<float>(value);
        check_stream(describe(dst, p_desc, call), dst, request, call,
                     reference::random_bernoulli_reference,
                     [&](const_tombola_primitive_desc_t row) {
                         return run(row, dst, p_desc, p_type, p, call);
                     });
    }
    void check_one(const_tombola_memory_desc_t dst, tombola_data_type_t type, double p,
                   tombola_data_type_t p_type, const StreamCall& call) const {
        check(dst, type, row_major({1}, p_type), p_type, true, {p}, call);
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

TEST_F(RandomBernoulli, EveryTypeAtEverySize) {
    for_each_size(kTypes,
                  [&](tombola_data_type_t type, tombola_dim_t size, const StreamCall& call) {
                      const MemoryDesc dst = row_major({size}, type);
                      check_one(dst, type, 0.3, size % 3 ? tombola_f32 : tombola_f64, call);
                      if (size == 1) return;  // a P of one element
                      for (const auto p_type : {tombola_f32, tombola_f64})
                          check(dst, type, row_major({size}, p_type), p_type, false,
                                varied(static_cast<size_t>(size)), call);
                  });
}

TEST_F(RandomBernoulli, LargeTensors) {
    for_each_large_tensor(
        kTypes, [&](tombola_data_type_t type, tombola_dim_t size, const StreamCall& call) {
            check_one(row_major({size}, type), type, 0.3, tombola_f64, call);
            check(row_major({size}, type), type, row_major({size}, tombola_f32), tombola_f32, false,
                  varied(static_cast<size_t>(size)), call);
        });
}

// A tensor of one element and two dimensions has a tensor P.
TEST_F(RandomBernoulli, OneElement) {
    for (const auto alignment : kAlignments)
        for (uint64_t seed = 1; seed < 20; ++seed)
            for (const auto p_type : {tombola_f32, tombola_f64}) {
                StreamCall call;
                call.alignment = alignment;
                call.seeds = SeedPair{seed, 3};
                check(row_major({1, 1}, tombola_f32), tombola_f32, row_major({1, 1}, p_type),
                      p_type, false, {0.5}, call);
                check_one(row_major({1}, tombola_f32), tombola_f32, 0.5, p_type, call);
            }
}

TEST_F(RandomBernoulli, OneProbabilityInABlock) {
    const tombola_dim_t one = 1, block = 8;
    for (const auto alignment : kAlignments)
        for (const auto p_type : {tombola_f32, tombola_f64}) {
            MemoryDesc p_desc;
            ASSERT_EQ(tombola_memory_desc_create_with_block(p_desc.out(), 1, &one, p_type, &block,
                                                            0, block, 0),
                      tombola_success);
            StreamCall call;
            call.alignment = alignment;
            for (const tombola_dim_t size : {1, 100})
                check(row_major({size}, tombola_f32), tombola_f32, p_desc, p_type, true, {0.5},
                      call);
        }
}

// 0 gives only zeros, 1 only ones; the neighbours of the numbers that a draw can have.
TEST_F(RandomBernoulli, Probabilities) {
    for (const auto alignment : kAlignments)
        for (const auto p_type : {tombola_f32, tombola_f64})
            for (const double p : {0.0, -0.0, 1.0, 0x1p-23, 0x1p-24, 0x1p-53, 1e-40, 0x1.fffffep-1,
                                   0.5, 0x1.000002p-1, 0x1.fffffep-2}) {
                StreamCall call;
                call.alignment = alignment;
                check_one(row_major({700}, tombola_u8), tombola_u8, p, p_type, call);
                check(row_major({700}, tombola_s32), tombola_s32, row_major({700}, p_type), p_type,
                      false, std::vector<double>(700, p), call);
            }
    for (const auto alignment : kAlignments)
        for (const double p : {0.0, 1.0}) {
            StreamCall call;
            call.alignment = alignment;
            const MemoryDesc dst = row_major({5000}, tombola_u8),
                             p_desc = row_major({1}, tombola_f64);
            for_each_implementation(
                describe(dst, p_desc, call), [&](const_tombola_primitive_desc_t row) {
                    const StreamAnswer answer = run(row, dst, p_desc, tombola_f64, {p}, call);
                    EXPECT_TRUE(answer.values == Bytes(5000, static_cast<uint8_t>(p)));
                });
        }
}

TEST_F(RandomBernoulli, LayoutsSeedsAndOffsets) {
    const DimVector dims = {1, 19, 37, 31};  // more than one run of a buffer, and parts of rows
    const std::vector<double> p = varied(19 * 37 * 31);
    for (const auto alignment : kAlignments)
        for (const auto type : {tombola_u8, tombola_f16, tombola_f64}) {
            StreamCall call;
            call.alignment = alignment;
            call.seeds = SeedPair{0xDEADBEEFCAFEBABE, 7};
            call.offset = alignment == tombola_alignment_pytorch ? 1000007 : 1000000000007;
            for (const auto tag : {tombola_nchw, tombola_nhwc, tombola_nChw16c}) {
                check_one(tagged(dims, type, tag), type, 0.25, tombola_f64, call);
                for (const auto p_type : {tombola_f32, tombola_f64})
                    for (const auto p_tag : {tombola_nchw, tombola_nhwc, tombola_nChw8c})
                        check(tagged(dims, type, tag), type, tagged(dims, p_type, p_tag), p_type,
                              false, p, call);
            }
            check_one(strided({7, 9}, type, {1, 11}), type, 0.75, tombola_f32, call);
        }
}

// Kernels that make several rows at once need rows of whole blocks. Some tensors have rows beyond a multiple of those.
TEST_F(RandomBernoulli, RowsOfWholeBlocksSideBySide) {
    const DimVector dims = {2, 21, 6, 10};
    const std::vector<double> p = varied(2 * 21 * 6 * 10);
    for (const auto type : kTypes)
        for (const uint64_t offset : {0, 8}) {
            StreamCall call;
            call.alignment = tombola_alignment_tensorflow;
            call.seeds = SeedPair{0xDEADBEEFCAFEBABE, 7};
            call.offset = offset;
            for (const auto tag : {tombola_nhwc, tombola_nChw4c, tombola_nChw8c, tombola_nChw16c}) {
                const MemoryDesc dst = tagged(dims, type, tag);
                check_one(dst, type, 0.25, tombola_f64, call);
                check(dst, type, tagged(dims, tombola_f32, tombola_nhwc), tombola_f32, false, p,
                      call);
            }
        }
}

// [0, k) then [k, n) is [0, n), by OFFSET and by states.
TEST_F(RandomBernoulli, CutsAndStates) {
    constexpr tombola_dim_t kCount = 1300;
    for (const auto alignment : kAlignments)
        for (const auto type : {tombola_u8, tombola_f32}) {
            const MemoryDesc whole = row_major({kCount}, type), p = row_major({1}, tombola_f64);
            StreamCall call;
            call.alignment = alignment;
            const StreamAnswer all =
                run(describe(whole, p, call), whole, p, tombola_f64, {0.4}, call);
            const size_t size = tombola_data_type_size(type);
            for (const tombola_dim_t k : {1, 5, 311, 313, 640, 1299}) {
                const MemoryDesc first = row_major({k}, type), rest = row_major({kCount - k}, type);
                StreamCall second = call;
                second.offset = static_cast<uint64_t>(k);
                check_one(rest, type, 0.4, tombola_f64, second);
                const StreamAnswer tail =
                    run(describe(rest, p, call), rest, p, tombola_f64, {0.4}, second);
                EXPECT_TRUE(std::equal(
                    tail.values.begin(), tail.values.end(),
                    all.values.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(k) * size)));
                EXPECT_TRUE(tail.state == all.state);
                StreamCall chained = call;
                chained.state =
                    run(describe(first, p, call), first, p, tombola_f64, {0.4}, call).state;
                check_one(rest, type, 0.4, tombola_f64, chained);
            }
        }
}

TEST_F(RandomBernoulli, EntropyIsDrawnAndReported) {
    const MemoryDesc dst = row_major({200}, tombola_u8), p = row_major({1}, tombola_f64);
    for (const auto alignment : kAlignments) {
        StreamCall call;
        call.alignment = alignment;
        const PrimitiveDesc desc = describe(dst, p, call, {0, 0});
        const StreamAnswer once = run(desc, dst, p, tombola_f64, {0.5}, call);
        const StreamAnswer twice = run(desc, dst, p, tombola_f64, {0.5}, call);
        EXPECT_TRUE(once.values != twice.values);
        call.seeds = once.seeds;
        EXPECT_TRUE(run(desc, dst, p, tombola_f64, {0.5}, call).values == once.values);
    }
}

// The message names the first bad value, and nothing is written.
TEST_F(RandomBernoulli, BadProbabilitiesAreRefused) {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const MemoryDesc dst = row_major({5, 1000}, tombola_u8);
    for (const auto alignment : kAlignments)
        for (const auto p_type : {tombola_f32, tombola_f64})
            for (const double bad : {-1e-30, -1.0, 1.0000002, inf, -inf, nan}) {
                StreamCall call;
                call.alignment = alignment;
                const MemoryDesc one = row_major({1}, p_type);
                for_each_implementation(
                    describe(dst, one, call), [&](const_tombola_primitive_desc_t row) {
                        EXPECT_EQ(run(row, dst, one, p_type, {bad}, call).status,
                                  tombola_invalid_arguments);
                        EXPECT_NE(last_error().find("P is "), std::string::npos) << last_error();
                    });
                const MemoryDesc all = tagged({5, 1000}, p_type, tombola_ba);
                for (const size_t at : {0, 15, 1023, 1024, 4321, 4992, 4999}) {
                    std::vector<double> p(5000, 0.5);
                    p[at] = p[4999] = bad;
                    const std::string message = "as element " + std::to_string(at) + " ";
                    for_each_implementation(
                        describe(dst, all, call), [&](const_tombola_primitive_desc_t row) {
                            EXPECT_EQ(run(row, dst, all, p_type, p, call).status,
                                      tombola_invalid_arguments);
                            EXPECT_NE(last_error().find(message), std::string::npos)
                                << last_error();
                        });
                }
            }
}

// A tensor P has the values i * 2654435761 mod 2^24, times 2^-24.
TEST_F(RandomBernoulli, GivesWhatPytorchDrew) {
    for (const TorchDraw& drawn : torch_draws("bernoulli")) {
        const std::string& given = drawn.parameter;
        const bool tensor = given == "tensor32" || given == "tensor64";
        const auto p_type = given == "tensor32" ? tombola_f32 : tombola_f64;
        const MemoryDesc p_desc = row_major({tensor ? drawn.count : 1}, p_type);
        std::vector<double> p;
        for (tombola_dim_t i = 0; tensor && i < drawn.count; ++i)
            p.push_back(static_cast<double>(i * 2654435761 % (1 << 24)) * 0x1p-24);
        if (!tensor) p.push_back(std::stod(given));
        const MemoryDesc dst = row_major({drawn.count}, drawn.type);
        StreamCall call;
        call.alignment = tombola_alignment_pytorch;
        call.seeds = SeedPair{drawn.seed, 1};
        const StreamAnswer answer = run(describe(dst, p_desc, call), dst, p_desc, p_type, p, call);
        ASSERT_EQ(answer.status, tombola_success) << last_error();
        EXPECT_EQ(fnv1a(answer.values), drawn.hash) << drawn.line;
    }
}

// Sums and sums of products of neighbours, in units of their standard deviations; 72 statistics, and a deviation of more than
// 4.5 has a probability of 7e-6 each.
TEST_F(RandomBernoulli, HasTheFrequencies) {
    constexpr tombola_dim_t kCount = 1 << 18;
    constexpr double kLimit = 4.5;
    const MemoryDesc dst = row_major({kCount}, tombola_u8), p_desc = row_major({1}, tombola_f64);
    for (const auto alignment : kAlignments)
        for (const double p : {0.001, 0.1, 0.3, 0.5, 0.9, 0.999})
            for (const uint64_t seed : {1, 2}) {
                StreamCall call;
                call.alignment = alignment;
                call.seeds = SeedPair{seed, 5};
                const Bytes x =
                    run(describe(dst, p_desc, call), dst, p_desc, tombola_f64, {p}, call).values;
                call.seeds = SeedPair{seed + 1, 5};
                const Bytes y =
                    run(describe(dst, p_desc, call), dst, p_desc, tombola_f64, {p}, call).values;
                double sum = 0, neighbours = 0, seeds = 0;
                for (size_t i = 0; i < x.size(); ++i) {
                    sum += x[i] - p;
                    seeds += (x[i] - p) * (y[i] - p);
                    if (i > 0) neighbours += (x[i] - p) * (x[i - 1] - p);
                }
                const double variance = p * (1 - p), count = kCount;
                EXPECT_LT(std::fabs(sum) / std::sqrt(variance * count), kLimit) << p;
                EXPECT_LT(std::fabs(neighbours) / (variance * std::sqrt(count)), kLimit) << p;
                EXPECT_LT(std::fabs(seeds) / (variance * std::sqrt(count)), kLimit) << p;
            }
}

}  // namespace
}  // namespace tombola::test
