// SPDX-License-Identifier: Apache-2.0

// random_uniform, alignment tensorflow: the specification's examples, and values, bounds, layouts and cuts against the
// reference.

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gtests/common/fp_control.hpp"
#include "gtests/common/sparse_memory.hpp"
#include "gtests/primitives/random_uniform_fixture.hpp"

namespace tombola::test {
namespace {

// OpenVINO, RandomUniform-8, examples 1 to 3 for alignment TENSORFLOW, as printed there.
TEST_F(RandomUniform, ExamplesOfTheSpecification) {
    const auto run_all = [&](const DimVector& dims, tombola_data_type_t type, const Call& call,
                             const auto& compare) {
        const MemoryDesc dst = row_major(dims, type);
        for_each_implementation(descriptor(dst, call.seeds),
                                [&](const_tombola_primitive_desc_t row) {
                                    SCOPED_TRACE(impl_name(row));
                                    compare(run(row, dst, call).values);
                                });
    };
    run_all({3, 3}, tombola_f32, {bytes_of(0.0f), bytes_of(1.0f), {150, 10}, {}, {}},
            [](const Bytes& values) {
                const float printed[] = {0.7011236f, 0.30539632f, 0.93931055f,
                                         0.9456035f, 0.11694777f, 0.50770056f,
                                         0.5197197f, 0.22727466f, 0.991374f};
                ASSERT_EQ(values.size(), sizeof printed);
                // 7 or 8 printed digits: half a unit of the seventh.
                for (size_t i = 0; i < 9; ++i) {
                    float value;
                    std::memcpy(&value, &values[i * sizeof value], sizeof value);
                    EXPECT_NEAR(value, printed[i], 0.5e-7) << i;
                }
            });
    run_all({2, 2}, tombola_f64, {bytes_of(2.0), bytes_of(10.0), {80, 100}, {}, {}},
            [](const Bytes& values) {
                const double printed[] = {5.65927959, 4.23122376, 2.67008206, 2.36423758};
                ASSERT_EQ(values.size(), sizeof printed);
                for (size_t i = 0; i < 4; ++i) {
                    double value;
                    std::memcpy(&value, &values[i * sizeof value], sizeof value);
                    EXPECT_NEAR(value, printed[i], 0.5e-8) << i;
                }
            });
    run_all({2, 3}, tombola_s32, {bytes_of(int32_t{50}), bytes_of(int32_t{100}), {80, 100}, {}, {}},
            [](const Bytes& values) {
                const std::array<int32_t, 6> printed = {65, 70, 56, 59, 82, 92};
                EXPECT_TRUE(values == bytes_of(printed));
            });
}

TEST_F(RandomUniform, EveryTypeAtEverySize) {
    std::vector<tombola_dim_t> sizes;
    for (tombola_dim_t size = 1; size <= 140; ++size) sizes.push_back(size);
    for (const tombola_dim_t power : {256, 512, 1024})
        for (const tombola_dim_t near : {-1, 0, 1}) sizes.push_back(power + near);
    for (const auto type : kTypes)
        for (const tombola_dim_t size : sizes) {
            const Guard guard = size % 2 == 0 ? Guard::behind : Guard::before;
            check(row_major({size}, type), type,
                  {bound(type, kMinusThree), bound(type, kFive), {1, 2}, {}, {}}, guard);
        }
}

// The short conversions, their neighbours, ranges that round, and ranges that are as wide as can be.
TEST_F(RandomUniform, EveryKindOfBounds) {
    const Bound pairs[][2] = {{kZero, kOne},         {kMinusTwo, kFive},      {kZero, kSixteen},
                              {kMinusTwo, kSixteen}, {kMinusThree, kFive},    {kFive, kSeven},
                              {kZero, kFive},        {kMinusThree, kThousand}};
    constexpr tombola_dim_t kCount = 1031;
    for (const auto type : kTypes)
        for (const auto& pair : pairs)
            check(row_major({kCount}, type), type,
                  {bound(type, pair[0]), bound(type, pair[1]), {3, 4}, {}, {}});

    const auto bits = [&](tombola_data_type_t type, auto min, auto max) {
        check(row_major({kCount}, type), type, {bytes_of(min), bytes_of(max), {5, 6}, {}, {}});
    };
    // f16 and bf16 by their bits: subnormal ranges, a range at the edge of exactness, the widest.
    bits(tombola_f16, uint16_t{0x0000}, uint16_t{0x0001});
    bits(tombola_f16, uint16_t{0x0000}, uint16_t{0x0200});
    bits(tombola_f16, uint16_t{0x0000}, uint16_t{0x0400});
    bits(tombola_f16, uint16_t{0x8003}, uint16_t{0x0400});
    bits(tombola_f16, uint16_t{0xF7FF}, uint16_t{0x77FF});
    bits(tombola_f16, uint16_t{0x3C00}, uint16_t{0x3C01});
    bits(tombola_bf16, uint16_t{0x0000}, uint16_t{0x0001});
    bits(tombola_bf16, uint16_t{0x0000}, uint16_t{0x0080});
    bits(tombola_bf16, uint16_t{0x0000}, uint16_t{0x0400});
    bits(tombola_bf16, uint16_t{0x8003}, uint16_t{0x0070});
    bits(tombola_bf16, uint16_t{0xFE80}, uint16_t{0x7E80});
    bits(tombola_bf16, uint16_t{0x3F80}, uint16_t{0x3F81});
    bits(tombola_f32, 0.0f, std::numeric_limits<float>::denorm_min());
    bits(tombola_f32, -0.0f, 1.0f);
    bits(tombola_f32, 1.0f, 1.0f + 0x1p-23f);
    bits(tombola_f32, -1.5e38f, 1.8e38f);
    bits(tombola_f32, 0.1f, 0.7f);
    bits(tombola_f64, 0.0, std::numeric_limits<double>::denorm_min());
    bits(tombola_f64, -0.0, 1.0);
    bits(tombola_f64, -8.9e307, 8.9e307);
    bits(tombola_f64, 0.1, 0.7);
}

// Each exponent of f16, each eighth of bf16, with few digits and with many; above 0, so that MAX is the range, and above
// a minimum that makes the sum round too.
TEST_F(RandomUniform, EveryMagnitudeOf16Bits) {
    constexpr tombola_dim_t kCount = 2051;
    const auto sweep = [&](tombola_data_type_t type, int digits, int first, int last, int step,
                           uint16_t other_min) {
        const int ones = (1 << digits) - 1;
        for (int exponent = first; exponent <= last; exponent += step)
            for (const int fraction : {0, 1, ones / 3, ones / 3 * 2, ones - 1, ones}) {
                const auto max = static_cast<uint16_t>(exponent << digits | fraction);
                const auto seed = uint64_t{max};
                if (max != 0)
                    check(row_major({kCount}, type), type,
                          {bytes_of(uint16_t{0}), bytes_of(max), {seed, 7}, {}, {}});
                check(row_major({kCount}, type), type,
                      {bytes_of(other_min), bytes_of(max), {seed, 8}, {}, {}});
            }
    };
    sweep(tombola_f16, 10, 0, 30, 1, 0x9555);     // -0.0013
    sweep(tombola_bf16, 7, 0, 254, 8, 0x8355);    // -6.3e-37
    sweep(tombola_bf16, 7, 120, 140, 1, 0xBEAA);  // -0.33
    // f16 ranges from 2^-6 to 2^-3, where the smallest products cease to be subnormal. With a minimum of one unit a
    // product that was not rounded, being a tie, shows: the sum is a tie that goes the other way.
    for (int max = 9 << 10; max < 12 << 10; max += 3)
        check(row_major({kCount}, tombola_f16), tombola_f16,
              {bytes_of(uint16_t{1}), bytes_of(static_cast<uint16_t>(max)), {9, 9}, {}, {}});
}

// Quotients by multiplication: ranges beside powers of two, small, prime, and the largest.
TEST_F(RandomUniform, EveryKindOfIntegerRange) {
    constexpr tombola_dim_t kCount = 515;
    const auto check_s32 = [&](uint32_t range, uint32_t min) {
        const auto max = static_cast<int32_t>(min + range);
        if (static_cast<int32_t>(min) >= max) return;
        check(row_major({kCount}, tombola_s32), tombola_s32,
              {bytes_of(min), bytes_of(max), {range, min}, {}, {}});
    };
    const auto check_s64 = [&](uint64_t range, uint64_t min) {
        const auto max = static_cast<int64_t>(min + range);
        if (static_cast<int64_t>(min) >= max) return;
        check(row_major({kCount}, tombola_s64), tombola_s64,
              {bytes_of(min), bytes_of(max), {range, min | 1}, {}, {}});
    };
    constexpr auto kMin32 = static_cast<uint32_t>(std::numeric_limits<int32_t>::min());
    constexpr auto kMin64 = static_cast<uint64_t>(std::numeric_limits<int64_t>::min());
    for (int shift = 0; shift < 64; ++shift)
        for (const int near : {-2, -1, 0, 1, 2, 3, 5}) {
            const uint64_t range = (uint64_t{1} << shift) + static_cast<uint64_t>(int64_t{near});
            if (range == 0) continue;
            check_s64(range, kMin64);
            check_s64(range, 17);
            if (range > std::numeric_limits<uint32_t>::max()) continue;
            check_s32(static_cast<uint32_t>(range), kMin32);
            check_s32(static_cast<uint32_t>(range), 0u - 5u);
        }
    for (const uint64_t range :
         {3ull, 5ull, 7ull, 10ull, 641ull, 1000ull, 1000003ull, 4294967291ull, 0xFFFFFFFFull,
          0x1234567890ABCDEFull, 0xFFFFFFFFFFFFFFFFull}) {
        check_s64(range, kMin64);
        if (range <= 0xFFFFFFFFull) check_s32(static_cast<uint32_t>(range), kMin32);
    }
}

// Blocks whose counter is about to carry through each of its words.
TEST_F(RandomUniform, CounterCarries) {
    const State states[] = {{0xFFFFFFFF, 7},
                            {0xFFFFFFF0, 0},
                            {~uint64_t{0}, 7},
                            {~uint64_t{0} - 9, 0xFFFFFFFF},
                            {~uint64_t{0} - 20, ~uint64_t{0}}};
    for (const auto type : kTypes)
        for (const State& state : states)
            for (const uint64_t offset : {0, 1, 2, 3, 77})
                check(row_major({301}, type), type,
                      {bound(type, kMinusThree), bound(type, kFive), {9, 8}, offset, state});
    // Offsets beyond 2^64 words, up to the last that 67 elements may have.
    for (const auto type : kTypes)
        for (const uint64_t offset :
             {0 - uint64_t{67}, ~uint64_t{0} / 2, uint64_t{0xFFFFFFFF} * 4 - 3})
            check(row_major({67}, type), type,
                  {bound(type, kZero), bound(type, kOne), {9, 8}, offset, {}});
}

// Elements are numbered by 64 bits. Of those beyond, no OFFSET could begin with the second.
TEST_F(RandomUniform, OffsetsOfWhichElementsPass64BitsAreRefused) {
    const auto call = [&](tombola_data_type_t type, uint64_t offset) {
        return Call{bound(type, kZero), bound(type, kFive), {9, 8}, offset, {}};
    };
    for (const auto type : kTypes) {
        check(row_major({1}, type), type, call(type, ~uint64_t{0}));
        const MemoryDesc dst = row_major({67}, type);
        for_each_implementation(descriptor(dst, {9, 8}), [&](const_tombola_primitive_desc_t row) {
            SCOPED_TRACE(impl_name(row));
            for (const uint64_t offset : {0 - uint64_t{66}, ~uint64_t{0}})
                EXPECT_EQ(run(row, dst, call(type, offset)).status, tombola_invalid_arguments);
            EXPECT_NE(last_error().find("OFFSET is 18446744073709551615 for 67 elements; expected "
                                        "at most 18446744073709551549"),
                      std::string::npos)
                << last_error();
        });
    }
}

TEST_F(RandomUniform, CutsAnywhere) {
    constexpr tombola_dim_t kCount = 203;
    for (const auto type : kTypes) {
        const size_t size = tombola_data_type_size(type);
        Call call{bound(type, kMinusThree), bound(type, kSeven), {42, 43}, 5, {}};
        for_each_implementation(
            descriptor(row_major({kCount}, type), call.seeds),
            [&](const_tombola_primitive_desc_t first) {
                const std::string name = impl_name(first);
                SCOPED_TRACE(name);
                const Bytes whole = run(first, row_major({kCount}, type), call).values;
                for (tombola_dim_t k = 1; k < kCount; ++k) {
                    Bytes joined;
                    Call part = call;
                    for (const auto& [begin, count] :
                         {std::pair{tombola_dim_t{0}, k}, {k, kCount - k}}) {
                        part.offset = 5 + static_cast<uint64_t>(begin);
                        const MemoryDesc dst = row_major({count}, type);
                        for_each_implementation(
                            descriptor(dst, call.seeds), [&](const_tombola_primitive_desc_t row) {
                                if (impl_name(row) != name) return;
                                const Bytes values = run(row, dst, part).values;
                                joined.insert(joined.end(), values.begin(), values.end());
                            });
                    }
                    ASSERT_EQ(joined.size(), whole.size());
                    EXPECT_EQ(std::memcmp(joined.data(), whole.data(), kCount * size), 0) << k;
                }
            });
    }
}

TEST_F(RandomUniform, EveryLayoutHasTheSameValues) {
    for (const auto type : kTypes) {
        const Call call{bound(type, kMinusTwo), bound(type, kFive), {11, 12}, 3, {}};
        const MemoryDesc layouts[] = {
            tagged({2, 19, 5, 7}, type, tombola_nchw),
            tagged({2, 19, 5, 7}, type, tombola_nhwc),
            tagged({2, 19, 5, 7}, type, tombola_nChw8c),
            tagged({2, 19, 5, 7}, type, tombola_nChw16c),
            tagged({3, 17}, type, tombola_ba),
            tagged({1, 1, 1, 1}, type, tombola_nChw16c),
            strided({3, 4, 5}, type, {50, 11, 2}),
            strided({3, 4, 5}, type, {1, 3, 12}),
            strided({7}, type, {3}),
            tagged({2, 19, 5, 7, 3}, type, tombola_ndhwc),
            tagged({5, 33}, type, tombola_nc),
        };
        for (const MemoryDesc& dst : layouts) {
            ASSERT_NE(dst.get(), nullptr);
            check(dst, type, call);
            check(dst, type, call, Guard::before, true);
        }
    }
}

// Kernels that make several rows at once need rows of whole blocks. Some tensors have rows beyond a multiple of those.
// The last state's lowest word wraps within the tensor.
TEST_F(RandomUniform, RowsOfWholeBlocksSideBySide) {
    for (const auto type : kTypes)
        for (const auto& [offset, state] : {std::pair{uint64_t{0}, State{0, 3}},
                                            {8, {0xFFFFFFFFFFFF8000, 3}},
                                            {2, {5, 0}},
                                            {3, {0, 3}},
                                            {0, {0xFFFFFFF0, 9}}}) {
            const Call call{bound(type, kMinusTwo), bound(type, kFive), {11, 12}, offset, state};
            for (const DimVector& dims : {DimVector{2, 21, 4, 7}, {1, 40, 16, 17}, {3, 16, 2, 2}})
                for (const auto tag :
                     {tombola_nhwc, tombola_nChw4c, tombola_nChw8c, tombola_nChw16c}) {
                    const MemoryDesc dst = tagged(dims, type, tag);
                    check(dst, type, call);
                    check(dst, type, call, Guard::before, true);
                }
        }
}

// The lowest word of the counter wraps right after the last block of such rows, or right before it.
TEST_F(RandomUniform, RowsOfWholeBlocksNextToTheWrap) {
    const DimVector dims = {1, 16, 4, 4};
    for (const auto type : kTypes) {
        const uint64_t blocks = 16 * 4 * 4 / (tombola_data_type_size(type) == 8 ? 2 : 4);
        for (const uint64_t blocks_to_wrap : {blocks, blocks - 1}) {
            const State state{(uint64_t{1} << 32) - blocks_to_wrap, 9};
            check(tagged(dims, type, tombola_nhwc), type,
                  {bound(type, kMinusTwo), bound(type, kFive), {11, 12}, {}, state});
        }
    }
}

// Large enough for several threads and for stores past the caches, at addresses that are aligned to 64 bytes, to 16, and to the element
// alone.
TEST_F(RandomUniform, LargeTensors) {
    constexpr size_t kBytes = (size_t{8} << 20) + 4096;
    for (const auto type : kTypes) {
        const size_t size = tombola_data_type_size(type);
        const auto count = static_cast<tombola_dim_t>(kBytes / size) + 3;
        const Call call{
            bound(type, kZero), bound(type, kOne), {21, 22}, 1, State{0xFFFFFFFFFFFF8000, 3}};
        const Answer right = expected(type, call, static_cast<uint64_t>(count));
        const MemoryDesc dst = row_major({count}, type);
        const MemoryDesc scalar = row_major({1}, type), u64x1 = row_major({1}, tombola_u64),
                         u64x2 = row_major({2}, tombola_u64);
        std::vector<uint8_t> buffer(static_cast<size_t>(count) * size + 256);
        uint8_t* aligned = buffer.data() + (64 - reinterpret_cast<uintptr_t>(buffer.data()) % 64);
        for_each_implementation(
            descriptor(dst, call.seeds), [&](const_tombola_primitive_desc_t row) {
                SCOPED_TRACE(impl_name(row));
                Primitive primitive;
                ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success);
                for (const size_t shift : {size_t{0}, size_t{16}, size}) {
                    for (const uint64_t offset : {0, 1}) {
                        Bytes min = call.min, max = call.max, offset_bytes = bytes_of(offset);
                        State state = *call.state;
                        const Memory min_memory = memory_over(scalar, engine_, min.data());
                        const Memory max_memory = memory_over(scalar, engine_, max.data());
                        const Memory offset_memory =
                            memory_over(u64x1, engine_, offset_bytes.data());
                        const Memory state_memory = memory_over(u64x2, engine_, state.data());
                        const Memory out = memory_over(dst, engine_, aligned + shift);
                        const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_MIN, min_memory},
                                                           {TOMBOLA_ARG_MAX, max_memory},
                                                           {TOMBOLA_ARG_OFFSET, offset_memory},
                                                           {TOMBOLA_ARG_SRC_STATE, state_memory},
                                                           {TOMBOLA_ARG_DST, out}};
                        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 5, args),
                                  tombola_success)
                            << last_error();
                        const size_t skip = (1 - static_cast<size_t>(offset)) * size;
                        EXPECT_EQ(std::memcmp(aligned + shift + skip, right.values.data(),
                                              right.values.size() - skip),
                                  0);
                    }
                }
            });
    }
}

