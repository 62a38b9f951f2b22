// SPDX-License-Identifier: Apache-2.0

// The vocabulary: operations that move, round and convert lanes.

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <vector>

#include "cpu/float16.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "gtests/x64/vocabulary_fixture.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using test::Guard;
using test::GuardedBuffer;

TEST_P(VocabularyTest, ZipsSumsAndNarrowStores) {
    const size_t lanes = bytes() / 8;
    const auto zipped = [&](size_t i) { return in<uint64_t>(i % 2 == 0 ? 0 : 1, i / 2); };
    for (const bool upper : {false, true}) {
        run([&](K& k) {
            const K::ZipOrder order{k.vec(6), k.vec(7)};
            k.set_zip_u64(order);
            k.zip_u64(k.vec(upper ? 4 : 0), k.vec(upper ? 0 : 4), k.vec(1), k.vec(2), order,
                      k.vec(5));
        });
        expect<uint64_t>([&](size_t i) { return zipped(upper ? lanes + i : i); });
    }
    uint64_t sum = 0, stored = 0;
    for (size_t i = 0; i < lanes; ++i) sum += in<uint64_t>(0, i);
    tensor_ = &stored;
    run([](K& k) {
        k.store_sum_u64(k.ptr[k.tensor()], 1, 4);
        k.zero(k.vec(0));
    });
    EXPECT_EQ(stored, sum);
    GuardedBuffer low(bytes() / 2, Guard::behind);
    tensor_ = low.data();
    run([](K& k) {
        k.store_low_u32(k.ptr[k.tensor()], k.vec(1), k.vec(4));
        k.zero(k.vec(0));
    });
    for (size_t i = 0; i < lanes; ++i)
        EXPECT_EQ(reinterpret_cast<const uint32_t*>(low.data())[i],
                  static_cast<uint32_t>(in<uint64_t>(0, i)));
}

TEST_P(VocabularyTest, SumsOfFloats) {
    const size_t lanes = bytes() / 4;
    float first[16];
    double sum = 0, stored = 0;
    for (size_t i = 0; i < lanes; ++i) {
        first[i] = static_cast<float>(i + 1);
        sum += static_cast<double>(first[i]) + 0.5 + 8 + 1000;
    }
    tensor_ = &stored;
    run([&](K& k) {
        k.load(k.vec(4), k.vector_table(first));
        k.load(k.vec(5), k.vector_f32(0.5f));
        k.load(k.vec(6), k.vector_f32(8));
        k.load(k.vec(7), k.vector_f32(1000));
        k.store_sums_f32(k.ptr[k.tensor()], {k.vec(4), k.vec(5), k.vec(6), k.vec(7)}, 8);
        k.zero(k.vec(0));
    });
    EXPECT_EQ(stored, sum);
}

TEST_P(VocabularyTest, LooksUpFloats) {
    const size_t lanes = bytes() / 4, size = lanes == 16 ? 32 : 8;
    float entries[32];
    for (size_t i = 0; i < 32; ++i) entries[i] = std::sqrt(static_cast<float>(i));
    run([&](K& k) {
        k.set_held_range(10);
        K::Held table[2];
        for (size_t i = 0; i < size / lanes; ++i)
            table[i] = k.hold(k.vector_table(entries + i * lanes));
        k.lookup_f32(k.vec(0), k.vec(1), table);
    });
    expect<float>([&](size_t i) { return entries[in<uint32_t>(0, i) % size]; });
}

TEST_P(VocabularyTest, Widens) {
    const size_t half = bytes() / 8;
    check<uint32_t>([](K& k) { k.widen_u32(k.vec(0), k.vec(1), false); },
                    [&](size_t i) { return i % 2 == 0 ? in<uint32_t>(0, i / 2) : 0; });
    check<uint32_t>([](K& k) { k.widen_u32(k.vec(0), k.vec(1), true); },
                    [&](size_t i) { return i % 2 == 0 ? in<uint32_t>(0, half + i / 2) : 0; });
    check<uint32_t>(
        [](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.widen_u32(k.vec(0), k.vec(0), false);
        },
        [&](size_t i) { return i % 2 == 0 ? in<uint32_t>(0, i / 2) : 0; });
}

TEST_P(VocabularyTest, TakesWordsOfTwoVectors) {
    const size_t lanes = bytes() / 4;
    for (const int first : {1, 13}) {
        bool takes = false;
        run([&](K& k) {
            takes = k.takes_words();
            if (takes) k.take_words_u32(k.vec(0), k.vec(1), k.vec(2), first);
        });
        EXPECT_EQ(takes, bytes() == 64);
        if (!takes) return;
        expect<uint32_t>([&](size_t i) {
            const size_t at = i + static_cast<size_t>(first);
            return at < lanes ? in<uint32_t>(0, at) : in<uint32_t>(1, at - lanes);
        });
    }
}

