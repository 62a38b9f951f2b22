// SPDX-License-Identifier: Apache-2.0
#pragma once

// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011), one block at
// a time.

#include <array>
#include <cstddef>
#include <cstdint>

namespace tombola::reference {

using PhiloxCounter = std::array<uint32_t, 4>;  // word 0 is the least significant
using PhiloxKey = std::array<uint32_t, 2>;

std::array<uint32_t, 4> philox_block(PhiloxCounter counter, PhiloxKey key);

// counter + n modulo 2^128.
PhiloxCounter philox_add(PhiloxCounter counter, unsigned __int128 n);

// Words [0, count) of the stream whose first block is at `counter`; word e is word e % 4 of block e / 4.
void philox_words(PhiloxCounter counter, PhiloxKey key, uint64_t count, uint32_t* words);

// Draw `number` of 8, 16 or 32 bits of the stream of TensorFlow's counter (0, op seed) and key (global seed): that many
// bits of the stream's bytes, each word little-endian.
uint32_t philox_draw(uint64_t global_seed, uint64_t op_seed, int bits, unsigned __int128 number);

}  // namespace tombola::reference
