// SPDX-License-Identifier: Apache-2.0
#include "reference/mt19937_reference.hpp"

#include <cstring>

#include <algorithm>
#include <bitset>
#include <vector>

namespace tombola::reference {

namespace {

constexpr int kMiddle = 397;
constexpr int kDegree = 19937;  // of the characteristic polynomial: 624 * 32 - 31
using Polynomial = std::bitset<2 * kDegree + 2>;

// x[k + 624] from x[k], x[k + 1] and x[k + 397].
uint32_t recurrence(uint32_t x0, uint32_t x1, uint32_t xm) {
    const uint32_t y = (x0 & 0x80000000u) | (x1 & 0x7fffffffu);
    return xm ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
}

// The untempered words x[from + 624 ...] that follow the 624 words of `window`.
std::vector<uint32_t> continued(const std::array<uint32_t, Mt19937::kWords>& window, size_t count) {
    std::vector<uint32_t> x(window.begin(), window.end());
    x.resize(std::max(count, x.size()));
    for (size_t k = Mt19937::kWords; k < x.size(); ++k)
        x[k] = recurrence(x[k - 624], x[k - 623], x[k - 624 + kMiddle]);
    return x;
}

// The polynomial that every bit of the word sequence obeys, found by the algorithm of Berlekamp and Massey over
// GF(2) from the lowest bits of 2 * 19937 words. It is irreducible, so any bit that is not constantly 0 has it.
Polynomial find_characteristic() {
    std::array<uint32_t, Mt19937::kWords> window;
    for (size_t i = 0; i < window.size(); ++i) window[i] = static_cast<uint32_t>(i * i + 1);
    const auto x = continued(window, 2 * kDegree + Mt19937::kWords);

    // connection(D) s = 0 with s_n the sequence; recent has s_n in bit 0, s_{n-1} in bit 1, ...
    Polynomial connection(1), previous(1), recent;
    int length = 0, since = 1;
    for (int n = 0; n < 2 * kDegree; ++n) {
        recent <<= 1;
        recent[0] = x[static_cast<size_t>(n + Mt19937::kWords)] & 1;
        if (((connection & recent).count() & 1) == 0) {
            ++since;
            continue;
        }
        const Polynomial kept = connection;
        connection ^= previous << static_cast<size_t>(since);
        if (2 * length <= n) {
            length = n + 1 - length;
            previous = kept;
            since = 1;
        } else {
            ++since;
        }
    }
    // The connection polynomial has its coefficients in the reverse order.
    Polynomial characteristic;
    for (int i = 0; i <= length; ++i)
        characteristic[static_cast<size_t>(length - i)] = connection[static_cast<size_t>(i)];
    return characteristic;
}

void reduce(Polynomial& value, const Polynomial& modulus) {
    Polynomial shifted = modulus << kDegree;
    for (int i = 2 * kDegree; i >= kDegree; --i) {
        if (value[static_cast<size_t>(i)]) value ^= shifted;
        shifted >>= 1;
    }
}

// t^exponent modulo the characteristic polynomial.
Polynomial power_of_t(unsigned __int128 exponent) {
    static const Polynomial kCharacteristic = find_characteristic();
    Polynomial result(1);
    int bit = 127;
    while (bit > 0 && (exponent >> bit & 1) == 0) --bit;
    for (; bit >= 0; --bit) {
        // Squaring over GF(2) spreads the coefficients out.
        Polynomial square;
        for (int i = 0; i < kDegree; ++i)
            square[static_cast<size_t>(2 * i)] = result[static_cast<size_t>(i)];
        if (exponent >> bit & 1) square <<= 1;
        reduce(square, kCharacteristic);
        result = square;
    }
    return result;
}

}  // namespace

Mt19937::Mt19937(uint32_t seed) : position_(kWords) {
    words_[0] = seed;
    for (uint32_t i = 1; i < kWords; ++i)
        words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
}

Mt19937::Mt19937(const State& state) : position_(state[kWords]) {
    std::copy(state.begin(), state.end() - 1, words_.begin());
}

Mt19937::State Mt19937::state() const {
    State state;
    std::copy(words_.begin(), words_.end(), state.begin());
    state[kWords] = position_;
    return state;
}

void Mt19937::twist() {
    for (size_t k = 0; k < kWords; ++k)
        words_[k] = recurrence(words_[k], words_[(k + 1) % kWords], words_[(k + kMiddle) % kWords]);
    position_ = 0;
}

uint32_t Mt19937::next() {
    if (position_ == kWords) twist();
    uint32_t y = words_[position_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    y ^= y >> 18;
    return y;
}

void Mt19937::discard(unsigned __int128 count) {
    // Words left in this block, then whole blocks, then the start of the last: the position ends at 1..624, never
    // at 0, because a block is made when its first word is asked for.
    if (count <= kWords - position_) {
        position_ += static_cast<uint32_t>(count);
        return;
    }
    count -= kWords - position_;
    const unsigned __int128 blocks = (count - 1) / kWords + 1;
    if (blocks < (1u << 24) / kWords)
        for (unsigned __int128 b = 0; b < blocks; ++b) twist();
    else
        jump_blocks(blocks);
    position_ = static_cast<uint32_t>(count - (blocks - 1) * kWords);
}

void Mt19937::jump_blocks(unsigned __int128 blocks) {
    // After one twist all bits of all words, those of the first included, obey the characteristic polynomial;
    // the low 31 bits of a seed's first word do not.
    twist();
    const Polynomial g = power_of_t((blocks - 1) * kWords);
    // window(n + K) = sum over i of g_i window(n + i), where g = t^K.
    const auto x = continued(words_, kDegree + kWords);
    words_.fill(0);
    for (size_t i = 0; i < kDegree; ++i)
        if (g[i])
            for (size_t k = 0; k < kWords; ++k) words_[k] ^= x[i + k];
}

std::string mt_state_refusal(const std::vector<uint8_t>& state) {
    if (state.empty()) return "";
    Mt19937::State words;
    std::memcpy(words.data(), state.data(), sizeof words);
    if (words[Mt19937::kWords] > Mt19937::kWords) return "the state's position is beyond 624";
    bool is_zero = words[0] >> 31 == 0;
    for (int i = 1; i < Mt19937::kWords; ++i)
        is_zero = is_zero && words[static_cast<size_t>(i)] == 0;
    return is_zero ? "the state gives only zeros" : "";
}

}  // namespace tombola::reference
