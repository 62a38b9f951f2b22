// SPDX-License-Identifier: Apache-2.0

// random_normal, both alignments: every implementation of the list against the independent reference, and alignment tensorflow
// against its formulas in a wider type.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "gtests/primitives/random_normal_fixture.hpp"
#include "reference/philox_reference.hpp"

namespace tombola::test {
namespace {

TEST_F(RandomNormal, SizesAndTypes) {
    for (const tombola_data_type_t type : kTypes)
        for (const int64_t count :
             {0,  1,  2,  3,  4,  5,  7,   8,   9,   14,  15,  16,  17,  31,   32,  33,
              47, 48, 49, 63, 64, 65, 127, 128, 129, 257, 623, 624, 625, 1300, 4097}) {
            Call call;
            call.type = type;
            const Guard guard = count % 2 == 0 ? Guard::before : Guard::behind;
            const MemoryDesc dst = row_major({count}, type);
            check(call, dst, guard);
            constexpr uint32_t kPositions[] = {0, 1, 2, 17, 311, 608, 622, 623, 624};
            call.state = some_state(kPositions[count % 9], count % 5 < 3);
            call.mean = -3;
            call.std = 0.75;
            check(call, dst, guard);
            Call philox;
            philox.alignment = kTensorflow;
            philox.type = type;
            check(philox, dst, guard);
            philox.offset = static_cast<uint64_t>(count) * 3 + 1;
            philox.mean = 2.5;
            philox.std = 3;
            check(philox, dst, guard);
        }
}

TEST_F(RandomNormal, OffsetsAndTheCarryOfTheCounter) {
    for (const tombola_data_type_t type : kTypes) {
        const MemoryDesc dst = row_major({203}, type);
        Call call;
        call.type = type;
        for (const uint64_t offset : {16, 624, 10000}) {
            call.offset = offset;
            check(call, dst);
        }
        call.alignment = kTensorflow;
        for (const uint64_t offset :
             {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{5}, (uint64_t{1} << 34) - 101,
              (uint64_t{1} << 33) - 51, ~uint64_t{0} - 255}) {
            call.offset = offset;
            check(call, dst);
        }
    }
    Call far;
    far.offset = ~uint64_t{0} - 255;
    check(far, row_major({203}, far.type));
}

TEST_F(RandomNormal, Layouts) {
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch})
        for (const tombola_data_type_t type : kTypes) {
            Call call;
            call.alignment = alignment;
            call.type = type;
            call.offset = alignment == kPytorch ? 32 : 7;
            const DimVector dims = {3, 37, 5, 7};
            for (const tombola_format_tag_t tag : {tombola_nhwc, tombola_nChw16c, tombola_dcba})
                check(call, tagged(dims, type, tag));
            check(call, strided(dims, type, {37 * 5 * 8 + 3, 5 * 8, 8, 1}));
            call.offset = 0;
            check(call, tagged({1, 3, 2, 2}, type, tombola_nChw8c));
            check(call, tagged({3, 5}, type, tombola_ba));
            check(call, tagged({3, 6}, type, tombola_ba));
        }
}

TEST_F(RandomNormal, UnusualMoments) {
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch})
        for (const tombola_data_type_t type : kTypes)
            for (const auto& [mean, std] : {std::pair{0.0, 0.0},
                                            {-0.0, 0.0},
                                            {-0.0, 1.0},
                                            {-0.0, 0.5},
                                            {0.0, 0x1.4p-6},
                                            {1.0, 1.0},
                                            {0.25, 0.0},
                                            {-1.0, 0x1p-14},
                                            {1000.0, 0.5},
                                            {0.0, 28672.0}}) {
                Call call;
                call.alignment = alignment;
                call.type = type;
                call.mean = mean;
                call.std = std;
                check(call, row_major({1003}, type));
                check(call, row_major({11}, type));
            }
}