TEST_P(VocabularyTest, LoadsAHalfTwice) {
    const size_t half = bytes() / 2 / 4;
    uint32_t values[16];
    for (uint32_t i = 0; i < 16; ++i) values[i] = 0x80000001 + i;
    tensor_ = values;
    check<uint32_t>([](K& k) { k.load_half_twice(k.vec(0), k.ptr[k.tensor()]); },
                    [&](size_t i) { return values[i % half]; });
}

// Into another register, and in place.
TEST_P(VocabularyTest, Narrows) {
    constexpr uint16_t kEdges[] = {0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF, 0x1234, 0xFEDC};
    for (size_t i = 0; i < 16; ++i) inputs_[0].set(i, uint32_t{kEdges[i * 5 % 8]});
    const auto expect_u16 = [&] {
        for (size_t i = 0; i < bytes() / 4; ++i)
            EXPECT_EQ(output_.get<uint16_t>(i), in<uint32_t>(0, i)) << "lane " << i;
    };
    run([](K& k) { k.narrow_u32(k.half(0), k.vec(1)); });
    expect_u16();
    run([](K& k) {
        k.copy(k.vec(0), k.vec(1));
        k.narrow_u32(k.half(0), k.vec(0));
    });
    expect_u16();

    set_random_inputs();
    inputs_[0].set(0, ~uint64_t{0});
    inputs_[0].set(1, uint64_t{0x7FFFFFFF80000000});
    const auto expect_u32 = [&] {
        for (size_t i = 0; i < bytes() / 8; ++i)
            EXPECT_EQ(output_.get<uint32_t>(i), static_cast<uint32_t>(in<uint64_t>(0, i)))
                << "lane " << i;
    };
    run([](K& k) { k.narrow_u64(k.half(0), k.vec(1)); });
    expect_u32();
    run([](K& k) {
        k.copy(k.vec(0), k.vec(1));
        k.narrow_u64(k.half(0), k.vec(0));
    });
    expect_u32();
}

// Integers of up to 53 bits, with their words swapped.
TEST_P(VocabularyTest, SwappedU53ToF64) {
    constexpr uint64_t kMaxU53 = (uint64_t{1} << 53) - 1;
    const uint64_t kIntegers[16] = {0,
                                    1,
                                    0xFFFFFFFF,
                                    0x100000000,
                                    0x100000001,
                                    0x80000000,
                                    0x7FFFFFFF,
                                    kMaxU53,
                                    kMaxU53 - 1,
                                    uint64_t{1} << 52,
                                    (uint64_t{1} << 52) - 1,
                                    0x1FFFFF00000000,
                                    0x1FFFFF7FFFFFFF,
                                    0x1FFFFF80000000,
                                    0x123456789ABCD,
                                    0x10000080000000};
    for (size_t first = 0; first < 16; first += bytes() / 8) {
        for (size_t i = 0; i < bytes() / 8; ++i) {
            const uint64_t x = kIntegers[first + i];
            inputs_[0].set(i, x << 32 | x >> 32);
        }
        const auto right = [&](size_t i) { return static_cast<double>(kIntegers[first + i]); };
        run([](K& k) { k.cvt_swapped_u53_to_f64(k.vec(0), k.vec(1), k.vec(4)); });
        expect<double>(right);
        run([](K& k) {
            k.copy(k.vec(0), k.vec(1));
            k.cvt_swapped_u53_to_f64(k.vec(0), k.vec(0), k.vec(4));
        });
        expect<double>(right);
    }
}

TEST_P(VocabularyTest, SwapsAndBlends) {
    run([](K& k) { k.swap_words_u64(k.vec(0), k.vec(1)); });
    expect<uint32_t>([&](size_t i) { return in<uint32_t>(0, i ^ 1); });
    run([](K& k) {
        k.move_high_words(k.vec(0), k.vec(1));
        k.and_bits(k.vec(0), k.vec(0), k.vector_u64(0xFFFFFFFF));
    });
    expect<uint64_t>([&](size_t i) { return in<uint64_t>(0, i) >> 32; });
    run([](K& k) {
        k.set_odd_lanes(k.scratch());
        k.blend_odd_u32(k.vec(0), k.vec(1), k.vec(2));
    });
    expect<uint32_t>([&](size_t i) { return in<uint32_t>(static_cast<int>(i % 2), i); });
}

// Units of 32 bytes of both sources in turn: as u64 lanes, unit i / 4.
TEST_P(VocabularyTest, DealsUnitsOf32Bytes) {
    for (const bool odd : {false, true}) {
        run([&](K& k) {
            k.deal_32_bytes(k.vec(odd ? 4 : 0), k.vec(odd ? 0 : 4), k.vec(1), k.vec(2));
        });
        expect<uint64_t>([&](size_t i) {
            const size_t lanes = bytes() / 8, unit = i / 4 * 2 + (odd ? 1 : 0);
            const size_t lane = unit * 4 + i % 4;
            return in<uint64_t>(lane < lanes ? 0 : 1, lane % lanes);
        });
    }
}

