// SPDX-License-Identifier: Apache-2.0
#pragma once

// The work of a permuting kernel before it becomes code: which source bytes each destination vector takes.
//
// A channel shuffle whose innermost contiguous run is short (nhwc: one element; channel-blocked: one block)
// repeats one small permutation over and over, while source and destination addresses advance. A program is that
// permutation, unrolled over as many pixels, channels or blocks as is worthwhile, together with the steps:
//
//   for each of Args::outer repetitions                         (addresses advance by Args::*_outer)
//     for each section, as often as it repeats                  (addresses advance by its *_repeat)
//       for s, d from there in src_step, dst_step, and at last at Args::*_last:
//         each output: bytes [d + dst_offset, + bytes) = gathered units at s + source[i], or zeros
//
// The last step of the inner loop is moved back, not masked: it repeats elements of the one before, so that every
// vector is full and no byte outside the tensor is touched.
//
// Extents are the bytes relative to s that may be loaded. Every byte that a load touches lies in one of them.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "cpu/shuffle/shuffle_layout.hpp"

namespace tombola::impl::cpu::x64 {

inline constexpr int64_t kLineBytes = 64;  // of a cache line

struct Extent {
    int64_t begin, end;
    friend bool operator==(const Extent& a, const Extent& b) {
        return a.begin == b.begin && a.end == b.end;
    }
};

inline constexpr int64_t kZeroSource = -1;  // the unit is padding: written as zero

// A vector that is written: its units are `units` of the program's sources, from the first one on.
struct PermuteOutput {
    int64_t dst_offset;
    size_t first;
    int units;
};

// How often a section runs, and by how many bytes its addresses advance each time.
struct SectionLoop {
    int64_t repeats = 1;
    int64_t src_repeat = 0, dst_repeat = 0;
    int sections = 1;  // in the loop, one after the other: this one and those behind it
};

struct PermuteSection {
    std::vector<Extent> extents;
    std::vector<PermuteOutput> outputs;
    SectionLoop loop;
};

// The loop over the steps of a section.
struct StepLoop {
    int64_t src_step = 0, dst_step = 0;
    bool single_step = false;  // *_last are 0: there is no inner loop
    // Nonzero: steps may start at any multiple of this many bytes; requires src_step == dst_step. The second step of
    // a section then begins where its first output is aligned.
    int64_t granule = 0;
};

struct PermuteProgram {
    int unit = 1;  // bytes that stay together: 1, 2, 4 or 8
    StepLoop loop;
    // The alignment of the places where steps begin, if the destination is aligned; at most a cache line.
    int64_t dst_alignment = 1;
    std::vector<int64_t> sources;  // the byte offset of each unit of each output
    std::vector<PermuteSection> sections;

    int bytes(const PermuteOutput& output) const { return output.units * unit; }
    const int64_t* source(const PermuteOutput& output) const { return &sources[output.first]; }
};

// How many cache lines a section's stores touch in a step beyond those that their bytes would fill, on average over the
// steps, if the destination is aligned to a line. Vectors side by side, stored one after the other, are merged on
// their way, so that a line which two of them share counts little.
double split_stores(const PermuteProgram& program, const PermuteSection& section);

// Bytes that a step stores, of every section.
int64_t stored_bytes(const PermuteProgram& program);

// Arguments of the generated function. *_last is the offset of the last inner step, in bytes.
struct PermuteArgs {
    const void* src;
    void* dst;
    int64_t src_last;
    int64_t dst_last;
    int64_t outer;
    int64_t src_outer;
    int64_t dst_outer;
};

// Where outputs of at most `vector_bytes` begin so that they cover `bytes`: full vectors, the last of which
// overlaps the one before. Fewer bytes than a vector: one output if `masks`, otherwise a power of two, twice.
struct Piece {
    int64_t offset;
    int bytes;
};
std::vector<Piece> cut_into_vectors(int64_t bytes, int vector_bytes, bool masks);

// ---- the programs of a shuffle -----------------------------------------------------------------------------------

// What the vectors of an ISA allow.
struct PermuteLimits {
    int vector_bytes;
    bool masks;           // loads and stores of any number of bytes
    int64_t whole_bytes;  // the maximum number of bytes that one step may write
    int max_sources;      // vectors that one output may take from
    int max_transposed;   // registers that a transpose may have; 0: there are none of such units
};

// A program for pixels whose channels lie side by side, and how the loop over pixels drives it.
struct PixelProgram {
    PermuteProgram program;
    int64_t pixels;  // a step takes this many, dense; 0: the inner loop is within a pixel
    int64_t src_last, dst_last;  // of the inner loop, if it is within a pixel
    double bytes;                // the bytes that a step writes, without repeated ones
};

// All candidate programs, from which the caller chooses by cost. `dense`: `pixels` pixels follow each other without a
// gap.
std::vector<PixelProgram> pixel_programs(const ShuffleLayout& layout, int64_t pixels, bool dense,
                                         const PermuteLimits& limits);

// Of more blocks than this, sequences of sections are joined too, and costs are compared on fewer channels.
inline constexpr int64_t kManyBlocks = 192;

// For channels in blocks. Sections are destination blocks that read the same source blocks; `by_alignment`: and that
// start at the same place in a cache line. A step takes `pixels` pixels; if `single_step`, these are all pixels.
PermuteProgram blocked_program(const ShuffleLayout& layout, int64_t pixels, bool single_step,
                               bool by_alignment, const PermuteLimits& limits);

}  // namespace tombola::impl::cpu::x64
