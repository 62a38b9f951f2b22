// SPDX-License-Identifier: Apache-2.0

// stochastic_rounding through the public API: every implementation of the list, in guarded memory, against the
// independent reference, bit for bit; and that its mean is the number that is rounded.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gtests/common/tensor.hpp"
#include "reference/numeric.hpp"
#include "reference/stochastic_rounding_reference.hpp"

namespace tombola::test {
namespace {

using Bytes = std::vector<uint8_t>;
using Seeds = std::array<uint64_t, 2>;

constexpr tombola_data_type_t kTypes[] = {tombola_bf16, tombola_f16};

uint32_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Numbers of every kind: each exponent, the neighbours of every border, infinities and NaN.
std::vector<uint32_t> numbers(size_t count) {
    const uint32_t borders[] = {
        0,          1,          0x007FFFFF, 0x00800000,  // zero, subnormals, the smallest normal
        0x33000000, 0x33800000, 0x387FC000, 0x38800000,  // 2^-25, 2^-24, around 2^-14
        0x477FE000, 0x477FF000, 0x47800000,              // 65504, 65520, 65536
        0x7F7F0000, 0x7F7FFFFF, 0x7F800000,              // the greatest bf16 and f32, infinity
        0x7F800001, 0x7F80FFFF, 0x7FBFFFFF, 0x7FC00000, 0x7FFFFFFF};
    std::vector<uint32_t> values;
    for (const uint32_t border : borders)
        for (const uint32_t near : {0u - 1u, 0u, 1u, 0x1000u, 0x8000u})
            for (const uint32_t sign : {0u, 0x80000000u}) values.push_back((border + near) ^ sign);
    const Bytes random = test_bytes(4 * count);
    for (size_t i = 0; values.size() < count; ++i) {
        uint32_t bits;
        std::memcpy(&bits, &random[4 * i], 4);
        if (i % 4 != 0) bits = (bits & 0x807FFFFF) | (101 + i % 43) << 23;  // 2^-26 to 2^16
        values.push_back(bits);
    }
    values.resize(count);
    return values;
}

class StochasticRounding : public testing::Test {
  protected:
    PrimitiveDesc descriptor(const_tombola_memory_desc_t src, const_tombola_memory_desc_t dst,
                             Seeds seeds) const {
        PrimitiveDesc desc;
        EXPECT_EQ(tombola_stochastic_rounding_primitive_desc_create(desc.out(), engine_, src, dst,
                                                                    seeds[0], seeds[1], nullptr),
                  tombola_success)
            << last_error();
        return desc;
    }

    void check(const_tombola_memory_desc_t src_desc, const_tombola_memory_desc_t dst_desc,
               tombola_data_type_t type, Seeds seeds, uint64_t offset,
               Guard guard = Guard::behind) const {
        Tensor src(src_desc, engine_, guard), dst(dst_desc, engine_, guard),
            at(row_major({1}, tombola_u64), engine_);
        const size_t count = src.count();
        const auto values = numbers(count);
        Bytes bytes(4 * count), want(2 * count), offset_bytes(8);
        std::memcpy(bytes.data(), values.data(), bytes.size());
        std::memcpy(offset_bytes.data(), &offset, 8);
        reference::stochastic_rounding_reference({type, seeds[0], seeds[1], offset}, count,
                                                 bytes.data(), want.data());
        src.write(bytes);
        at.write(offset_bytes);
        for_each_implementation(
            descriptor(src_desc, dst_desc, seeds), [&](const_tombola_primitive_desc_t row) {
                SCOPED_TRACE(testing::Message()
                             << impl_name(row) << ": " << count << " elements, type " << type
                             << ", offset " << offset);
                Primitive primitive;
                ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success)
                    << last_error();
                dst.buffer().poison();
                const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src.memory()},
                                                   {TOMBOLA_ARG_DST, dst.memory()},
                                                   {TOMBOLA_ARG_OFFSET, at.memory()}};
                ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 3, args), tombola_success)
                    << last_error();
                const auto results = dst.read_as<uint16_t>();
                for (size_t i = 0; i < count; ++i) {
                    uint16_t wanted;
                    std::memcpy(&wanted, &want[2 * i], 2);
                    ASSERT_EQ(results[i], wanted) << "element " << i << ", bits " << values[i];
                }
                EXPECT_TRUE(dst.padding_is_zero());
                EXPECT_TRUE(dst.outside_is_intact());
            });
    }

    // Rounds `count` copies of a number.
    std::vector<uint16_t> round_copies(tombola_data_type_t type, float x, size_t count,
                                       uint64_t offset = 0) const {
        const DimVector dims = {static_cast<tombola_dim_t>(count)};
        const MemoryDesc src_desc = row_major(dims, tombola_f32), dst_desc = row_major(dims, type);
        std::vector<float> copies(count, x);
        std::vector<uint16_t> results(count);
        Primitive primitive;
        EXPECT_EQ(tombola_primitive_create(primitive.out(), descriptor(src_desc, dst_desc, {5, 6})),
                  tombola_success);
        const Memory src = memory_over(src_desc, engine_, copies.data());
        const Memory dst = memory_over(dst_desc, engine_, results.data());
        const Memory at = memory_over(row_major({1}, tombola_u64), engine_, &offset);
        const tombola_exec_arg_t args[] = {
            {TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}, {TOMBOLA_ARG_OFFSET, at}};
        EXPECT_EQ(tombola_primitive_execute(primitive, stream_, 3, args), tombola_success)
            << last_error();
        return results;
    }

    Engine engine_ = cpu_engine();
    Stream stream_ = default_stream(engine_);
};

