// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is decided about a permuting shuffle, and how its stores may bypass the caches.
//
//   whole registers   the destination is aligned to a register
//   lines             it is aligned to 8 bytes (Operation::Kind::store_line)
//   parts             it is aligned to 16 bytes; each register is stored in parts of kLaneBytes

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "cpu/x64/shuffle/operations.hpp"

namespace tombola::impl::cpu::x64 {

// What is decided about a permuting shuffle: what one call of the kernel covers, and its operations.
struct PermutePlan {
    CpuIsa code = CpuIsa::none;  // the instruction set of the code
    int64_t bytes = 0;           // of source and destination together
    ShuffleLayout layout;        // its loops are around the loop over pixels
    Loop pixels;
    // The number of dense pixels that a step takes. If it is 0, the loop over steps is within a pixel, and its last
    // step is at src_last and dst_last.
    int64_t step_pixels = 0;
    int64_t src_last = 0, dst_last = 0;
    int64_t tile_pixels = 1;   // work is divided into tiles
    bool joins_tiles = false;  // neighbouring tiles may be one call
    std::shared_ptr<const Operations> operations;
    // The cost, only to be compared with other costs. It may be negative, because the gain of far stores is subtracted.
    double cycles = std::numeric_limits<double>::infinity();

    int64_t pixels_of_tile() const { return std::min(tile_pixels, pixels.count); }
};

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