// Also with the destination in the place that each may take.
TEST_P(VocabularyTest, InterleavesHalves) {
    const auto high = [&](size_t i) {
        return in<uint32_t>(0, i) >> 16 | (in<uint32_t>(1, i) & 0xFFFF0000);
    };
    run([](K& k) { k.interleave_high_u16(k.vec(0), k.vec(1), k.vec(2)); });
    expect<uint32_t>(high);
    run([](K& k) {
        k.copy(k.vec(0), k.vec(1));
        k.interleave_high_u16(k.vec(0), k.vec(0), k.vec(2));
    });
    expect<uint32_t>(high);
    const auto low = [&](size_t i) {
        return (in<uint32_t>(0, i) & 0xFFFF) | in<uint32_t>(1, i) << 16;
    };
    run([](K& k) { k.interleave_low_u16(k.vec(0), k.vec(1), k.vec(2)); });
    expect<uint32_t>(low);
    run([](K& k) {
        k.copy(k.vec(0), k.vec(2));
        k.interleave_low_u16(k.vec(0), k.vec(1), k.vec(0));
    });
    expect<uint32_t>(low);
}

// Values that are exact, that round up and down, ties to either side, subnormal in f16, and too large for it. The
// expected f16 bits are worked out by hand from the format: 5 bits of exponent, bias 15, 10 of fraction.
TEST_P(VocabularyTest, F16) {
    const struct {
        float value;
        uint16_t bits;
    } kCases[] = {{1.0f, 0x3C00},
                  {-2.0f, 0xC000},
                  {1.0f + 0x1p-11f, 0x3C00},
                  {1.0f + 0x3p-11f, 0x3C02},
                  {1.0f + 0x1p-10f, 0x3C01},
                  {65504.0f, 0x7BFF},
                  {65519.0f, 0x7BFF},
                  {65520.0f, 0x7C00},
                  {0x1p-24f, 0x0001},
                  {0x1p-25f, 0x0000},
                  {0x3p-25f, 0x0002},
                  {0x1p-14f, 0x0400},
                  {0.0f, 0x0000},
                  {-0.0f, 0x8000},
                  {0.333251953125f, 0x3555},
                  {1000.0f, 0x63D0}};
    for (size_t first = 0; first < std::size(kCases); first += bytes() / 4) {
        for (size_t i = 0; i < bytes() / 4; ++i) inputs_[0].set(i, kCases[first + i].value);
        run([](K& k) { k.cvt_f32_to_f16(k.half(0), k.vec(1)); });
        for (size_t i = 0; i < bytes() / 4; ++i)
            EXPECT_EQ(output_.get<uint16_t>(i), kCases[first + i].bits) << kCases[first + i].value;
        for (size_t i = 0; i < bytes() / 4; ++i) inputs_[0].set(i, kCases[first + i].bits);
        run([](K& k) { k.cvt_f16_to_f32(k.vec(0), k.half(1)); });
        for (size_t i = 0; i < bytes() / 4; ++i) {
            const float widened = output_.get<float>(i);
            const float value = kCases[first + i].value;
            // Exact, or the nearest: within half a unit of 11 bits, or of the subnormal spacing.
            if (!std::isinf(widened)) {
                EXPECT_LE(std::abs(widened - value),
                          std::max(0x1p-25f, std::abs(value) * 0x1p-11f));
            }
        }
    }
}

// bf16 is the upper half of f32: exact, below, above, and the two ties.
TEST_P(VocabularyTest, BF16) {
    const uint32_t kCases[8][2] = {{0x3F800000, 0x3F80}, {0x3F807FFF, 0x3F80}, {0x3F808001, 0x3F81},
                                   {0x3F808000, 0x3F80}, {0x3F818000, 0x3F82}, {0xBF818000, 0xBF82},
                                   {0x00018000, 0x0002}, {0x7F7FFFFF, 0x7F80}};
    for (size_t i = 0; i < 16; ++i) inputs_[0].set(i, kCases[i % 8][0]);
    run([](K& k) { k.round_f32_to_bf16(k.vec(0), k.vec(1), k.vec(4)); });
    expect<uint32_t>([&](size_t i) { return kCases[i % 8][1]; });
    run([](K& k) { k.round_f32_to_bf16_high(k.vec(0), k.vec(1), k.vec(4)); });
    for (size_t i = 0; i < bytes() / 4; ++i)
        EXPECT_EQ(output_.get<uint32_t>(i) >> 16, kCases[i % 8][1]) << "lane " << i;
}