TEST_F(StochasticRounding, EveryKindOfNumberAtEverySize) {
    std::vector<tombola_dim_t> sizes = {191, 192, 193, 255, 256, 257, 511, 513, 2000, 20000};
    for (tombola_dim_t size = 1; size <= 140; ++size) sizes.push_back(size);
    for (const auto type : kTypes)
        for (const tombola_dim_t size : sizes)
            check(row_major({size}, tombola_f32), row_major({size}, type), type, {1, 2}, 0,
                  size % 2 == 0 ? Guard::behind : Guard::before);
}

TEST_F(StochasticRounding, EveryOffset) {
    constexpr tombola_dim_t kCount = 517;
    for (const auto type : kTypes) {
        for (uint64_t offset = 1; offset <= 18; ++offset)
            check(row_major({kCount}, tombola_f32), row_major({kCount}, type), type, {3, 4},
                  offset);
        // The lowest word of the counter wraps after 2^32 blocks of 8 draws.
        for (const uint64_t before : {1, 8, 37, 64, 400})
            check(row_major({kCount}, tombola_f32), row_major({kCount}, type), type,
                  {1, ~uint64_t{0}}, (uint64_t{1} << 35) - before);
        check(row_major({kCount}, tombola_f32), row_major({kCount}, type), type, {3, 4},
              uint64_t{0} - static_cast<uint64_t>(kCount));
    }
}

TEST_F(StochasticRounding, EveryLayout) {
    const DimVector dims = {2, 37, 5, 7};
    for (const auto type : kTypes) {
        for (const auto from : {tombola_nchw, tombola_nhwc, tombola_nChw16c})
            for (const auto to : {tombola_nchw, tombola_nhwc, tombola_nChw8c})
                check(tagged(dims, tombola_f32, from), tagged(dims, type, to), type, {1, 2}, 7);
        check(strided({9, 21}, tombola_f32, {50, 2}), strided({9, 21}, type, {30, 1}), type, {1, 2},
              0);
    }
}

// Kernels that make several rows at once need rows of whole blocks of 8 draws. Some tensors have rows beyond a multiple of those.
TEST_F(StochasticRounding, RowsOfWholeBlocksSideBySide) {
    for (const auto type : kTypes)
        for (const uint64_t offset : {0, 16, 3})
            for (const DimVector& dims : {DimVector{1, 40, 16, 17}, {2, 21, 4, 6}}) {
                for (const auto tag :
                     {tombola_nhwc, tombola_nChw4c, tombola_nChw8c, tombola_nChw16c})
                    check(tagged(dims, tombola_f32, tag), tagged(dims, type, tag), type, {1, 2},
                          offset);
                check(tagged(dims, tombola_f32, tombola_nChw8c), tagged(dims, type, tombola_nhwc),
                      type, {1, 2}, offset);
            }
}

