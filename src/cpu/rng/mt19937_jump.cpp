// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/mt19937_jump.hpp"

#include <cstring>

namespace tombola::impl::cpu {
namespace {

// The polynomial p of the paper (1998, appendix A), for w - r = 1 and r = 31. With u = t^(n-m),
// t^n + t^m = t^m (u + 1) and t^(n-1) + t^(m-1) = t^(m-1) (u + 1). So p is
//
//     p(t) = t^(m + 31(m-1)) (u+1)^32 + sum_{j=0..30} a_j t^(m + (30-j)(m-1)) (u+1)^(31-j) + a_31
//
// The coefficient of u^i in (u+1)^e is odd if every bit of i is also a bit of e (Lucas).
struct Exponents {
    std::array<uint16_t, kMtTerms> low{};
    int count = 0;
    int leading = 0;
};

constexpr Exponents characteristic() {
    std::array<bool, kMtDegree + 1> odd{};
    for (int j = -1; j <= 30; ++j) {
        if (j >= 0 && (kMtMatrix >> j & 1) == 0) continue;
        const int base = kMtShift + (30 - j) * (kMtShift - 1);
        const int e = 31 - j;
        for (int i = 0; i <= e; ++i) {
            if ((i & ~e) != 0) continue;
            bool& term = odd[static_cast<size_t>(base + (kMtWords - kMtShift) * i)];
            term = !term;
        }
    }
    if (kMtMatrix >> 31 & 1) odd[0] = !odd[0];
    Exponents p;
    for (int i = 0; i < kMtDegree; ++i)
        if (odd[static_cast<size_t>(i)])
            p.low[static_cast<size_t>(p.count++)] = static_cast<uint16_t>(i);
    p.leading = odd[kMtDegree] ? kMtDegree : 0;
    return p;
}

constexpr Exponents kCharacteristic = characteristic();
static_assert(kCharacteristic.count == kMtTerms && kCharacteristic.leading == kMtDegree);

// The number of words that are reduced at once. Every other term of p is at least that many bits below the leading
// term.
constexpr int kChunk = 8;
static_assert(kMtDegree - kCharacteristic.low[kMtTerms - 1] >= 64 * kChunk);

// t^(19937 + s) = sum over the terms e of t^(e + s): the bits of weight t^(b + 19937 - e) are added to the bit of
// weight t^b.
//
// Adds to `chunk`, which lies at `at_chunk`, the bits that lie `distance` bits above it.
inline void xor_from(uint64_t* chunk, const uint64_t* at_chunk, int distance) {
    const uint64_t* from = at_chunk + distance / 64;
    const int right = distance % 64;
    for (int i = 0; i < kChunk; ++i)
        chunk[i] ^= from[i] >> right | from[i + 1] << 1 << (63 - right);
}

// Reduces the high half from the top down: to each chunk it adds the bits above, which are already final. Then it adds
// the bits of the high half to the low half.
void reduce(MtSquare& square) {
    constexpr int kEnd = kMtPolynomialWords;
    for (int word = kEnd - kChunk; word >= 0; word -= kChunk) {
        uint64_t chunk[kChunk];
        std::memcpy(chunk, square.high() + word, sizeof chunk);
        for (int term = kMtTerms - 1; term >= 0; --term) {
            const int distance = kMtDegree - kCharacteristic.low[static_cast<size_t>(term)];
            if (word + distance / 64 >= kEnd) break;
            xor_from(chunk, square.high() + word, distance);
        }
        std::memcpy(square.high() + word, chunk, sizeof chunk);
    }
    for (int word = 0; word < kEnd; word += kChunk) {
        uint64_t chunk[kChunk];
        std::memcpy(chunk, square.low + word, sizeof chunk);
        for (int term = 0; term < kMtTerms; ++term) {
            const int distance = kMtDegree - kCharacteristic.low[static_cast<size_t>(term)];
            if (word + distance / 64 + kChunk < kEnd) break;
            xor_from(chunk, square.zero_high_zero + word, distance);
        }
        std::memcpy(square.low + word, chunk, sizeof chunk);
    }
}

// The square of a polynomial of 32 coefficients. Over GF(2) it has the same coefficients, with a zero between each two.
constexpr uint64_t spread(uint64_t bits) {
    bits = (bits | bits << 16) & 0x0000FFFF0000FFFF;
    bits = (bits | bits << 8) & 0x00FF00FF00FF00FF;
    bits = (bits | bits << 4) & 0x0F0F0F0F0F0F0F0F;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
}

// Reduces the last 31 bits above t^19936, which share a word with lower bits.
void reduce_last(MtPolynomial& g) {
    constexpr int kSplit = kMtDegree % 64;
    const uint64_t above = g.back() >> kSplit;
    g.back() &= (uint64_t{1} << kSplit) - 1;
    for (const int e : kCharacteristic.low) {
        g[static_cast<size_t>(e / 64)] ^= above << e % 64;
        g[static_cast<size_t>(e / 64 + 1)] ^= above >> 1 >> (63 - e % 64);
    }
}

void shift_up(MtPolynomial& g) {
    for (size_t i = g.size() - 1; i > 0; --i) g[i] = g[i] << 1 | g[i - 1] >> 63;
    g[0] <<= 1;
}

void multiply_by_t(MtPolynomial& g) {
    shift_up(g);
    constexpr uint64_t kLeading = uint64_t{1} << kMtDegree % 64;
    if ((g.back() & kLeading) == 0) return;
    g.back() ^= kLeading;
    for (const int e : kCharacteristic.low) g[static_cast<size_t>(e / 64)] ^= uint64_t{1} << e % 64;
}

// Up to this many windows (624,000 words), twisting through them takes less time than a jump.
constexpr uint64_t kMinJumpWindows = 1000;

const MtJumpLoops kPortableLoops;

}  // namespace

// Adds the windows at four places at a time.
void MtJumpLoops::add_windows(uint32_t* __restrict sum, const uint32_t* __restrict line,
                              const uint16_t* places, int count) const {
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        const uint32_t* a = line + places[i];
        const uint32_t* b = line + places[i + 1];
        const uint32_t* c = line + places[i + 2];
        const uint32_t* d = line + places[i + 3];
        for (int j = 0; j < kMtWords; ++j) sum[j] ^= a[j] ^ b[j] ^ c[j] ^ d[j];
    }
    for (; i < count; ++i) {
        const uint32_t* a = line + places[i];
        for (int j = 0; j < kMtWords; ++j) sum[j] ^= a[j];
    }
}

