// SPDX-License-Identifier: Apache-2.0
#pragma once

// Staging: a tile of the source is copied before it is permuted, or a tile of the destination is permuted to memory on the stack and then
// copied, or both.
//
// If blocks are a multiple of 4 KiB apart, which images of 8 x 8, 16 x 16 or 32 x 32 pixels make likely, the lines of one pixel share a set
// of the first-level cache. A set holds 8 or 12 lines. A section that accesses more blocks loses lines before their next access, or before
// they are filled. On the stack, the lines of a pixel are spread over all sets. Copies go from block to block, so they crowd no set.

#include <cstddef>
#include <cstdint>

#include "cpu/x64/shuffle/permute_plan.hpp"

namespace tombola::impl::cpu::x64 {

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
