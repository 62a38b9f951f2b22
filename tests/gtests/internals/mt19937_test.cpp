// SPDX-License-Identifier: Apache-2.0

// MT19937 in scalar C++ and its jump-ahead. Oracles: std::mt19937, the reference, and the Berlekamp-Massey
// algorithm, which finds the characteristic polynomial from the words alone.

#include "cpu/rng/mt19937.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "cpu/rng/mt19937_jump.hpp"
#include "reference/mt19937_reference.hpp"
#if defined(__x86_64__)
#include "cpu/x64/rng/mt19937_jump_kernels.hpp"
#endif

namespace {

using namespace tombola::impl::cpu;

bool same_state(const Mt19937& a, const Mt19937& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

TEST(Mt19937, WordsAreThoseOfTheStandardLibrary) {
    for (const uint32_t seed : {0u, 1u, 5489u, 0x80000000u, 0xFFFFFFFFu}) {
        std::mt19937 expected(seed);
        Mt19937 state = Mt19937::from_seed(seed);
        for (int i = 0; i < 3000; ++i) ASSERT_EQ(state.next(), expected()) << seed << ' ' << i;
    }
}

// [rand.predef] of the C++ standard: the 10000th word of a default-constructed mt19937.
TEST(Mt19937, TheStandardsKnownAnswer) {
    Mt19937 state = Mt19937::from_seed(5489);
    for (int i = 0; i < 9999; ++i) state.next();
    EXPECT_EQ(state.next(), 4123659995u);
}

TEST(Mt19937, SlidingTheWindowDoesNotChangeTheWords) {
    for (const int count : {0, 1, 2, 31, 227, 397, 623, 624, 625, 1900}) {
        Mt19937 state = Mt19937::from_seed(11);
        std::mt19937 expected(11);
        state.slide(count);
        // The first window is the seed's and is not put out, so a slide of n words leaves word n first.
        for (int i = 624; i < count; ++i) expected();
        state.position = static_cast<uint32_t>(count < 624 ? 624 - count : 0);
        for (int i = 0; i < 2000; ++i) ASSERT_EQ(state.next(), expected()) << count << ' ' << i;
    }
}

TEST(Mt19937, UntwistingUndoesTwisting) {
    Mt19937 state = Mt19937::from_seed(77);
    state.twist();
    const Mt19937 before = state;
    state.twist();
    const Mt19937 after = state;
    ASSERT_TRUE(state.untwist());
    // The low bits of the first word are lost.
    EXPECT_EQ(state.words[0] & kMtUpperMask, before.words[0] & kMtUpperMask);
    EXPECT_EQ(std::memcmp(state.words + 1, before.words + 1, sizeof before.words - 4), 0);
    EXPECT_EQ(state.position, 624u);
    state.twist();
    EXPECT_TRUE(same_state(state, after));

    // The seeding's own words are no window that a twist gives: they are drawn from only after a twist.
    const Mt19937 seeded = Mt19937::from_seed(77);
    state = seeded;
    EXPECT_FALSE(state.untwist());
    EXPECT_TRUE(same_state(state, seeded));
}

TEST(Mt19937, SkippingLeavesTheStateThatSteppingLeaves) {
    for (const uint32_t position : {0u, 1u, 100u, 623u, 624u}) {
        for (const uint64_t count :
             {0ull, 1ull, 2ull, 523ull, 524ull, 525ull, 623ull, 624ull, 625ull, 1247ull, 1248ull,
              1249ull, 99999ull, 6240000ull, 6240001ull}) {
            Mt19937 start = Mt19937::from_seed(4357);
            start.twist();
            start.position = position;
            Mt19937 stepped = start;
            for (uint64_t i = 0; i < count; ++i) stepped.next();
            Mt19937 skipped = start;
            skipped.skip(count);
            ASSERT_TRUE(same_state(stepped, skipped)) << position << ' ' << count;
        }
    }
}

// mt_jump() itself, for distances at which skip() twists instead. The seed's first word has low bits that the
// recurrence does not know; those of the new window must be exact.
TEST(Mt19937, JumpingLeavesTheWordsThatSteppingLeaves) {
    for (const int k : {1, 2, 31, 623, 624, 625, 5000, 19936, 19937, 19938, 19969, 40000, 123457}) {
        Mt19937 stepped = Mt19937::from_seed(2020);
        stepped.slide(k);
        Mt19937 jumped = Mt19937::from_seed(2020);
        mt_jump(jumped.words, mt_power_of_t(static_cast<uint64_t>(k - 1)));
        ASSERT_EQ(std::memcmp(stepped.words, jumped.words, sizeof stepped.words), 0) << k;
    }
}

TEST(Mt19937, LongJumpsAreThoseOfTheReference) {
    for (const uint64_t count : {uint64_t{1} << 40, (uint64_t{1} << 41) + 1, ~uint64_t{0}}) {
        tombola::reference::Mt19937 expected(99);
        expected.discard(count);
        Mt19937 state = Mt19937::from_seed(99);
        state.skip(count);
        const auto words = expected.state();
        ASSERT_EQ(std::memcmp(words.data(), &state, sizeof state), 0) << count;
    }
}

TEST(Mt19937, JumpsAddUp) {
    Mt19937 once = Mt19937::from_seed(1), in_steps = once;
    once.skip(~uint64_t{0});
    once.skip(12346);
    for (int i = 0; i < 2; ++i) in_steps.skip(uint64_t{1} << 62);
    in_steps.skip(uint64_t{1} << 63);
    in_steps.skip(12345);
    EXPECT_TRUE(same_state(once, in_steps));
}

// The same exponents, written in two ways.
TEST(Mt19937, PowersMayHaveMoreThan64Bits) {
    const MtJumpLoops& loops = MtJumpLoops::portable();
    EXPECT_EQ(mt_power_of_t(5, loops, 10), mt_power_of_t(5120));
    EXPECT_EQ(mt_power_of_t(uint64_t{1} << 50, loops, 50), mt_power_of_t(1, loops, 100));
    EXPECT_EQ(mt_power_of_t(3 * (uint64_t{1} << 40), loops, 60), mt_power_of_t(3, loops, 100));
}

// Massey, "Shift-register synthesis and BCH decoding", 1969: the shortest linear recurrence of a sequence of
// bits, here the top bits of the words. Twice its length of bits determine it.
std::vector<uint8_t> berlekamp_massey(const std::vector<uint8_t>& s) {
    using Bits = std::vector<uint64_t>;
    const size_t words = s.size() / 64 + 2;
    Bits c(words), b(words), reversed(words);
    c[0] = b[0] = 1;
    size_t length = 0, since = 1;
    for (size_t n = 0; n < s.size(); ++n) {
        // reversed: bit i is s[n - i]
        for (size_t i = words - 1; i > 0; --i)
            reversed[i] = reversed[i] << 1 | reversed[i - 1] >> 63;
        reversed[0] = reversed[0] << 1 | s[n];
        uint64_t discrepancy = 0;
        for (size_t i = 0; i <= length / 64; ++i) discrepancy ^= c[i] & reversed[i];
        if (__builtin_parityll(discrepancy) == 0) {
            ++since;
            continue;
        }
        const Bits before = c;
        const size_t skip = since / 64, shift = since % 64;
        for (size_t i = 0; i + skip < words; ++i) {
            c[i + skip] ^= b[i] << shift;
            if (shift != 0 && i + skip + 1 < words) c[i + skip + 1] ^= b[i] >> (64 - shift);
        }
        if (2 * length > n) {
            ++since;
            continue;
        }
        length = n + 1 - length;
        b = before;
        since = 1;
    }
    std::vector<uint8_t> polynomial(length + 1);  // the reciprocal of c
    for (size_t i = 0; i <= length; ++i) polynomial[length - i] = c[i / 64] >> i % 64 & 1;
    return polynomial;
}

TEST(Mt19937, TheCharacteristicPolynomialIsTheOneThatTheWordsHave) {
    std::mt19937 words(12345);
    std::vector<uint8_t> bits(2 * kMtDegree);
    // Tempering is linear, so the bits that are put out have the same recurrence.
    for (uint8_t& bit : bits) bit = words() >> 31;
    const std::vector<uint8_t> polynomial = berlekamp_massey(bits);
    ASSERT_EQ(polynomial.size(), static_cast<size_t>(kMtDegree) + 1);
    std::vector<uint16_t> exponents;
    for (int i = 0; i < kMtDegree; ++i)
        if (polynomial[static_cast<size_t>(i)]) exponents.push_back(static_cast<uint16_t>(i));
    const auto& known = mt_characteristic_exponents();
    EXPECT_EQ(exponents, std::vector<uint16_t>(known.begin(), known.end()));
}

#if defined(__x86_64__)
TEST(Mt19937, GeneratedLoopsJumpAsThePortableOnesDo) {
    using tombola::impl::CpuIsa;
    for (const CpuIsa isa : {CpuIsa::avx2, CpuIsa::avx512_core}) {
        if (tombola::impl::effective_isa() < isa) continue;
        auto loops = x64::JitMtJumpLoops::create(isa);
        ASSERT_TRUE(loops.ok());
        for (const uint64_t k : {uint64_t{5000000}, uint64_t{1} << 40, ~uint64_t{0}}) {
            EXPECT_EQ(mt_power_of_t(k, loops.value()), mt_power_of_t(k)) << k;
            Mt19937 portable = Mt19937::from_seed(3), generated = portable;
            portable.skip(k);
            generated.skip(k, loops.value());
            EXPECT_TRUE(same_state(portable, generated)) << k;
        }
    }
}
#endif

TEST(Mt19937, PowersOfTMultiply) {
    // t^k by k multiplications, near the degree, where the reduction begins.
    MtPolynomial at_degree{};
    for (const uint16_t e : mt_characteristic_exponents())
        at_degree[e / 64u] ^= uint64_t{1} << e % 64u;
    EXPECT_EQ(mt_power_of_t(kMtDegree), at_degree);
    MtPolynomial first{};
    first[0] = 1;
    EXPECT_EQ(mt_power_of_t(0), first);
}

}  // namespace
