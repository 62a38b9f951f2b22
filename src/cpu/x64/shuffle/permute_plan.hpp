// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "common/cpu_isa.hpp"
#include "cpu/shuffle/shuffle_layout.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/operations.hpp"

namespace tombola::impl::cpu::x64 {

// What is decided about a permuting shuffle: what one call of the kernel covers, and its operations.
struct PermutePlan {
    CpuIsa code = CpuIsa::none;  // the instruction set of the code
    int64_t bytes = 0;           // of source and destination together
    int threads = 1;             // that may share an execution
    ShuffleLayout layout;        // its loops are around the loop over pixels
    Loop pixels;
    // The number of dense pixels that a step takes. If it is 0, the loop over steps is within a pixel, and its last
    // step is at src_last and dst_last.
    int64_t step_pixels = 0;
    int64_t src_last = 0, dst_last = 0;
    bool near_sources = false;  // see blocked_program()
    int64_t tile_pixels = 1;    // work is divided into tiles
    bool joins_tiles = false;   // neighbouring tiles may be one call
    // Whether each tile of the source is copied to the stack before it is permuted, and each tile of the destination is written there and
    // then copied. In these copies, blocks are `staged_stride` bytes apart.
    bool stages_src = false, stages_dst = false;
    int64_t staged_stride = 0;
    std::shared_ptr<const Operations> operations;
    // The cost, only to be compared with other costs. It may be negative, because the gain of far stores is subtracted.
    double cycles = std::numeric_limits<double>::infinity();

    bool is_far() const { return machine().is_far(bytes, threads); }
    bool is_staged() const { return stages_src || stages_dst; }
    int64_t pixels_of_tile() const { return std::min(tile_pixels, pixels.count); }
};

}  // namespace tombola::impl::cpu::x64
