// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the plan of a permuting shuffle is chosen:
//
//   layout in bytes -> candidate programs -> operations of each, with their cost -> the cheapest

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "common/cpu_isa.hpp"
#include "common/status.hpp"
#include "cpu/shuffle/shuffle_layout.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/shuffle/stores.hpp"

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
    // Into which the pixels of an image are divided.
    int64_t tiles() const { return std::max<int64_t>(pixels.count / tile_pixels, 1); }
    int64_t pixels_of_tile() const { return std::min(tile_pixels, pixels.count); }
    // The last tile has the remaining pixels, so it may have nearly twice as many as the others.
    int64_t pixels_of_last_tile() const { return pixels.count - (tiles() - 1) * tile_pixels; }
};

// The cheapest plan for channels that lie side by side. Fails if no program is as fast as the portable implementation.
Result<PermutePlan> choose_interleaved(CpuIsa isa, const ShuffleDesc& desc);
// The cost of `pixels` pixels of such a plan, in cycles.
double pixel_cycles(const PermutePlan& plan, int64_t pixels);

// The cheapest plan for channels in blocks.
Result<PermutePlan> choose_blocked(CpuIsa isa, const ShuffleDesc& desc);

// ---- what both choices share: permute_plan.cpp -------------------------------------------------------------------

// A plan of which only the layout, the bytes and the threads are known.
Result<PermutePlan> begin_plan(const ShuffleDesc& desc);
// The instruction sets whose code an implementation for `isa` may use: `isa` itself, and AVX2, whose shorter vectors suit some shuffles
// better.
std::vector<CpuIsa> code_for(CpuIsa isa);
// How far the loops of the plan's kernel are unrolled.
Unrolled unrolled(const PermutePlan& plan);
// The overhead in cycles of one step of pixels, or of one section of a step of blocks.
double step_cycles(const PermutePlan& plan);

// ---- how stores may bypass the caches: permute_streaming.cpp -----------------------------------------------------
//
//   whole registers   the destination is aligned to a register
//   lines             it is aligned to 8 bytes (Operation::Kind::store_line)
//   parts             it is aligned to 16 bytes; each register is stored in parts of kLaneBytes

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

// ---- staging: permute_staging.cpp --------------------------------------------------------------------------------
//
// A tile of the source is copied before it is permuted, or a tile of the destination is permuted to memory on the stack and then copied,
// or both.
//
// If blocks are a multiple of 4 KiB apart, which images of 8 x 8, 16 x 16 or 32 x 32 pixels make likely, the lines of one pixel share a set
// of the first-level cache. A set holds 8 or 12 lines. A section that accesses more blocks loses lines before their next access, or before
// they are filled. On the stack, the lines of a pixel are spread over all sets. Copies go from block to block, so they crowd no set.

inline constexpr int64_t kMaxStagedBytes = 24 * 1024;  // of a tile on the stack

// Whether more blocks of the source, or of the destination, begin in one set of the first-level cache than the set holds with the next line
// of each.
bool crowds_sets(const ShuffleLayout& layout);

// Chooses the tile and `staged_stride` of a plan whose `step_pixels` are known. Returns false if there are so many blocks that a tile would
// have too few bytes of each.
bool stage(PermutePlan& plan);

// The cycles of the copies, for all pixels of an image.
double staging_cycles(const PermutePlan& plan);

// Copies `bytes` bytes of each block of a tile. In `from` and `to`, blocks are `from_stride` and `to_stride` bytes apart.
void copy_blocks(const ShuffleLayout& layout, const char* from, int64_t from_stride, char* to,
                 int64_t to_stride, size_t bytes);

}  // namespace tombola::impl::cpu::x64