// The angle of the first pair is the f32 next to pi / 2, so DST[1] is -2.0e-8 before it is rounded. In f16 that is -0, and MEAN makes it +0.
// One number in 60 million is such a number.
TEST_F(RandomNormal, NumbersBelowTheLeastOfF16) {
    for (const double mean : {0.0, -0.0}) {
        Call call;
        call.alignment = kTensorflow;
        call.type = tombola_f16;
        call.seed = 1;
        call.state = bytes_of(std::vector<uint64_t>{2209661258130807929u, 10155485768639291755u});
        call.mean = mean;
        check(call, row_major({4}, call.type));
    }
}

// Several of the parts that threads take, and stores past the caches.
TEST_F(RandomNormal, ALargeTensor) {
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch}) {
        Call call;
        call.alignment = alignment;
        const int64_t kCount = alignment == kPytorch ? (int64_t{4} << 20) + 1237 : 1500001;
        const MemoryDesc dst = row_major({kCount}, call.type);
        Primitive primitive;
        const PrimitiveDesc desc = describe(call, dst);
        ASSERT_EQ(tombola_primitive_create(primitive.out(), desc), tombola_success);
        Bytes values(static_cast<size_t>(kCount) * sizeof(float));
        const Memory memory = memory_over(dst, engine_, values.data());
        const tombola_exec_arg_t arg = {TOMBOLA_ARG_DST, memory};
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 1, &arg), tombola_success);
        EXPECT_TRUE(values == expected(call, static_cast<uint64_t>(kCount)).values);
    }
}

// Stores past the caches, at the start of a page and at addresses that are aligned to the element alone.
TEST_F(RandomNormal, ALargeTensorOfEachType) {
    for_each_large_tensor(
        kTypes, [&](tombola_data_type_t type, tombola_dim_t size, const StreamCall& large) {
            Call call;
            call.alignment = large.alignment;
            call.type = type;
            call.offset = *large.offset;
            if (call.alignment == kPytorch) call.offset *= 16;
            const MemoryDesc dst = row_major({size}, type);
            if (large.guard == Guard::before) check(call, dst, large.guard);
            call.mean = -3;
            call.std = 0.75;
            check(call, dst, large.guard);
        });
}

TEST_F(RandomNormal, ATensorCutInTwoIsTheTensor) {
    constexpr int64_t kCount = 1003;
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch})
        for (const tombola_data_type_t type : kTypes) {
            Call whole;
            whole.alignment = alignment;
            whole.type = type;
            const Answer all = draw(whole, kCount);
            for (const int64_t k : {16, 32, 304, 624, 976, 1, 311, 1001}) {
                if (alignment == kPytorch && k % 16 != 0) continue;
                const Answer head = draw(whole, k);
                Call rest = whole;
                rest.offset = static_cast<uint64_t>(k);
                const Answer tail = draw(rest, kCount - k);
                Bytes both = head.values;
                both.insert(both.end(), tail.values.begin(), tail.values.end());
                ASSERT_TRUE(both == all.values) << type << " at " << k;
                ASSERT_TRUE(tail.state == all.state) << type << " at " << k;
            }
        }
}