// Rows that begin anywhere in a block of 8 draws. In the first dimensions, 8 rows do not fit a buffer, so tiles have parts of rows. They are
// rounded together with what lies around them. With the last offset the lowest word of the counter wraps within a run. Where the rows of the
// source are in place, nothing beside the tensor may be read.
TEST_F(StochasticRounding, OddRowsSideBySide) {
    for (const auto type : kTypes)
        for (const uint64_t offset : {uint64_t{0}, uint64_t{5}, (uint64_t{1} << 35) - 30000})
            for (const DimVector& dims : {DimVector{1, 37, 37, 31}, {2, 40, 9, 5}})
                for (const auto from : {tombola_nchw, tombola_nhwc, tombola_nChw16c})
                    for (const auto to : {tombola_nhwc, tombola_nChw8c})
                        for (const Guard guard : {Guard::behind, Guard::before})
                            check(tagged(dims, tombola_f32, from), tagged(dims, type, to), type,
                                  {1, ~uint64_t{0}}, offset, guard);
}

// Large enough for stores past the caches. The tensors are whole pages, so they begin with a cache line.
TEST_F(StochasticRounding, LargeTensorsFromACacheLineOn) {
    constexpr tombola_dim_t kCount = (tombola_dim_t{1} << 21) + 2048;
    for (const auto type : kTypes)
        check(row_major({kCount}, tombola_f32), row_major({kCount}, type), type, {1, 2}, 0);
}

TEST_F(StochasticRounding, LargeTensorsOnSeveralThreads) {
    constexpr tombola_dim_t kCount = (tombola_dim_t{1} << 21) + 1031;
    const MemoryDesc src_desc = row_major({kCount}, tombola_f32);
    const auto values = numbers(static_cast<size_t>(kCount));
    std::vector<uint32_t> source = values;
    std::vector<uint16_t> want(values.size()), results(values.size());
    for (const auto type : kTypes) {
        const uint64_t offset = type == tombola_f16 ? 0 : 5;
        uint64_t first = offset;
        reference::stochastic_rounding_reference({type, 1, 2, offset}, values.size(), values.data(),
                                                 want.data());
        const MemoryDesc dst_desc = row_major({kCount}, type);
        const Memory src = memory_over(src_desc, engine_, source.data());
        const Memory dst = memory_over(dst_desc, engine_, results.data());
        const Memory at = memory_over(row_major({1}, tombola_u64), engine_, &first);
        for_each_implementation(
            descriptor(src_desc, dst_desc, {1, 2}), [&](const_tombola_primitive_desc_t row) {
                SCOPED_TRACE(impl_name(row));
                Primitive primitive;
                ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success);
                std::fill(results.begin(), results.end(), uint16_t{0xA5A5});
                const tombola_exec_arg_t args[] = {
                    {TOMBOLA_ARG_SRC, src}, {TOMBOLA_ARG_DST, dst}, {TOMBOLA_ARG_OFFSET, at}};
                ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 3, args), tombola_success)
                    << last_error();
                EXPECT_TRUE(results == want);
            });
    }
}

// Every draw of 16 bits once: the mean of the results is the number itself, exactly, where the type drops no more bits
// than decide. Draws do not come in that order, so the reference, which the implementations equal bit for bit, rounds.
TEST_F(StochasticRounding, IsUnbiasedOverAllDraws) {
    for (const auto type : kTypes) {
        const auto decode =
            type == tombola_f16 ? reference::f16_to_double : reference::bf16_to_double;
        for (const float x : {1.0f, 1.001f, -1.001f, 3.14159274f, 0x1.fffffep0f, 1000.0625f, 0.1f,
                              -2.7e-3f, 0x1.8p-20f, 0x1.004p-14f}) {
            double sum = 0;
            for (uint32_t draw = 0; draw < 65536; ++draw)
                sum += decode(reference::stochastic_round(type, bits_of(x), draw));
            EXPECT_EQ(sum / 65536, static_cast<double>(x)) << x << " type " << type;
        }
    }
}