// The same between guard pages, and in nhwc, with bounds that lead to the other forms of the kernels: those for all bounds, and in f16 and
// bf16 those for ranges that are neither powers of two nor small.
TEST_F(RandomUniform, LargeTensorsOfOtherBounds) {
    for (const auto type : kTypes) {
        const bool is_16_bit = tombola_data_type_size(type) == 2;
        const auto count =
            static_cast<tombola_dim_t>((size_t{4} << 20) / tombola_data_type_size(type)) + 1031;
        for (const auto& [min, max] : {std::pair{kMinusThree, kSeven}, {kZero, kSmall}}) {
            if (max.value < 1 && !is_16_bit) continue;
            Call call{bound(type, min), bound(type, max), {21, 22}, {}, {}};
            for (const uint64_t offset : {0, 3}) {
                call.offset = offset;
                call.state = State{0xFFFFFFFFFFFF8000, 3};
                check(row_major({count}, type), type, call,
                      offset == 0 ? Guard::before : Guard::behind);
            }
            call.offset = 0;
            call.state.reset();
            check(tagged({3, count / 3 / 84 / 84 + 1, 84, 84}, type, tombola_nhwc), type, call);
        }
    }
}

TEST_F(RandomUniform, ElementsBeyondTwoGiB) {
    const DimVector dims = {2, 16, 4, 4};
    for (const auto type : kTypes)
        for (const MemoryDesc& dst : far_images(dims, type)) {
            const Call call{bound(type, kMinusThree), bound(type, kFive), {21, 22}, 0, {}};
            const Answer right = expected(type, call, 2 * 16 * 4 * 4);
            for_each_implementation(
                descriptor(dst, call.seeds), [&](const_tombola_primitive_desc_t row) {
                    Primitive primitive;
                    ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success);
                    SparseTensor out(dst, engine_);
                    ASSERT_TRUE(out);
                    const MemoryDesc scalar = row_major({1}, type);
                    Tensor min(scalar, engine_), max(scalar, engine_);
                    min.write(call.min);
                    max.write(call.max);
                    const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_MIN, min.memory()},
                                                       {TOMBOLA_ARG_MAX, max.memory()},
                                                       {TOMBOLA_ARG_DST, out.memory()}};
                    ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 3, args),
                              tombola_success)
                        << last_error();
                    EXPECT_TRUE(out.read() == right.values) << impl_name(row) << " type " << type;
                });
        }
}

