// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers for tests that have nothing to do with the library.

#include <cstdint>

namespace tombola::test {

// In [0, 1): a linear congruential sequence (Knuth's MMIX).
class Noise {
  public:
    explicit Noise(uint64_t seed) : state_(seed) {}
    double next() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(state_ >> 11) * 0x1p-53;
    }
    // In [low, high].
    int64_t pick(int64_t low, int64_t high) {
        return low + static_cast<int64_t>(next() * static_cast<double>(high - low + 1));
    }
    bool chance(int percent) { return pick(0, 99) < percent; }

  private:
    uint64_t state_;
};

}  // namespace tombola::test
