// SPDX-License-Identifier: Apache-2.0
#pragma once

// MT19937 (Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform
// pseudo-random number generator", ACM TOMACS 8(1), 1998), one word at a time.
//
// The generator is a sequence of 32-bit words x[0], x[1], ... The seed gives the first 624. The others follow from
//
//     x[i+624] = x[i+397] ^ A(upper bit of x[i], lower 31 bits of x[i+1]) (eq. 2.1)
//
// Its output is temper(x[624]), temper(x[625]), ...
// The state is a window of 624 of these words and a position in it. The next output is temper(words[position]). At
// position 624 the window first moves on by 624 words ("twist").
// The low 31 bits of the window's first word influence nothing that follows the window.

#include <cstdint>
#include <type_traits>

namespace tombola::impl::cpu {

// The constants of the paper, table II.
inline constexpr int kMtWords = 624;                  // n
inline constexpr int kMtShift = 397;                  // m
inline constexpr uint32_t kMtUpperMask = 0x80000000;  // w - r = 1 upper bit
inline constexpr uint32_t kMtLowerMask = 0x7FFFFFFF;  // r = 31 lower bits
inline constexpr uint32_t kMtMatrix = 0x9908B0DF;     // a: the last row of the matrix A
inline constexpr uint32_t kMtTemperB = 0x9D2C5680;
inline constexpr uint32_t kMtTemperC = 0xEFC60000;
inline constexpr int kMtTemperU = 11, kMtTemperS = 7, kMtTemperT = 15, kMtTemperL = 18;
// Knuth's multiplier, of the authors' init_genrand (2002).
inline constexpr uint32_t kMtSeedMultiplier = 1812433253;

// Eq. 2.1. A(y) is y >> 1, xor the row a if the bit that is shifted out is 1.
constexpr uint32_t mt_recurrence(uint32_t x_i, uint32_t x_i1, uint32_t x_im) {
    const uint32_t y = (x_i & kMtUpperMask) | (x_i1 & kMtLowerMask);
    return x_im ^ (y >> 1) ^ ((0u - (y & 1u)) & kMtMatrix);
}

constexpr uint32_t mt_temper(uint32_t y) {
    y ^= y >> kMtTemperU;
    y ^= (y << kMtTemperS) & kMtTemperB;
    y ^= (y << kMtTemperT) & kMtTemperC;
    y ^= y >> kMtTemperL;
    return y;
}

class MtJumpLoops;

// The members lie in memory as in the public state tensor u32[625]: the window, then the position, 0 to 624.
struct Mt19937 {
    uint32_t words[kMtWords];
    uint32_t position;

    static Mt19937 from_seed(uint32_t seed);
    // Makes only the first `count` words of that state; the others are 0. Each word depends on the one before and takes
    // about 6 cycles: most of the time of a small tensor. The first `count` - kMtShift outputs are right.
    static Mt19937 from_seed(uint32_t seed, int count);

    // Whether the 19937 bits that the recurrence uses are all 0. These are all bits of the window except the low 31
    // bits of its first word. Every later word of such a state is 0, too. No seed gives such a state.
    bool is_zero() const;

    uint32_t next() {
        if (position == kMtWords) twist();
        return mt_temper(words[position++]);
    }
    // Moves the window on by 624 words and sets the position to 0.
    void twist();
    // A part of that: the words [begin, end) of the new window, where those before `begin` are new already.
    static void twist(uint32_t* words, int begin, int end);
    // Undoes twist() and sets the position to 624. The low 31 bits of the first word are lost: nothing depends on them.
    // False, and nothing is changed, if no window precedes this one: a twist gives only one in 2^31 of all windows.
    [[nodiscard]] bool untwist();
    // Moves the window on by `count` words and keeps the position.
    void slide(int count);
    // The state after `count` calls of next(), in a time that does not grow with `count` (mt19937_jump.cpp).
    void skip(uint64_t count);
    void skip(uint64_t count, const MtJumpLoops& loops);
};
static_assert(sizeof(Mt19937) == 625 * sizeof(uint32_t) && std::is_trivially_copyable_v<Mt19937>);

}  // namespace tombola::impl::cpu
