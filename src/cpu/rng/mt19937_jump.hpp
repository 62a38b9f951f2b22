// SPDX-License-Identifier: Apache-2.0
#pragma once

// Jumping ahead in MT19937 by polynomial arithmetic over GF(2) (Haramoto, Matsumoto, Nishimura,
// Panneton and L'Ecuyer, "Efficient jump ahead for F2-linear random number generators", INFORMS J.
// on Computing 20(3), 2008).
//
// The recurrence is linear over GF(2): with its characteristic polynomial p, of degree 19937,
//
//     sum over i of p_i x[n+i] = 0     for every n >= 1,
//
// so that, if g(t) = t^k mod p(t),
//
//     x[n+k] = sum over i of g_i x[n+i]     for every n >= 1.
//
// (At n = 0 this holds only for the upper bit, because the recurrence does not use the lower bits of a state's first
// word.) Computing g takes log2(k) squarings, and the sum reads 19937 + 624 words of the sequence, however large k is.

#include <array>
#include <cstdint>

#include "cpu/rng/mt19937.hpp"

namespace tombola::impl::cpu {

inline constexpr int kMtDegree = 19937;

// A polynomial over GF(2) of degree < 19968: bit i of the array is the coefficient of t^i.
inline constexpr int kMtPolynomialWords = 312;
using MtPolynomial = std::array<uint64_t, kMtPolynomialWords>;

// The exponents of p below its leading term t^19937, in ascending order. None is above 19314.
inline constexpr int kMtTerms = 134;
const std::array<uint16_t, kMtTerms>& mt_characteristic_exponents();

// The square of a polynomial while it is reduced modulo p. The high half, the bits of weight t^19968 and above, lies
// between zeros, so that code may read bits at any distance from it.
struct alignas(64) MtSquare {
    uint64_t low[kMtPolynomialWords];
    uint64_t zero_high_zero[3 * kMtPolynomialWords + 8];

    uint64_t* high() { return zero_high_zero + kMtPolynomialWords; }
};

// The two inner loops of a jump, in plain C++. cpu/x64 overrides them with generated code.
class MtJumpLoops {
  public:
    virtual ~MtJumpLoops() = default;
    // square = g^2, reduced so far that `low` is congruent to g^2 modulo p. The caller has set the zeros of `square`.
    virtual void square(const MtPolynomial& g, MtSquare& square) const;
    // sum[j] ^= line[place + j] for 0 <= j < 624 and each of the places, which are at most 624.
    virtual void add_windows(uint32_t* sum, const uint32_t* line, const uint16_t* places,
                             int count) const;

    static const MtJumpLoops& portable();
};

// t^(k 2^doublings) mod p.
MtPolynomial mt_power_of_t(uint64_t k, const MtJumpLoops& loops = MtJumpLoops::portable(),
                           int doublings = 0);

// Replaces x[j] in the window of `words` by the sum over i of g_i x[i + j]. The degree of g is at most 19937.
void mt_combine(uint32_t* words, const MtPolynomial& g,
                const MtJumpLoops& loops = MtJumpLoops::portable());

// Moves the window of `words` on by k words, k >= 1, given t^(k-1) mod p. All bits of the new window are exact.
void mt_jump(uint32_t* words, const MtPolynomial& power_k_minus_1,
             const MtJumpLoops& loops = MtJumpLoops::portable());

}  // namespace tombola::impl::cpu
