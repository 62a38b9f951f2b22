// SPDX-License-Identifier: Apache-2.0

// dropout, both directions, against the reference: types, masks, layouts, offsets and seeds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gtests/common/sparse_memory.hpp"
#include "gtests/primitives/dropout_fixture.hpp"

namespace tombola::test {
namespace {

TEST_F(Dropout, EveryTypeNumberOfBitsAndMaskAtEverySize) {
    std::vector<tombola_dim_t> sizes = {255, 256, 257, 511, 512, 513, 700, 1025};
    for (tombola_dim_t size = 1; size <= 67; ++size) sizes.push_back(size);
    for (tombola_dim_t size = 120; size <= 136; ++size) sizes.push_back(size);
    for (const auto type : kTypes)
        for (const int bits : kDrawBits)
            for (const auto mask : kMasks)
                for (const tombola_dim_t size : sizes) {
                    const Guard guard = size % 2 == 0 ? Guard::behind : Guard::before;
                    Case c{type, bits, mask};
                    c.guard = guard;
                    c.backward = size % 3 == 0;
                    c.in_place = size % 5 == 0;
                    check(c, row_major({size}, type));
                    c.backward = !c.backward;
                    check(c, row_major({size}, type));
                }
}

TEST_F(Dropout, EveryOffsetWithinABlock) {
    for (const auto type : kTypes)
        for (const int bits : kDrawBits)
            for (const auto mask : kMasks)
                for (uint64_t offset = 1; offset <= 18; ++offset)
                    for (const bool backward : {false, true}) {
                        Case c{type, bits, mask};
                        c.offset = offset;
                        c.backward = backward;
                        check(c, row_major({3}, type));
                        check(c, row_major({517}, type));
                    }
}

// The lowest word of the counter wraps after 2^32 blocks: of 4, 8 or 16 draws.
TEST_F(Dropout, OffsetsAcrossTheCarriesOfTheCounter) {
    for (const auto type : kTypes)
        for (const int bits : kDrawBits) {
            const uint64_t wrap = (uint64_t{1} << 32) * static_cast<unsigned>(128 / bits);
            for (const uint64_t before : {1, 3, 16, 40, 64, 200, 513})
                for (const auto mask : kMasks) {
                    Case c{type, bits, mask};
                    c.seeds = {1, ~uint64_t{0}};
                    c.offset = wrap - before;
                    check(c, row_major({700}, type));
                }
            Case last{type, bits};
            last.offset = uint64_t{0} - 700;
            check(last, row_major({700}, type));
        }
}

TEST_F(Dropout, EveryKindOfProbability) {
    for (const auto type : kTypes)
        for (const int bits : kDrawBits)
            for (const auto mask : kMasks)
                for (const bool backward : {false, true})
                    for (const float p : {0.0f, -0.0f, std::numeric_limits<float>::denorm_min(),
                                          0x1p-23f, 0x1p-16f, 0.00390625f, 0.1f, 0.5f, 0.99609375f,
                                          0.99609381f, 0.9999f, 0x1.fffffep-1f, 1.0f}) {
                        Case c{type, bits, mask};
                        c.p = p;
                        c.backward = backward;
                        check(c, row_major({333}, type));
                    }
}

// Masks that no forward dropout wrote: any byte but 0 keeps, and the bits behind the last element do not matter.
TEST_F(Dropout, BackwardReadsAnyMask) {
    for (const auto type : kTypes)
        for (const auto mask : {tombola_dropout_mask_u8, tombola_dropout_mask_bits})
            for (const float p : {0.0f, 0.4f, 1.0f})
                for (const tombola_dim_t size : {1, 7, 31, 64, 333}) {
                    Case c{type, 16, mask};
                    c.p = p;
                    c.backward = true;
                    c.seeds = {0, 0};  // they do not count
                    c.given_mask = test_bytes(static_cast<size_t>(
                        mask == tombola_dropout_mask_bits ? (size + 7) / 8 : size));
                    for (size_t i = 0; i < c.given_mask->size(); i += 3)
                        if (mask == tombola_dropout_mask_u8) (*c.given_mask)[i] = 0;
                    check(c, row_major({size}, type));
                }
}

TEST_F(Dropout, MaskMayBeLeftOut) {
    for (const auto mask : {tombola_dropout_mask_u8, tombola_dropout_mask_bits})
        for (const bool backward : {false, true}) {
            Case c{tombola_f32, 32, mask};
            c.with_mask = false;
            c.backward = backward;
            check(c, row_major({300}, tombola_f32));
            for (const auto type : kTypes)
                for (const bool in_place : {false, true})
                    for (const auto tag :
                         {tombola_nhwc, tombola_nChw4c, tombola_nChw8c, tombola_nChw16c})
                        for (const tombola_dim_t channels : {16, 19}) {
                            c.type = type;
                            c.in_place = in_place;
                            check(c, tagged({2, channels, 5, 7}, type, tag));
                        }
        }
}

TEST_F(Dropout, EveryLayoutInPlaceAndNot) {
    const DimVector dims = {2, 19, 5, 7};
    for (const auto type : kTypes)
        for (const auto mask : kMasks)
            for (const bool backward : {false, true})
                for (const bool in_place : {false, true}) {
                    Case c{type, 32, mask};
                    c.backward = backward;
                    c.in_place = in_place;
                    c.offset = 5;
                    c.padding = 0x3C;
                    for (const auto tag : {tombola_nchw, tombola_nhwc, tombola_nChw4c,
                                           tombola_nChw8c, tombola_nChw16c, tombola_cdba})
                        check(c, tagged(dims, type, tag));
                    check(c, strided({9, 21}, type, {50, 2}));
                    check(c, strided({9, 64}, type, {80, 1}));
                }
    // All or nothing is dropped.
    for (const float p : {0.0f, 1.0f})
        for (const auto mask : kMasks)
            for (const bool backward : {false, true}) {
                Case c{tombola_bf16, 32, mask};
                c.p = p;
                c.backward = backward;
                c.padding = 0x3C;
                for (const auto tag : {tombola_nhwc, tombola_nChw8c})
                    check(c, tagged(dims, tombola_bf16, tag));
            }
    // More than one run, and layouts that differ.
    for (const auto from : {tombola_nchw, tombola_nhwc, tombola_nChw16c})
        for (const auto to : {tombola_nchw, tombola_nhwc, tombola_nChw8c})
            for (const auto mask : kMasks)
                check({tombola_bf16, 16, mask}, tagged({2, 69, 12, 11}, tombola_bf16, from),
                      tagged({2, 69, 12, 11}, tombola_bf16, to));
}

// Kernels that make several rows at once need rows of whole blocks. Some tensors have rows beyond a multiple of those. Where both tensors lie
// alike, bits are drawn instead.
TEST_F(Dropout, RowsOfWholeBlocksSideBySide) {
    for (const auto type : kTypes)
        for (const auto mask : kMasks)
            for (const int bits : kDrawBits)
                for (const uint64_t offset : {0, 16, 3})
                    for (const bool in_place : {false, true}) {
                        Case c{type, bits, mask};
                        c.in_place = in_place;
                        c.offset = offset;
                        for (const DimVector& dims : {DimVector{2, 21, 4, 7}, {1, 40, 16, 35}})
                            for (const auto tag :
                                 {tombola_nhwc, tombola_nChw4c, tombola_nChw8c, tombola_nChw16c})
                                check(c, tagged(dims, type, tag));
                        if (in_place) continue;
                        for (const DimVector& dims : {DimVector{2, 40, 4, 8}, {1, 8, 48, 48}})
                            for (const auto to : {tombola_nChw8c, tombola_nChw16c})
                                check(c, tagged(dims, type, tombola_nhwc), tagged(dims, type, to));
                    }
}

// As StochasticRounding.OddRowsSideBySide, with layouts that differ, so that no bits are drawn.
TEST_F(Dropout, OddRowsSideBySide) {
    const DimVector dims = {1, 17, 53, 41};
    for (const auto type : kTypes)
        for (const auto mask : kMasks)
            for (const int bits : kDrawBits) {
                const uint64_t wrap = uint64_t{512} / static_cast<unsigned>(bits) << 30;
                for (const uint64_t offset : {uint64_t{5}, wrap - 9001})
                    for (const auto from : {tombola_nchw, tombola_nhwc})
                        for (const Guard guard : {Guard::behind, Guard::before}) {
                            Case c{type, bits, mask};
                            c.offset = offset;
                            c.guard = guard;
                            check(c, tagged(dims, type, from), tagged(dims, type, tombola_nChw8c));
                        }
            }
}

// Many small images. Bits are drawn and put in the order of memory. A block, or an image with padding in its last block, ends within a byte
// of the mask, which threads must not share.
TEST_F(Dropout, WorkThatThreadsShare) {
    for (const auto mask : kMasks)
        for (const int bits : {8, 32})
            for (const bool backward : {false, true}) {
                Case c{tombola_bf16, bits, mask};
                c.backward = backward;
                c.offset = 7;
                c.padding = 0x3C;
                for (const auto tag :
                     {tombola_nhwc, tombola_nChw4c, tombola_nChw8c, tombola_nChw16c})
                    for (const tombola_dim_t channels : {4, 12, 13, 16})
                        check(c, tagged({203, channels, 3, 5}, tombola_bf16, tag));
            }
}

// Either tensor, or both.
TEST_F(Dropout, ElementsBeyondTwoGiB) {
    const DimVector dims = {2, 16, 4, 4};
    constexpr size_t kCount = 2 * 16 * 4 * 4;
    for (const auto type : kTypes)
        for (const MemoryDesc& far : far_images(dims, type))
            for (int which = 0; which < 3; ++which) {
                const MemoryDesc near = tagged(dims, type, tombola_nhwc);
                const MemoryDesc &from_desc = which == 0 ? near : far,
                                 &to_desc = which == 1 ? near : far;
                const Case c{type};
                const Bytes values = test_bytes(kCount * tombola_data_type_size(type));
                Bytes want(values.size());
                reference::dropout_reference(request(c),
                                             reference::dropout_keeps(request(c), kCount),
                                             values.data(), want.data());
                SparseTensor from(from_desc, engine_), to(to_desc, engine_);
                ASSERT_TRUE(from && to);
                from.write(values);
                Tensor p(row_major({1}, tombola_f32), engine_);
                p.write(bytes_of(c.p));
                const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, from.memory()},
                                                   {TOMBOLA_ARG_P, p.memory()},
                                                   {TOMBOLA_ARG_DST, to.memory()}};
                for_each_implementation(
                    descriptor(c, from_desc, to_desc), [&](const_tombola_primitive_desc_t row) {
                        to.write(Bytes(values.size(), 0xA5));
                        Primitive primitive;
                        ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success);
                        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 3, args),
                                  tombola_success)
                            << last_error();
                        EXPECT_TRUE(to.read() == want) << impl_name(row) << " type " << type;
                    });
            }
}

