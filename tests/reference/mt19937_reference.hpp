// SPDX-License-Identifier: Apache-2.0
#pragma once

// MT19937 (Matsumoto, Nishimura: Mersenne Twister; ACM TOMACS 8(1), 1998), one word at a time, with a jump.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tombola::reference {

class Mt19937 {
  public:
    static constexpr int kWords = 624;
    // The state as a tensor: the words, then the position 0..624; 624 means that all words are used up.
    using State = std::array<uint32_t, kWords + 1>;

    explicit Mt19937(uint32_t seed);
    explicit Mt19937(const State& state);

    uint32_t next();
    // As if next() had been called count times. From 2^24 words on it takes about as long as 2^24 calls,
    // however large the count.
    void discard(unsigned __int128 count);
    State state() const;

  private:
    void twist();
    void jump_blocks(unsigned __int128 blocks);

    std::array<uint32_t, kWords> words_;
    uint32_t position_;
};

// Why a primitive must refuse the bytes of a state; empty if it must not, or if there are none.
std::string mt_state_refusal(const std::vector<uint8_t>& state);

}  // namespace tombola::reference
