// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tombola::impl {

// Mixes `value` into a 64-bit hash, by the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014).
inline uint64_t hash_step(uint64_t hash, uint64_t value) {
    uint64_t z = (hash ^ value) + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

template <class... Values>
uint64_t hash_combine(uint64_t hash, Values... values) {
    ((hash = hash_step(hash, static_cast<uint64_t>(values))), ...);
    return hash;
}

}  // namespace tombola::impl
