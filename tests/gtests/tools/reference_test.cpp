// SPDX-License-Identifier: Apache-2.0

// The references themselves, against published values and the C++ standard library: what everything else is
// compared with must be right first.

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "reference/layout.hpp"
#include "reference/mt19937_reference.hpp"
#include "reference/numeric.hpp"
#include "reference/philox_reference.hpp"
#include "reference/random_uniform_reference.hpp"
#include "reference/shuffle_reference.hpp"

namespace tombola::reference {
namespace {

// Random123, kat_vectors: zeros, ones, digits of pi.
TEST(PhiloxReference, KnownAnswers) {
    using Words = std::array<uint32_t, 4>;
    EXPECT_EQ(philox_block({0, 0, 0, 0}, {0, 0}),
              (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    const uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox_block({ones, ones, ones, ones}, {ones, ones}),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(
        philox_block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
        (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxReference, CounterCarriesThroughAllWords) {
    const uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox_add({ones, ones, ones, 7}, 1), (PhiloxCounter{0, 0, 0, 8}));
    EXPECT_EQ(philox_add({ones, ones, ones, ones}, 2), (PhiloxCounter{1, 0, 0, 0}));
}

TEST(Mt19937Reference, WordsAreTheStandardLibrarys) {
    for (uint32_t seed : {0u, 1u, 5489u, 0x80000000u, 0xffffffffu}) {
        std::mt19937 expected(seed);
        Mt19937 actual(seed);
        for (int i = 0; i < 3000; ++i) ASSERT_EQ(actual.next(), expected()) << seed << " " << i;
    }
}

TEST(Mt19937Reference, DiscardStepsOverWords) {
    for (uint64_t count : {0, 1, 623, 624, 625, 1248, 100000, 16776000, 17000000, 40000001}) {
        std::mt19937 expected(7);
        expected.discard(3 + count);
        Mt19937 actual(7);
        actual.discard(3);
        actual.discard(count);
        for (int i = 0; i < 1300; ++i) ASSERT_EQ(actual.next(), expected()) << count << " " << i;
    }
}

// The state after a jump is the one that stepping leaves, to the last bit.
TEST(Mt19937Reference, JumpLeavesTheStateOfSteps) {
    Mt19937 stepped(99), jumped(99);
    const uint64_t count = (uint64_t{1} << 24) + 12345;
    for (uint64_t i = 0; i < count; ++i) stepped.next();
    jumped.discard(count);
    EXPECT_EQ(stepped.state(), jumped.state());
}

TEST(Mt19937Reference, JumpsAddUp) {
    const uint64_t far = uint64_t{1} << 40;
    Mt19937 once(12), twice(12);
    once.discard(far + 1000);
    twice.discard(far / 4 + 77);
    twice.discard(far - far / 4 + 1000 - 77);
    EXPECT_EQ(once.state(), twice.state());
}

TEST(NumericReference, SixteenBitFormatsRoundTripAndRoundToEven) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto b = static_cast<uint16_t>(bits);
        if ((b & 0x7c00) != 0x7c00) {
            ASSERT_EQ(double_to_f16(f16_to_double(b)), b);
        }
        if ((b & 0x7f80) != 0x7f80) {
            ASSERT_EQ(double_to_bf16(bf16_to_double(b)), b);
        }
    }
    EXPECT_EQ(double_to_f16(1.0), 0x3c00);
    EXPECT_EQ(double_to_f16(1.0 + 0x1p-11), 0x3c00);            // tie to even
    EXPECT_EQ(double_to_f16(1.0 + 3 * 0x1p-11), 0x3c02);        // tie to even, upward
    EXPECT_EQ(double_to_f16(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);  // above the tie
    EXPECT_EQ(double_to_f16(65504.0), 0x7bff);                  // greatest
    EXPECT_EQ(double_to_f16(65519.99), 0x7bff);
    EXPECT_EQ(double_to_f16(65520.0), 0x7c00);  // infinity
    EXPECT_EQ(double_to_f16(0x1p-24), 0x0001);  // smallest
    EXPECT_EQ(double_to_f16(0x1p-25), 0x0000);  // tie to even
    EXPECT_EQ(double_to_f16(-0x1.8p-25), 0x8001);
    EXPECT_EQ(double_to_bf16(1.0), 0x3f80);
    EXPECT_EQ(double_to_bf16(1.0 + 0x1p-8), 0x3f80);  // tie to even
    EXPECT_EQ(double_to_bf16(1.0 + 3 * 0x1p-8), 0x3f82);
    EXPECT_EQ(double_to_bf16(0x1p-133), 0x0001);
    EXPECT_EQ(double_to_bf16(1e39), 0x7f80);
}

TEST(NumericReference, ParsesNumbers) {
    Scalar scalar;
    bool fits = false;
    ASSERT_TRUE(parse_scalar(tombola_s32, "-2147483648", scalar, fits) && fits);
    EXPECT_EQ(value_of<int32_t>(scalar), INT32_MIN);
    ASSERT_TRUE(parse_scalar(tombola_s64, "0x7fffffffffffffff", scalar, fits) && fits);
    EXPECT_EQ(value_of<int64_t>(scalar), INT64_MAX);
    ASSERT_TRUE(parse_scalar(tombola_u32, "0xffffffff", scalar, fits) && fits);
    EXPECT_EQ(value_of<uint32_t>(scalar), UINT32_MAX);
    ASSERT_TRUE(parse_scalar(tombola_f32, "0x1p-3", scalar, fits) && fits);
    EXPECT_EQ(value_of<float>(scalar), 0.125f);
    EXPECT_TRUE(parse_scalar(tombola_s32, "2147483648", scalar, fits) && !fits);
    EXPECT_TRUE(parse_scalar(tombola_u8, "-1", scalar, fits) && !fits);
    EXPECT_TRUE(parse_scalar(tombola_s32, "0.5", scalar, fits) && !fits);
    // Half-way between the greatest number and what would be the next one: that rounds to infinity.
    const struct {
        tombola_data_type_t type;
        const char *fits, *does_not;
    } limits[] = {{tombola_f16, "65519.9", "-65520"},
                  {tombola_bf16, "0x1.FEp127", "0x1.FFp127"},
                  {tombola_f32, "3.4028235e38", "-1e39"},
                  {tombola_f64, "-1.7e308", "1e309"}};
    for (const auto& limit : limits) {
        EXPECT_TRUE(parse_scalar(limit.type, limit.fits, scalar, fits) && fits) << limit.fits;
        EXPECT_TRUE(parse_scalar(limit.type, limit.does_not, scalar, fits) && !fits)
            << limit.does_not;
        for (const char* text : {"inf", "-inf", "nan"})
            EXPECT_TRUE(parse_scalar(limit.type, text, scalar, fits) && fits) << text;
    }
    EXPECT_FALSE(parse_scalar(tombola_f32, "", scalar, fits));
    EXPECT_FALSE(parse_scalar(tombola_f32, "1x", scalar, fits));
    EXPECT_FALSE(parse_scalar(tombola_s32, "seven", scalar, fits));
}

template <class T>
std::vector<T> uniform(UniformRequest request, uint64_t count) {
    std::vector<T> values(count);
    random_uniform_reference(request, count, values.data(), nullptr);
    return values;
}

struct UniformValues {
    std::vector<float> f32;
    std::vector<double> f64;
    double f64_error;
    std::vector<int32_t> s32;
};

// f32 in [0, 1) of the seeds 150 and 10, f64 in [2, 10) and s32 in [50, 100) of the seeds 80 and 100.
void expect_uniform(tombola_alignment_t alignment, const UniformValues& values) {
    UniformRequest request;
    request.alignment = alignment;
    request.type = tombola_f32;
    request.global_seed = 150;
    request.op_seed = 10;
    request.min = scalar_of(0.0f);
    request.max = scalar_of(1.0f);
    const auto f32 = uniform<float>(request, values.f32.size());
    for (size_t i = 0; i < f32.size(); ++i) EXPECT_FLOAT_EQ(f32[i], values.f32[i]) << i;

    request.type = tombola_f64;
    request.global_seed = 80;
    request.op_seed = 100;
    request.min = scalar_of(2.0);
    request.max = scalar_of(10.0);
    const auto f64 = uniform<double>(request, values.f64.size());
    for (size_t i = 0; i < f64.size(); ++i)
        EXPECT_NEAR(f64[i], values.f64[i], values.f64_error) << i;

    request.type = tombola_s32;
    request.min = scalar_of(50);
    request.max = scalar_of(100);
    EXPECT_EQ(uniform<int32_t>(request, values.s32.size()), values.s32);
}

// OpenVINO RandomUniform-8, examples 1 to 3 for the tensorflow alignment.
TEST(UniformReference, TensorflowExamples) {
    expect_uniform(tombola_alignment_tensorflow,
                   {{0.7011236f, 0.30539632f, 0.93931055f, 0.9456035f, 0.11694777f, 0.50770056f,
                     0.5197197f, 0.22727466f, 0.991374f},
                    {5.65927959, 4.23122376, 2.67008206, 2.36423758},
                    5e-9,
                    {65, 70, 56, 59, 82, 92}});
}

// PyTorch 1.13.1: torch.manual_seed(s); torch.empty(...).uniform_(a, b), random_(a, b). It has one seed only.
TEST(UniformReference, PytorchValues) {
    expect_uniform(tombola_alignment_pytorch,
                   {{.59748673f, .54458201f, .04074067f, .58105618f, .67971706f, .39076531f,
                     .1751616f, .36466956f, .70758903f},
                    {9.0670764014, 5.0738774469, 7.5332418637, 4.7109519880},
                    6e-11,
                    {77, 58, 62, 69, 60, 94}});
}

// [0, k) and [k, n) with the offset, or with the state of the first call under pytorch, equal [0, n).
TEST(UniformReference, OffsetContinues) {
    for (auto alignment : {tombola_alignment_tensorflow, tombola_alignment_pytorch})
        for (auto type : {tombola_f32, tombola_f64}) {
            UniformRequest request;
            request.alignment = alignment;
            request.type = type;
            request.global_seed = 3;
            request.op_seed = 4;
            request.min = type == tombola_f32 ? scalar_of(-1.0f) : scalar_of(-1.0);
            request.max = type == tombola_f32 ? scalar_of(3.0f) : scalar_of(3.0);
            const size_t size = size_of(type);
            std::vector<uint8_t> whole(2000 * size), tail(2000 * size);
            random_uniform_reference(request, 2000, whole.data(), nullptr);
            for (uint64_t k : {1, 2, 3, 4, 623, 624, 625, 1999}) {
                request.offset = k;
                random_uniform_reference(request, 2000 - k, tail.data(), nullptr);
                EXPECT_EQ(std::memcmp(whole.data() + k * size, tail.data(), (2000 - k) * size), 0)
                    << k;
            }
        }
}

TEST(LayoutReference, NamesBecomeLetters) {
    EXPECT_EQ(expand_tag("abx", 4).letters, "abcd");
    EXPECT_EQ(expand_tag("axb", 4).letters, "acdb");
    EXPECT_EQ(expand_tag("axb", 2).letters, "ab");
    EXPECT_EQ(expand_tag("xba", 5).letters, "cdeba");
    EXPECT_EQ(expand_tag("abx", 1).letters, "a");
    EXPECT_EQ(expand_tag("aBx16b", 3).letters, "aBc16b");
    EXPECT_EQ(expand_tag("nchw", 4).letters, "abcd");
    EXPECT_EQ(expand_tag("nhwc", 4).letters, "acdb");
    EXPECT_EQ(expand_tag("nCdhw8c", 5).letters, "aBcde8b");
    EXPECT_EQ(expand_tag("hwigo", 5).letters, "decab");
    EXPECT_EQ(expand_tag("aBcd8b", 4).kind, Tag::Kind::blocked);
    EXPECT_EQ(expand_tag("BA8b4a2b", 2).kind, Tag::Kind::other);
    EXPECT_EQ(expand_tag("ABx16a16b", 4).kind, Tag::Kind::other);
    for (const char* bad :
         {"", "nchw", "abd", "aab", "aBc", "abc4b", "aBc0b", "aBc4", "seven", "ab-"})
        EXPECT_EQ(expand_tag(bad, 3).kind, Tag::Kind::malformed) << bad;
}

// Offsets by hand: 2x5x3 in blocks of 4 along dimension 1, so 2 x 2 blocks x 3 x 4.
TEST(LayoutReference, BlockedOffsetsAndPadding) {
    const Layout layout = Layout::from_letters("aBc4b", {2, 5, 3});
    EXPECT_EQ(layout.span(), 48);
    EXPECT_EQ(layout.offset({0, 0, 0}), 0);
    EXPECT_EQ(layout.offset({0, 3, 2}), 11);
    EXPECT_EQ(layout.offset({0, 4, 1}), 16);
    EXPECT_EQ(layout.offset({1, 4, 2}), 44);
    std::vector<uint8_t> logical(30), physical(48, 0xEE), back(30);
    for (size_t i = 0; i < 30; ++i) logical[i] = static_cast<uint8_t>(i + 1);
    pack(layout, 1, logical.data(), physical.data());
    EXPECT_EQ(physical[44], 30);
    EXPECT_EQ(physical[45], 0);  // padding: class 5
    unpack(layout, 1, physical.data(), back.data());
    EXPECT_EQ(back, logical);
}

TEST(LayoutReference, PackLeavesGapsAlone) {
    Layout layout = Layout::row_major({2, 3});
    layout.strides = {5, 1};
    const std::vector<uint16_t> logical{1, 2, 3, 4, 5, 6};
    std::vector<uint16_t> physical(8, 0x5A5A);
    pack(layout, 2, logical.data(), physical.data());
    EXPECT_EQ(physical, (std::vector<uint16_t>{1, 2, 3, 0x5A5A, 0x5A5A, 4, 5, 6}));
}

// C = 6, G = 2: rows (0 1) (2 3) (4 5) become columns. By hand from the seed's formula.
TEST(ShuffleReference, SixChannelsInGroupsOfTwo) {
    const std::vector<uint8_t> src{0, 1, 2, 3, 4, 5};
    std::vector<uint8_t> dst(6), back(6);
    shuffle_reference({6}, 1, 0, 2, false, src.data(), dst.data());
    EXPECT_EQ(dst, (std::vector<uint8_t>{0, 2, 4, 1, 3, 5}));
    shuffle_reference({6}, 1, 0, 2, true, dst.data(), back.data());
    EXPECT_EQ(back, src);
}

}  // namespace
}  // namespace tombola::reference
