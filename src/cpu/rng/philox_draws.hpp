// SPDX-License-Identifier: Apache-2.0
#pragma once

// Draws of 32, 16 or 8 bits from a Philox stream. Draw i of 32 bits is word i of the stream, draw i of 16 bits is
// halfword i, and draw i of 8 bits is byte i. The low part of a word comes first.

#include <cstdint>

#include "cpu/rng/philox.hpp"

namespace tombola::impl::cpu {

class PhiloxDraws {
  public:
    PhiloxDraws(PhiloxCounter start, PhiloxKey key, Uint128 first, int bits)
        : bits_(bits),
          per_word_(32 / bits),
          mask_(static_cast<uint32_t>((uint64_t{1} << bits) - 1)),
          words_(start, key, first / static_cast<unsigned>(per_word_)) {
        for (auto skip = static_cast<int>(first % static_cast<unsigned>(per_word_)); skip > 0;
             --skip)
            next();
    }

    uint32_t next() {
        if (left_ == 0) {
            word_ = words_.next();
            left_ = per_word_;
        }
        --left_;
        const auto draw = static_cast<uint32_t>(word_ & mask_);
        word_ >>= bits_;
        return draw;
    }

  private:
    int bits_, per_word_;
    uint32_t mask_;
    PhiloxWords words_;
    uint64_t word_ = 0;  // the draws of the word that are left, the next one lowest
    int left_ = 0;
};

}  // namespace tombola::impl::cpu