// Mantissas at every tie of 8 and of 11 digits and beside it, next to both powers of two, and between; of both signs, and near the limits
// of the exponent. The definition rounds integers.
TEST_P(VocabularyTest, FewDigits) {
    constexpr uint32_t kEnd = uint32_t{1} << 23, kNear = 1024;
    for (const int digits : {8, 11}) {
        const int cut = 24 - digits;
        const uint32_t half = uint32_t{1} << (cut - 1);
        std::vector<uint32_t> mantissas;
        for (uint32_t tie = half; tie < kEnd; tie += 2 * half)
            for (const uint32_t m : {tie - 1, tie, tie + 1}) mantissas.push_back(m);
        for (uint32_t i = 0; i < kNear; ++i)
            for (const uint32_t m : {i, kEnd - 1 - i, i * 0x9E3779B1 % kEnd})
                mantissas.push_back(m);
        const size_t lanes = bytes() / sizeof(uint32_t);
        mantissas.resize(mantissas.size() / lanes * lanes + lanes);
        for (size_t first = 0; first < mantissas.size(); first += lanes) {
            for (size_t i = 0; i < lanes; ++i) {
                const uint32_t exponents[] = {1, 64, 127, static_cast<uint32_t>(digits) + 229};
                const uint32_t exponent = exponents[(first / lanes + i) % 4];
                inputs_[0].set(
                    i, mantissas[first + i] | exponent << 23 | static_cast<uint32_t>(i % 2) << 31);
            }
            run([digits](K& k) {
                k.round_f32_to_digits(k.vec(1), k.vec(4), digits);
                k.copy(k.vec(0), k.vec(1));
            });
            expect<uint32_t>([&](size_t i) {
                const auto bits = in<uint32_t>(0, i);
                return (bits + half - 1 + (bits >> cut & 1)) & ~(2 * half - 1);
            });
        }
    }
    for (size_t i = 0; i < bytes() / 4; ++i) inputs_[0].set(i, i % 2 == 0 ? 0.0f : -0.0f);
    run([](K& k) {
        k.round_f32_to_digits(k.vec(1), k.vec(4), 8);
        k.copy(k.vec(0), k.vec(1));
    });
    expect<uint32_t>([](size_t) { return 0; });
}

// The sums are exact in f64, from which the bits below the last place are taken.
TEST_P(VocabularyTest, TowardZero) {
    constexpr float kB = 0x1p-14f;
    const size_t count = bytes() / sizeof(float);
    for (size_t i = 0; i < count; ++i) {
        const auto odd = static_cast<float>(2 * i + 1);
        inputs_[0].set(i, i % 3 == 0 ? kB - 0x1p-38f * odd : i % 3 == 1 ? 0x1p-40f * odd : 0.0f);
        inputs_[1].set(i, kB);
    }
    const auto add = [](K& k) { k.add_toward_zero_f32(k.vec(0), k.vec(1), k.vec(2), k.vec(4)); };
    run(add);
    expect<float>([&](size_t i) {
        const double sum = double{in<float>(0, i)} + double{kB};
        return static_cast<float>(std::floor(sum * 0x1p37) * 0x1p-37);
    });
    for (size_t i = 0; i < count; ++i) {
        constexpr float kValues[] = {INFINITY, 65504, 1e-45f, 0x1.fffffep127f};
        inputs_[0].set(i, kValues[i % 4]);
        inputs_[1].set(i, 0.0f);
    }
    run(add);
    expect<float>([&](size_t i) { return in<float>(0, i); });

    // Numbers between two neighbours, and beyond the greatest one.
    for (size_t i = 0; i < count; ++i) {
        constexpr float kValues[] = {65519.9f,      -1e30f,     -INFINITY,  0x1.003ff8p0f,
                                     -0x1.ffcp-15f, 0x1.8p-25f, -0x1p-126f, 2.0f};
        inputs_[0].set(i, kValues[i % 8]);
    }
    run([](K& k) { k.cvt_f32_to_f16_toward_zero(k.half(0), k.vec(1)); });
    constexpr uint16_t kHalves[] = {0x7BFF, 0xFBFF, 0xFC00, 0x3C00, 0x83FF, 0x0000, 0x8000, 0x4000};
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(output_.get<uint16_t>(i), kHalves[i % 8]) << i;
}

TEST_P(VocabularyTest, WidensHalvesOf16Bits) {
    for (const bool upper : {false, true}) {
        run([&](K& k) { k.widen_u16(k.vec(0), k.vec(1), upper); });
        const size_t first = upper ? bytes() / 4 : 0;
        expect<uint32_t>([&](size_t i) { return uint32_t{in<uint16_t>(0, first + i)}; });
    }
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
