// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the stores of a permuting shuffle may bypass the caches.
//
//   whole registers   the destination is aligned to a register
//   lines             it is aligned to 8 bytes (Operation::Kind::store_line)
//   parts             it is aligned to 16 bytes; each register is stored in parts of kLaneBytes

#include <cstdint>
#include <vector>

#include "cpu/x64/shuffle/permute_plan.hpp"
#include "cpu/x64/shuffle/stores.hpp"

namespace tombola::impl::cpu::x64 {

// A way in which stores bypass the caches, and the alignment that it needs of the destination.
struct Streaming {
    Stores stores;
    int64_t alignment;
};

// Whether whole registers or lines bypass the caches. Such a program is up to 2.3 times as fast as one that stores in parts, so parts play
// no role when a program is chosen.
bool bypasses_caches(const PermutePlan& plan);

// The ways in which the stores of a large tensor may bypass the caches, in descending order of speed.
std::vector<Streaming> streaming_of(const PermutePlan& plan);

}  // namespace tombola::impl::cpu::x64