// Flush-to-zero and denormals-are-zero, and each other rounding direction: the same bits, and the caller's
// setting is there afterwards.
TEST_F(RandomUniform, CallersFloatingPointSettings) {
    for (const auto type : kTypes) {
        Call call{bound(type, kMinusThree), bound(type, kSeven), {77, 78}, {}, {}};
        if (type == tombola_f32) call.max = bytes_of(1e-39f), call.min = bytes_of(0.0f);
        if (type == tombola_f64) call.max = bytes_of(1e-310), call.min = bytes_of(0.0);
        if (type == tombola_bf16)
            call.max = bytes_of(uint16_t{0x0040}), call.min = bytes_of(uint16_t{0});
        for (const uint64_t setting : {kFpFlush, kFpDown, kFpUp, kFpToZero}) {
            const uint64_t caller = kFpDefault | setting;
            const Answer right = expected(type, call, 333);
            const MemoryDesc dst = row_major({333}, type);
            for_each_implementation(descriptor(dst, call.seeds),
                                    [&](const_tombola_primitive_desc_t row) {
                                        SCOPED_TRACE(impl_name(row));
                                        set_fp_control(caller);
                                        const Answer answer = run(row, dst, call);
                                        const uint64_t afterwards = fp_control();
                                        set_fp_control(kFpDefault);
                                        EXPECT_EQ(afterwards & kFpModes, caller);
                                        EXPECT_TRUE(answer.values == right.values);
                                    });
        }
    }
}

