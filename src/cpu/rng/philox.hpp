// SPDX-License-Identifier: Apache-2.0
#pragma once

// Philox 4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
//
// A block of four words is a function of a 128-bit counter c and a 64-bit key k. Each of ten rounds maps
//
//     c0' = hi(M1 * c2) ^ c1 ^ k0      c1' = lo(M1 * c2)
//     c2' = hi(M0 * c0) ^ c3 ^ k1      c3' = lo(M0 * c0)
//
// and between two rounds k0 += W0, k1 += W1. Block i of a stream has the counter start + i mod 2^128.

#include <array>
#include <cstddef>
#include <cstdint>

namespace tombola::impl::cpu {

using Uint128 = unsigned __int128;

inline constexpr uint32_t kPhiloxM0 = 0xD2511F53;
inline constexpr uint32_t kPhiloxM1 = 0xCD9E8D57;
inline constexpr uint32_t kPhiloxW0 = 0x9E3779B9;  // golden ratio
inline constexpr uint32_t kPhiloxW1 = 0xBB67AE85;  // sqrt(3) - 1
inline constexpr int kPhiloxRounds = 10;
inline constexpr int kPhiloxBlockWords = 4;

using PhiloxBlock = std::array<uint32_t, kPhiloxBlockWords>;

struct PhiloxKey {
    uint32_t k0, k1;
    static PhiloxKey from(uint64_t key) {
        return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
    }
};

// c0 is the low half of lo, c3 the high half of hi.
struct PhiloxCounter {
    uint64_t lo, hi;
    Uint128 value() const { return Uint128{hi} << 64 | lo; }
    static PhiloxCounter from(Uint128 value) {
        return {static_cast<uint64_t>(value), static_cast<uint64_t>(value >> 64)};
    }
    PhiloxCounter plus(Uint128 blocks) const { return from(value() + blocks); }
};

inline PhiloxBlock philox_block(PhiloxCounter counter, PhiloxKey key) {
    auto c0 = static_cast<uint32_t>(counter.lo), c1 = static_cast<uint32_t>(counter.lo >> 32);
    auto c2 = static_cast<uint32_t>(counter.hi), c3 = static_cast<uint32_t>(counter.hi >> 32);
    for (int round = 0; round < kPhiloxRounds; ++round) {
        const uint64_t product0 = uint64_t{kPhiloxM0} * c0;
        const uint64_t product1 = uint64_t{kPhiloxM1} * c2;
        c0 = static_cast<uint32_t>(product1 >> 32) ^ c1 ^ key.k0;
        c1 = static_cast<uint32_t>(product1);
        c2 = static_cast<uint32_t>(product0 >> 32) ^ c3 ^ key.k1;
        c3 = static_cast<uint32_t>(product0);
        key.k0 += kPhiloxW0;
        key.k1 += kPhiloxW1;
    }
    return {c0, c1, c2, c3};
}

// The words of a stream from word `first` on, one after the other.
class PhiloxWords {
  public:
    PhiloxWords(PhiloxCounter start, PhiloxKey key, Uint128 first)
        : counter_(start.plus(first / kPhiloxBlockWords)),
          key_(key),
          block_(philox_block(counter_, key)),
          at_(static_cast<int>(first % kPhiloxBlockWords)) {}

    uint32_t next() {
        if (at_ == kPhiloxBlockWords) {
            counter_ = counter_.plus(1);
            block_ = philox_block(counter_, key_);
            at_ = 0;
        }
        return block_[static_cast<size_t>(at_++)];
    }

  private:
    PhiloxCounter counter_;
    PhiloxKey key_;
    PhiloxBlock block_;
    int at_;
};

}  // namespace tombola::impl::cpu
