// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shuffles as permute programs.

#include <vector>

#include "cpu/x64/shuffle/permute_program.hpp"
#include "cpu/x64/shuffle/shuffle_layout.hpp"

namespace tombola::impl::cpu::x64 {

// What the kernel at hand has.
struct PermuteLimits {
    int vector_bytes;
    bool masks;           // loads and stores of any number of bytes
    int64_t whole_bytes;  // the most that one step may write
    int max_sources;      // vectors that one output may take from
    int max_transposed;   // registers that a transpose may have; 0: there are none of such units
};

// A program for pixels whose channels lie side by side, and how the loop over pixels drives it.
struct PixelProgram {
    PermuteProgram program;
    int64_t pixels;  // a step takes this many, dense; 0: the inner loop is within a pixel
    int64_t src_last, dst_last;  // of the inner loop, if it is within a pixel
    double bytes;                // that a step writes, without those that it only repeats
};

// All that could serve, for the caller to choose by the cost of their plans. `dense`: `pixels` pixels follow each
// other without a gap.
std::vector<PixelProgram> pixel_programs(const ShuffleLayout& layout, int64_t pixels, bool dense,
                                         const PermuteLimits& limits);

// Sections are destination blocks that read the same source blocks; `by_alignment`: and that start at the same place in a
// cache line. A step takes `pixels` pixels, all there are if `single_step`.
PermuteProgram blocked_program(const ShuffleLayout& layout, int64_t pixels, bool single_step,
                               bool by_alignment, const PermuteLimits& limits);

}  // namespace tombola::impl::cpu::x64