void MtJumpLoops::square(const MtPolynomial& g, MtSquare& square) const {
    for (int i = 0; i < kMtPolynomialWords; ++i) {
        uint64_t* half = i < kMtPolynomialWords / 2 ? square.low + 2 * i
                                                    : square.high() + 2 * i - kMtPolynomialWords;
        half[0] = spread(g[static_cast<size_t>(i)] & 0xFFFFFFFF);
        half[1] = spread(g[static_cast<size_t>(i)] >> 32);
    }
    reduce(square);
}

const MtJumpLoops& MtJumpLoops::portable() { return kPortableLoops; }

const std::array<uint16_t, kMtTerms>& mt_characteristic_exponents() { return kCharacteristic.low; }

MtPolynomial mt_power_of_t(uint64_t k, const MtJumpLoops& loops, int doublings) {
    // Begin with as many leading bits of k as need no reduction. Then each further bit takes one squaring.
    int below = 0;
    while (k >> below >= kMtDegree) ++below;
    MtPolynomial g{};
    const uint64_t start = k >> below;
    g[start / 64] = uint64_t{1} << start % 64;
    MtSquare square{};
    for (int bit = below - 1; bit >= -doublings; --bit) {
        loops.square(g, square);
        std::memcpy(g.data(), square.low, sizeof g);
        reduce_last(g);
        if (bit >= 0 && (k >> bit & 1) != 0) multiply_by_t(g);
    }
    return g;
}

void mt_jump(uint32_t* words, const MtPolynomial& power_k_minus_1, const MtJumpLoops& loops) {
    // x[k + j] = sum over i of g_i x[1 + i + j], 0 <= j < 624.
    MtPolynomial g = power_k_minus_1;
    shift_up(g);
    mt_combine(words, g, loops);
}

void mt_combine(uint32_t* words, const MtPolynomial& g, const MtJumpLoops& loops) {
    // `line` holds two windows of the sequence at a time.
    alignas(64) uint32_t line[2 * kMtWords];
    Mt19937 window;
    std::memcpy(window.words, words, sizeof(window.words));
    alignas(64) uint32_t sum[kMtWords] = {};
    uint16_t places[kMtWords];
    for (int first = 0; first <= kMtDegree; first += kMtWords) {
        std::memcpy(line, window.words, sizeof(window.words));
        window.twist();
        std::memcpy(line + kMtWords, window.words, sizeof(window.words));
        int count = 0;
        for (int i = 0; i < kMtWords && first + i <= kMtDegree; ++i) {
            places[count] = static_cast<uint16_t>(i);
            const int bit = first + i;
            count += static_cast<int>(g[static_cast<size_t>(bit / 64)] >> bit % 64 & 1);
        }
        loops.add_windows(sum, line, places, count);
    }
    std::memcpy(words, sum, sizeof(sum));
}

void Mt19937::skip(uint64_t count) { skip(count, MtJumpLoops::portable()); }

void Mt19937::skip(uint64_t count, const MtJumpLoops& loops) {
    if (count <= kMtWords - position) {
        position += static_cast<uint32_t>(count);
        return;
    }
    // The new window is the one that holds the word before the new position, so the new position is 1 to 624.
    const uint64_t last = position + count % kMtWords - 1 + kMtWords;
    uint64_t windows = count / kMtWords + last / kMtWords - 1;
    if (windows > kMinJumpWindows) {
        twist();  // so that 624 * windows stays within 64 bits
        --windows;
        mt_jump(words, mt_power_of_t(kMtWords * windows - 1, loops), loops);
        windows = 0;
    }
    for (; windows > 0; --windows) twist();
    position = static_cast<uint32_t>(last % kMtWords + 1);
}

}  // namespace tombola::impl::cpu
