// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tombola::test {

// The 64-bit FNV-1a hash, in which tests/golden has what other libraries drew.
inline uint64_t fnv1a(const std::vector<uint8_t>& bytes) {
    uint64_t hash = 0xCBF29CE484222325;
    for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
    return hash;
}

}  // namespace tombola::test