// Numbers between two neighbours: of n results each is one of the two, and the share of the upper one is the fraction,
// within 4 standard deviations (the seeds are fixed).
TEST_F(StochasticRounding, IsUnbiased) {
    constexpr size_t kCount = 100000;
    struct Between {
        tombola_data_type_t type;
        double low, high;
    };
    const Between pairs[] = {
        {tombola_bf16, 1.0, 1.0078125},      {tombola_bf16, 1.9921875, 2.0},
        {tombola_bf16, 0x1p-133, 0x1p-132},  {tombola_bf16, 0x1.fcp-127, 0x1p-126},
        {tombola_f16, 1.0, 1.0009765625},    {tombola_f16, 2047.0, 2048.0},
        {tombola_f16, 0.0, 0x1p-24},         {tombola_f16, 0x1p-24, 0x1p-23},
        {tombola_f16, 0x1.ff8p-15, 0x1p-14}, {tombola_f16, 65472.0, 65504.0}};
    uint64_t offset = 0;
    for (const Between& pair : pairs)
        for (const double fraction : {0.03125, 0.25, 0.7, 0.96875})
            for (const int sign : {1, -1}) {
                const auto x =
                    static_cast<float>(sign * (pair.low + fraction * (pair.high - pair.low)));
                const double exact =
                    (std::fabs(static_cast<double>(x)) - pair.low) / (pair.high - pair.low);
                const auto decode =
                    pair.type == tombola_f16 ? reference::f16_to_double : reference::bf16_to_double;
                size_t up = 0;
                for (const uint16_t result : round_copies(pair.type, x, kCount, offset)) {
                    const double value = sign * decode(result);
                    ASSERT_TRUE(value == pair.low || value == pair.high) << value << " of " << x;
                    up += value == pair.high ? 1 : 0;
                }
                offset += kCount;
                const double deviation = std::sqrt(exact * (1 - exact) / kCount);
                // f16 decides by 13 bits.
                EXPECT_NEAR(static_cast<double>(up) / kCount, exact, 4 * deviation + 0x1p-13)
                    << x << " type " << pair.type;
            }
}

TEST_F(StochasticRounding, WhatTheTypeHoldsStays) {
    for (const auto type : kTypes) {
        const auto decode =
            type == tombola_f16 ? reference::f16_to_double : reference::bf16_to_double;
        const uint32_t infinity = type == tombola_f16 ? 0x7C00 : 0x7F80;
        for (uint32_t bits = 0; bits < 65536; bits += 257) {
            if ((bits & 0x7FFF) > infinity) continue;
            const auto x = static_cast<float>(decode(static_cast<uint16_t>(bits)));
            for (const uint16_t result : round_copies(type, x, 70)) ASSERT_EQ(result, bits);
        }
        // Finite numbers beyond the greatest one saturate.
        const uint16_t greatest = static_cast<uint16_t>(infinity - 1);
        for (const float x : {std::numeric_limits<float>::max(), 3.39e38f})
            for (const uint16_t result : round_copies(type, x, 200)) ASSERT_EQ(result, greatest);
        for (const uint16_t result : round_copies(type, -std::numeric_limits<float>::max(), 200))
            ASSERT_EQ(result, 0x8000 | greatest);
        for (const uint16_t result :
             round_copies(type, std::numeric_limits<float>::quiet_NaN(), 200))
            ASSERT_EQ(result & 0x7FFF, type == tombola_f16 ? 0x7E00 : 0x7FC0);
    }
}

TEST_F(StochasticRounding, Refuses) {
    const MemoryDesc floats = row_major({2, 8}, tombola_f32),
                     shorter = row_major({2, 7}, tombola_bf16);
    const MemoryDesc halves = row_major({2, 8}, tombola_f16),
                     open = tagged({2, 8}, tombola_f32, tombola_format_tag_any);
    PrimitiveDesc desc;
    const auto refused = [&](const_tombola_memory_desc_t src, const_tombola_memory_desc_t dst,
                             const std::string& message) {
        EXPECT_EQ(tombola_stochastic_rounding_primitive_desc_create(desc.out(), engine_, src, dst,
                                                                    1, 2, nullptr),
                  tombola_invalid_arguments);
        EXPECT_NE(last_error().find(message), std::string::npos) << last_error();
    };
    refused(halves, halves, "src_desc has the data type f16; expected f32");
    refused(floats, floats, "dst_desc has the data type f32; expected one of bf16, f16");
    refused(floats, shorter, "dst_desc is 2x7; expected 2x8, as src_desc");
    refused(open, halves, "src_desc has the layout any");
    for (const auto type : {tombola_s8, tombola_f8_e5m2, tombola_f8_e4m3})
        refused(floats, row_major({2, 8}, type),
                std::string("dst_desc has the data type ") + tombola_dt2str(type));
    // A destination of an open layout has the source's.
    ASSERT_EQ(tombola_stochastic_rounding_primitive_desc_create(
                  desc.out(), engine_, tagged({2, 8}, tombola_f32, tombola_ba),
                  tagged({2, 8}, tombola_f16, tombola_format_tag_any), 1, 2, nullptr),
              tombola_success);
    EXPECT_TRUE(
        tombola_memory_desc_equal(tombola_primitive_desc_query_md(desc, tombola_query_dst_md, 0),
                                  tagged({2, 8}, tombola_f16, tombola_ba)));
}

}  // namespace
}  // namespace tombola::test