// Large enough for stores past the caches, and for several threads: these have parts of the pixels (backward), of the bands whose bits are
// drawn at once, or of the elements.
TEST_F(Dropout, LargeTensorsWithChannelsSideBySide) {
    for (const auto mask : {tombola_dropout_mask_u8, tombola_dropout_mask_bits})
        for (const bool backward : {false, true}) {
            Case c{tombola_f32, 8, mask};
            c.backward = backward;
            c.padding = 0x3C;
            for (const DimVector& dims : {DimVector{2, 56, 104, 104}, {2, 112, 73, 73}})
                for (const auto tag : {tombola_nhwc, tombola_nChw16c})
                    check(c, tagged(dims, tombola_f32, tag));
            check(c, tagged({12, 56, 44, 44}, tombola_f32, tombola_nhwc));
            check(c, tagged({6, 40, 73, 73}, tombola_f32, tombola_nChw4c));
        }
    check({tombola_bf16, 16, tombola_dropout_mask_none},
          tagged({12, 40, 73, 73}, tombola_bf16, tombola_nChw4c));
}

// Large enough for stores past the caches. The tensors are whole pages, so they begin with a cache line.
TEST_F(Dropout, LargeTensorsFromACacheLineOn) {
    const MemoryDesc desc = row_major({(1 << 20) + 1024}, tombola_f32);
    for (const int bits : {8, 16, 32})
        for (const auto mask : kMasks) check({tombola_f32, bits, mask}, desc, desc);
}

