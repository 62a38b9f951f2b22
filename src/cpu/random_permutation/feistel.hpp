// SPDX-License-Identifier: Apache-2.0
#pragma once

// A permutation of 0 ... range - 1 in which every element is computed independently: an unbalanced Feistel network on b
// bits, keyed by Philox, and cycle walking (Mitchell, Stokes, Frank, Holmes, "Bandwidth-optimal random shuffling for
// GPUs", arXiv 2106.06161; Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002).
//
//     b = max(4, ceil(log2 range)),  left = floor(b / 2),  right = b - left
//     L = v >> right,  R = v mod 2^right
//     for round r = 0, 2, ..., 22:   L ^= F(R, k[r], left),   R ^= F(L, k[r + 1], right)
//     v = L << right | R;   if v < 2: v ^= k[24] mod 2
//
//     F(x, k, bits): h = (x ^ k) * C1;  h ^= h >> 15;  h = h * C2;  h >> (32 - bits)       modulo 2^32
//
// Each step is a bijection of b bits. Element i is the first of pass(i), pass(pass(i)), ... that is below the range.
//
// If both halves have two bits or more, a Feistel network gives only even permutations. The last step exchanges 0 and 1
// for half of the keys, so that odd permutations are as frequent. With fewer than 4 bits, 24 rounds do not mix: see
// doc/random_permutation.md.

#include <cstdint>

#include "cpu/rng/philox.hpp"

namespace tombola::impl::cpu {

inline constexpr int kFeistelRounds = 24;
// Blocks of Philox: 24 keys, the word of the last step, and 3 unused words.
inline constexpr int kFeistelKeyBlocks = 7;
// The multipliers of a hash function of 32 bits with little bias (C. Wellons, hash-prospector, "lowbias32").
inline constexpr uint32_t kFeistelC1 = 0x7FEB352D;
inline constexpr uint32_t kFeistelC2 = 0x846CA68B;
inline constexpr int kFeistelShift = 15;

struct FeistelNetwork {
    uint64_t range;
    int left, right;  // bits
    uint32_t keys[kFeistelRounds];
    uint32_t exchange;  // 0 or 1

    // The key is words 0 ... 24 of the Philox stream that begins at `start`.
    FeistelNetwork(uint64_t range, PhiloxCounter start, PhiloxKey key);

    // Whether every pass ends below the range, so that no element needs a second pass.
    bool is_whole() const { return range == uint64_t{1} << (left + right); }
    uint64_t pass(uint64_t value) const;
    uint64_t element(uint64_t index) const {
        do index = pass(index);
        while (index >= range);
        return index;
    }
    // Writes elements [first, first + count).
    template <class T>
    void elements(uint64_t first, int64_t count, T* to) const;

  private:
    static constexpr int kTogether = 16;
    void pass_together(uint64_t* values) const;
};

// Sixteen values pass together, because the rounds of one value depend on each other. A value that is finished leaves its lane to the
// next index.
template <class T>
void FeistelNetwork::elements(uint64_t first, int64_t count, T* to) const {
    int64_t next = 0;
    if (count >= kTogether) {
        uint64_t values[kTogether];
        int64_t places[kTogether];
        for (; next < kTogether; ++next) {
            values[next] = first + static_cast<uint64_t>(next);
            places[next] = next;
        }
        while (next + kTogether <= count) {
            pass_together(values);
            for (int i = 0; i < kTogether; ++i) {
                to[places[i]] = static_cast<T>(values[i]);  // the last one holds
                const bool ends = values[i] < range;
                places[i] = ends ? next : places[i];
                values[i] = ends ? first + static_cast<uint64_t>(next) : values[i];
                next += ends ? 1 : 0;
            }
        }
        for (int i = 0; i < kTogether; ++i) to[places[i]] = static_cast<T>(element(values[i]));
    }
    for (; next < count; ++next)
        to[next] = static_cast<T>(element(first + static_cast<uint64_t>(next)));
}

}  // namespace tombola::impl::cpu