TEST_F(RandomUniform, BadBoundsAreRefusedAndNothingIsWritten) {
    const auto refused = [&](tombola_data_type_t type, const Bytes& min, const Bytes& max,
                             const std::string& named) {
        const MemoryDesc dst = row_major({5}, type);
        for_each_implementation(descriptor(dst, {1, 1}), [&](const_tombola_primitive_desc_t row) {
            SCOPED_TRACE(impl_name(row) + " " + named);
            const Answer answer = run(row, dst, {min, max, {1, 1}, {}, {}});
            EXPECT_EQ(answer.status, tombola_invalid_arguments);
            EXPECT_NE(last_error().find(named), std::string::npos) << last_error();
        });
    };
    for (const auto type : kTypes) {
        refused(type, bound(type, kFive), bound(type, kFive), "MIN is 5 and MAX is 5");
        refused(type, bound(type, kFive), bound(type, kMinusTwo), "MIN is 5 and MAX is -2");
    }
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    refused(tombola_f32, bytes_of(0.0f), bytes_of(inf), "MAX is inf");
    refused(tombola_f32, bytes_of(-inf), bytes_of(0.0f), "MIN is -inf");
    refused(tombola_f32, bytes_of(nan), bytes_of(1.0f), "MIN is nan");
    refused(tombola_f32, bytes_of(0.0f), bytes_of(nan), "MAX is nan");
    refused(tombola_f32, bytes_of(-3e38f), bytes_of(3e38f), "MAX - MIN");
    refused(tombola_f64, bytes_of(-1e308), bytes_of(1e308), "MAX - MIN");
    refused(tombola_f16, bytes_of(uint16_t{0xFBFF}), bytes_of(uint16_t{0x7BFF}), "MAX - MIN");
    refused(tombola_bf16, bytes_of(uint16_t{0xFF7F}), bytes_of(uint16_t{0x7F7F}), "MAX - MIN");
    refused(tombola_f16, bytes_of(uint16_t{0}), bytes_of(uint16_t{0x7C00}), "MAX is inf");
    refused(tombola_bf16, bytes_of(uint16_t{0x7FC0}), bytes_of(uint16_t{0}), "MIN is nan");
}

}  // namespace
}  // namespace tombola::test