// The last blocks before the carry lie before the first cache line that is stored past the caches: the tensor ends with a page, and
// begins 5 elements, or 21, before such a line.
TEST_F(Dropout, LargeTensorsFromTheCarryOfTheCounterOn) {
    for (const int bits : kDrawBits)
        for (const tombola_dim_t more : {5, 21})
            for (const uint64_t before : {1, 11}) {
                Case c{tombola_f32, bits, tombola_dropout_mask_u8};
                c.offset = (uint64_t{1} << 32) * static_cast<unsigned>(128 / bits) - before;
                check(c, row_major({(1 << 20) + 1024 + more}, tombola_f32));
            }
}

// Large tensors, with a whole and a broken first block of draws.
TEST_F(Dropout, LargeTensorsOnSeveralThreads) {
    constexpr size_t kCount = (size_t{1} << 20) + 1031;
    for (const uint64_t offset : {0, 3}) {
        Case c{tombola_f32, offset == 0 ? 32 : 8, tombola_dropout_mask_bits};
        c.offset = offset;
        const std::vector<bool> keeps = reference::dropout_keeps(request(c), kCount);
        const Bytes bits = reference::dropout_mask_bits(keeps);
        std::vector<float> values(kCount), want(kCount), results(kCount);
        for (size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i % 1000) - 500;
        reference::dropout_reference(request(c), keeps, values.data(), want.data());
        const MemoryDesc desc = row_major({kCount}, tombola_f32);
        const Memory src = memory_over(desc, engine_, values.data());
        const Memory dst = memory_over(desc, engine_, results.data());
        const Memory p = memory_over(row_major({1}, tombola_f32), engine_, &c.p);
        const Memory at = memory_over(row_major({1}, tombola_u64), engine_, &c.offset);
        for_each_implementation(descriptor(c, desc, desc), [&](const_tombola_primitive_desc_t row) {
            SCOPED_TRACE(impl_name(row));
            Primitive primitive;
            ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success);
            Bytes mask_bytes(bits.size(), 0xA5);
            const Memory mask =
                memory_over(row_major({static_cast<tombola_dim_t>(bits.size())}, tombola_u8),
                            engine_, mask_bytes.data());
            std::fill(results.begin(), results.end(), -1.0f);
            const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_SRC, src},
                                               {TOMBOLA_ARG_P, p},
                                               {TOMBOLA_ARG_OFFSET, at},
                                               {TOMBOLA_ARG_DST, dst},
                                               {TOMBOLA_ARG_MASK, mask}};
            ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 5, args), tombola_success)
                << last_error();
            EXPECT_TRUE(results == want);
            EXPECT_TRUE(mask_bytes == bits);
        });
        // Backward by the mask, in place and not.
        c.backward = true;
        for_each_implementation(descriptor(c, desc, desc), [&](const_tombola_primitive_desc_t row) {
            SCOPED_TRACE(impl_name(row));
            Primitive primitive;
            ASSERT_EQ(tombola_primitive_create(primitive.out(), row), tombola_success);
            Bytes mask_bytes = bits;
            const Memory mask =
                memory_over(row_major({static_cast<tombola_dim_t>(bits.size())}, tombola_u8),
                            engine_, mask_bytes.data());
            for (const bool in_place : {false, true}) {
                results = values;
                const tombola_exec_arg_t args[] = {{TOMBOLA_ARG_DIFF_DST, in_place ? dst : src},
                                                   {TOMBOLA_ARG_P, p},
                                                   {TOMBOLA_ARG_DIFF_SRC, dst},
                                                   {TOMBOLA_ARG_MASK, mask}};
                ASSERT_EQ(tombola_primitive_execute(primitive, stream_, 4, args), tombola_success)
                    << last_error();
                EXPECT_TRUE(results == want) << in_place;
            }
        });
    }
}

