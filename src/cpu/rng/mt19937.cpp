// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/mt19937.hpp"

#include <algorithm>
#include <cstring>

namespace tombola::impl::cpu {

Mt19937 Mt19937::from_seed(uint32_t seed) { return from_seed(seed, kMtWords); }

Mt19937 Mt19937::from_seed(uint32_t seed, int count) {
    Mt19937 state;
    state.words[0] = seed;
    for (uint32_t i = 1; i < static_cast<uint32_t>(count); ++i) {
        const uint32_t previous = state.words[i - 1];
        state.words[i] = kMtSeedMultiplier * (previous ^ (previous >> 30)) + i;
    }
    std::fill(state.words + count, state.words + kMtWords, 0u);
    state.position = kMtWords;
    return state;
}

bool Mt19937::is_zero() const {
    return (words[0] & kMtUpperMask) == 0 &&
           std::all_of(words + 1, words + kMtWords, [](uint32_t word) { return word == 0; });
}

void Mt19937::twist() {
    twist(words, 0, kMtWords);
    position = 0;
}

void Mt19937::twist(uint32_t* words, int begin, int end) {
    constexpr int kOld = kMtWords - kMtShift;  // from this i on, x[i+m] is a word of the new window
    int i = begin;
    for (const int stop = std::min(end, kOld); i < stop; ++i)
        words[i] = mt_recurrence(words[i], words[i + 1], words[i + kMtShift]);
    for (const int stop = std::min(end, kMtWords - 1); i < stop; ++i)
        words[i] = mt_recurrence(words[i], words[i + 1], words[i - kOld]);
    if (i < end) words[i] = mt_recurrence(words[i], words[0], words[i - kOld]);
}

// The top bit is 0 in y >> 1 and 1 in the row a, so the top bit of x[i+624] ^ x[i+397] tells whether y was odd. Then y
// is known: it has the upper bit of x[i] and the lower bits of x[i+1]. In descending order, x[i+397] is known before
// x[i]. The last y has the lower bits of x[624], which is the first word of this window.
bool Mt19937::untwist() {
    constexpr int kOld = kMtWords - kMtShift;
    uint32_t old[kMtWords + 1] = {};
    for (int i = kMtWords - 1; i >= 0; --i) {
        const uint32_t x_im = i < kOld ? old[i + kMtShift] : words[i - kOld];
        const uint32_t a_y = words[i] ^ x_im;
        const uint32_t odd = a_y >> 31;
        const uint32_t y = (a_y ^ ((0u - odd) & kMtMatrix)) << 1 | odd;
        old[i] |= y & kMtUpperMask;
        old[i + 1] |= y & kMtLowerMask;
    }
    if (old[kMtWords] != (words[0] & kMtLowerMask)) return false;
    std::memcpy(words, old, sizeof(words));
    position = kMtWords;
    return true;
}

void Mt19937::slide(int count) {
    uint32_t line[2 * kMtWords];
    for (; count > 0; count -= kMtWords) {
        const int step = std::min(count, kMtWords);
        std::memcpy(line, words, sizeof(words));
        for (int i = 0; i < step; ++i)
            line[i + kMtWords] = mt_recurrence(line[i], line[i + 1], line[i + kMtShift]);
        std::memcpy(words, line + step, sizeof(words));
    }
}

}  // namespace tombola::impl::cpu