TEST_F(RandomNormal, WrongValuesAreRefusedAndNothingIsWritten) {
    for (const tombola_alignment_t alignment : {kTensorflow, kPytorch})
        for (const tombola_data_type_t type : kTypes) {
            Call call;
            call.alignment = alignment;
            call.type = type;
            call.mean = std::numeric_limits<double>::infinity();
            refuse(call, 20, "MEAN is inf; expected a finite number");
            call.mean = std::numeric_limits<double>::quiet_NaN();
            refuse(call, 20, "MEAN is nan; expected a finite number");
            call.mean = 0;
            call.std = -1;
            refuse(call, 20, "STD is -1; expected a finite number of at least 0");
            call.std = std::numeric_limits<double>::infinity();
            refuse(call, 5, "STD is inf; expected a finite number of at least 0");
            call.std = std::numeric_limits<double>::quiet_NaN();
            refuse(call, 5, "STD is nan; expected a finite number of at least 0");
        }
    Call call;
    call.offset = 8;
    refuse(
        call, 40,
        "OFFSET is 8; expected a multiple of 16, because PyTorch draws normal numbers in blocks");
    call.offset = 16;
    refuse(call, 15, "OFFSET is 16 for 15 elements; expected 0 for 1 to 15 elements");
    call.offset = ~uint64_t{0} - 15;
    refuse(call, 40, "OFFSET + elements is at most 2^64");
    EXPECT_EQ(draw(call, 16).status, tombola_success);
    EXPECT_EQ(draw(call, 0).status, tombola_success);
    call.offset = 0;
    call.state = some_state(625, false);
    refuse(call, 40, "SRC_STATE[624], the position, is 625; expected 0 to 624");
    call.state = some_state(3, true);
    call.state[625 * 4] = 2;
    refuse(call, 40, "SRC_STATE[625], whether a normal number is kept, is 2; expected 0 or 1");
    call.state[625 * 4] = 1;
    call.state[627 * 4 + 3] = 0xFF;
    call.state[627 * 4 + 2] = 0xF0;
    refuse(call, 40, "the kept normal number");
}

// The formulas of doc/random_normal.md in f64 for f32's own u and angle, and in long double for f64's. The page states these
// bounds: f32 errs by at most 3 * 2^-23 * max(|value|, 1), f64 by at most 2 * 2^-52 times this.
TEST_F(RandomNormal, TensorflowAgainstAWiderType) {
    constexpr uint64_t kCount = 1 << 18;
    Call call;
    call.alignment = kTensorflow;
    const Answer f32 = draw(call, kCount);
    call.type = tombola_f64;
    const Answer f64 = draw(call, kCount);
    ASSERT_EQ(f32.status, tombola_success);
    ASSERT_EQ(f64.status, tombola_success);
    double worst32 = 0;
    long double worst64 = 0;
    for (uint64_t block = 0; block < kCount / 4; ++block) {
        const auto x = reference::philox_block({static_cast<uint32_t>(block), 0, 10, 0},
                                               {static_cast<uint32_t>(call.seed), 0});
        for (size_t pair = 0; pair < 2; ++pair) {
            const double u = std::max<double>((x[2 * pair] & 0x7FFFFF) * 0x1p-23, 1e-7f);
            const auto a =
                static_cast<float>(6.283185307179586 * (x[2 * pair + 1] & 0x7FFFFF) * 0x1p-23);
            const double radius = std::sqrt(-2 * std::log(u));
            for (size_t k = 0; k < 2; ++k) {
                const double exact = radius * (k == 0 ? std::sin(double{a}) : std::cos(double{a}));
                const double value =
                    value_of(tombola_f32, element(f32.values, 4, 4 * block + 2 * pair + k));
                worst32 = std::max(
                    worst32, std::abs(value - exact) / std::max(1.0, std::abs(exact)) * 0x1p23);
            }
        }
        const auto unit = [](uint32_t high, uint32_t low) {
            return std::ldexp(static_cast<double>(uint64_t{high & 0xFFFFF} << 32 | low), -52);
        };
        const long double u = std::max(unit(x[0], x[1]), 1e-7);
        const long double a = 6.283185307179586 * unit(x[2], x[3]);
        const long double radius = std::sqrt(-2 * std::log(u));
        for (size_t k = 0; k < 2; ++k) {
            const long double exact = radius * (k == 0 ? std::sin(a) : std::cos(a));
            const double value = value_of(tombola_f64, element(f64.values, 8, 2 * block + k));
            worst64 = std::max(worst64, std::abs(value - exact) /
                                            std::max<long double>(1, std::abs(exact)) * 0x1p52L);
        }
    }
    RecordProperty("worst_f32", std::to_string(worst32));
    RecordProperty("worst_f64", std::to_string(static_cast<double>(worst64)));
    EXPECT_LT(worst32, 3.0);
    if (std::numeric_limits<long double>::digits >= 64) {
        EXPECT_LT(worst64, 2.0L);
    }
}

}  // namespace
}  // namespace tombola::test