// [0, k) then [k, n) is [0, n), for any k.
TEST_F(Dropout, OffsetContinuesTheStream) {
    for (const int bits : kDrawBits) {
        Case c{tombola_f32, bits};
        const auto whole = drop_ones(c, 1000);
        for (const size_t cut : {1, 5, 64, 333, 999}) {
            auto joined = drop_ones(c, cut);
            Case rest = c;
            rest.offset = cut;
            const auto tail = drop_ones(rest, 1000 - cut);
            joined.insert(joined.end(), tail.begin(), tail.end());
            EXPECT_TRUE(joined == whole) << bits << " bits, cut at " << cut;
        }
    }
}

// The elements that are kept are those at which random_uniform's f32 numbers of the same seeds reach P, which is
// TensorFlow's rule (tf.nn.dropout: keep where uniform >= rate).
TEST_F(Dropout, KeepsWhereUniformNumbersReachP) {
    constexpr size_t kCount = 5000;
    const MemoryDesc desc = row_major({kCount}, tombola_f32);
    PrimitiveDesc uniform_desc;
    ASSERT_EQ(tombola_random_uniform_primitive_desc_create(uniform_desc.out(), engine_,
                                                           tombola_alignment_tensorflow, desc, 7, 8,
                                                           tombola_int_draws_spec, nullptr),
              tombola_success);
    Primitive uniform;
    ASSERT_EQ(tombola_primitive_create(uniform.out(), uniform_desc), tombola_success);
    std::vector<float> numbers(kCount);
    float zero = 0, one = 1;
    const MemoryDesc scalar = row_major({1}, tombola_f32);
    const Memory min = memory_over(scalar, engine_, &zero),
                 max = memory_over(scalar, engine_, &one);
    const Memory dst = memory_over(desc, engine_, numbers.data());
    const tombola_exec_arg_t args[] = {
        {TOMBOLA_ARG_MIN, min}, {TOMBOLA_ARG_MAX, max}, {TOMBOLA_ARG_DST, dst}};
    ASSERT_EQ(tombola_primitive_execute(uniform, stream_, 3, args), tombola_success);
    Case c;
    c.seeds = {7, 8};
    for (const float p : {0.1f, 0.5f, 0.9f}) {
        c.p = p;
        const auto dropped = drop_ones(c, kCount);
        for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(dropped[i] != 0, numbers[i] >= p) << i;
    }
}

// The number kept is binomial. With the fixed seeds it lies within 4 standard deviations, and the mean of ones stays 1
// as nearly. With 8 bits P = 0.1 is 26/256, and the scale is 256/230.
TEST_F(Dropout, MeanIsThatOfTheMask) {
    constexpr size_t kCount = 200000;
    for (const int bits : kDrawBits) {
        Case c{tombola_f32, bits};
        c.p = 0.1f;
        const double drop = bits == 8 ? 26.0 / 256 : bits == 16 ? 6554.0 / 65536 : 0.1;
        double kept = 0, sum = 0;
        for (const float value : drop_ones(c, kCount)) {
            if (value != 0) {
                EXPECT_NEAR(value, 1 / (1 - drop), 1e-6);
            }
            kept += value != 0 ? 1 : 0;
            sum += value;
        }
        const double deviation = std::sqrt(drop * (1 - drop) / kCount);
        EXPECT_NEAR(kept / kCount, 1 - drop, 4 * deviation);
        EXPECT_NEAR(sum / kCount, 1, 4 * deviation / (1 - drop));
    }
}

TEST_F(Dropout, SeedsOfEntropyAreReported) {
    const MemoryDesc desc = row_major({200}, tombola_f32);
    Case c;
    c.seeds = {0, 0};
    Primitive primitive;
    ASSERT_EQ(tombola_primitive_create(primitive.out(), descriptor(c, desc, desc)),
              tombola_success);
    std::vector<float> ones(200, 1.0f), first(200), again(200);
    float p = 0.5f;
    Seeds used{}, other{};
    const Memory src = memory_over(desc, engine_, ones.data());
    const Memory p_memory = memory_over(row_major({1}, tombola_f32), engine_, &p);
    const auto run = [&](std::vector<float>& to, Seeds* seeds, Seeds& report) {
        const Memory dst = memory_over(desc, engine_, to.data());
        const Memory out = memory_over(row_major({2}, tombola_u64), engine_, report.data());
        std::vector<tombola_exec_arg_t> args = {{TOMBOLA_ARG_SRC, src},
                                                {TOMBOLA_ARG_P, p_memory},
                                                {TOMBOLA_ARG_DST, dst},
                                                {TOMBOLA_ARG_DST_SEEDS, out}};
        Memory in;
        if (seeds != nullptr) {
            in = memory_over(row_major({2}, tombola_u64), engine_, seeds->data());
            args.push_back({TOMBOLA_ARG_SEEDS, in});
        }
        ASSERT_EQ(tombola_primitive_execute(primitive, stream_, static_cast<int>(args.size()),
                                            args.data()),
                  tombola_success)
            << last_error();
    };
    run(first, nullptr, used);
    EXPECT_NE(used, (Seeds{0, 0}));
    run(again, nullptr, other);
    EXPECT_NE(used, other);
    run(again, &used, other);
    EXPECT_TRUE(first == again);
    EXPECT_EQ(used, other);
}

}  // namespace
}  // namespace tombola::test
