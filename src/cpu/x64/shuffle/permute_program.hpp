// SPDX-License-Identifier: Apache-2.0
#pragma once

// The work of a permuting kernel before it becomes code: which source bytes each destination vector takes.
//
// A channel shuffle whose channels are moved in short pieces (nhwc: one element; channel-blocked: one block)
// repeats one small permutation over and over, while source and destination addresses advance. A program is that
// permutation, unrolled over as many pixels, channels or blocks as is worthwhile, together with the steps:
//
//   for each of PermuteArgs::outer repetitions                  (addresses advance by PermuteArgs::*_outer)
//     for each section, as often as it repeats                  (addresses advance by its *_repeat)
//       for each step: s, d advance by src_step, dst_step; the last step is at PermuteArgs::*_last
//         each output: bytes [d + dst_offset, + bytes) = gathered units at s + source[i], or zeros
//
// The last step of the inner loop is moved back instead of masked, so it may repeat elements of the step before. Every vector is therefore
// full, and no byte outside the tensor is touched. There are two exceptions. A step of fewer bytes than a vector loads and stores under a mask,
// with AVX-512. So does the last step of sections that store lines (Operation::Kind::store_line), which is not moved back.
//
// Extents are the ranges of bytes, relative to s, that may be loaded. Every load lies within one of them.
//
// A run is the contiguous bytes of a tensor that the steps of a loop read or write one after the other. A range is what one step reads or
// writes of it.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/shuffle/shuffle_layout.hpp"

namespace tombola::impl::cpu::x64 {

inline constexpr int64_t kLineBytes = 64;  // of a cache line
inline constexpr int kMaxUnit = 8;         // bytes that a permute moves together
inline constexpr int kLaneBytes = 16;      // AVX2 moves units of 1 and 2 bytes only within a lane

struct Piece {
    int64_t offset;
    int bytes;
    int64_t end() const { return offset + bytes; }
    friend bool operator==(const Piece& a, const Piece& b) {
        return a.offset == b.offset && a.bytes == b.bytes;
    }
};

inline constexpr int64_t kZeroSource = -1;  // the unit is padding: written as zero
// The unit may have any value, because a later output overwrites it.
inline constexpr int64_t kAnySource = -2;

// A vector that is written. Unit i of it comes from sources[first + i] of the program.
struct PermuteOutput {
    int64_t dst_offset;
    size_t first;
    int units;
    // The distance in bytes between the places of the first and the second lane of 16 bytes. If it is not kLaneBytes, the lanes belong to
    // two pixels.
    int64_t apart = kLaneBytes;

    bool is_apart() const { return apart != kLaneBytes; }
    // Where the byte `at` is written.
    int64_t place(int64_t at) const {
        return dst_offset + at + (at < kLaneBytes ? 0 : apart - kLaneBytes);
    }
};

// How often a section runs, and by how many bytes its addresses advance each time.
struct SectionLoop {
    int64_t repeats = 1;
    int64_t src_repeat = 0, dst_repeat = 0;
    int sections = 1;  // consecutive sections in the loop; each of them has the same SectionLoop
};

struct PermuteSection {
    std::vector<Piece> extents;
    std::vector<PermuteOutput> outputs;
    SectionLoop loop;
};

// The loop over the steps of a section.
struct StepLoop {
    int64_t src_step = 0, dst_step = 0;
    bool single_step = false;  // there is no inner loop; PermuteArgs::*_last are 0
    // Nonzero: steps may start at any multiple of this many bytes; requires src_step == dst_step. The second step of
    // a section then starts where its first output is aligned, unless the section stores lines.
    int64_t granule = 0;

    // Whether the second step starts at a place that depends on the alignment of the destination.
    bool aligns() const { return granule > 0 && granule < kLineBytes && !single_step; }
};

struct PermuteProgram {
    int unit = 1;  // bytes that stay together: 1, 2, 4 or 8
    StepLoop loop;
    // The alignment in bytes of each step's destination, if the tensor is aligned to a line. At most kLineBytes.
    int64_t dst_alignment = 1;
    // The bytes of one row of the source, if the channels of a pixel are a matrix that is transposed.
    int64_t row_bytes = 0;
    // The bytes of a pixel, if its channels lie side by side; 0 for blocks.
    int64_t pixel_bytes = 0;
    // The distance in bytes from a block of the source to the next one; 0 if there are no blocks.
    int64_t block_stride = 0;
    bool in_l1 = false;  // both tensors fit the first-level cache
    // Whether the blocks of the source, and those of the destination, may crowd sets of the first-level cache: the tensors exceed this cache,
    // are not far, and are not staged.
    bool crowds_src = false, crowds_dst = false;
    bool near_sources = false;     // see blocked_program()
    std::vector<int64_t> sources;  // the byte offset of each unit of each output
    std::vector<PermuteSection> sections;

    int bytes(const PermuteOutput& output) const { return output.units * unit; }
    const int64_t* source(const PermuteOutput& output) const { return &sources[output.first]; }
};

// The contiguous pieces of memory that a section writes, in the order of its outputs.
std::vector<Piece> pieces_of(const PermuteProgram& program, const PermuteSection& section);

// How many cache lines the stores of a section touch in one step, beyond the minimum for that many bytes: an average over the steps, for a
// destination that is aligned to a line. The processor merges consecutive stores of neighbouring vectors, so a line that two such stores
// share counts little.
double split_stores(const PermuteProgram& program, const PermuteSection& section);

// The bytes that all sections store in one step each, repeats included.
int64_t stored_bytes(const PermuteProgram& program);

// Whether a step writes to places that do not follow each other.
bool writes_apart(const PermuteProgram& program);

// The extent that holds the byte at `offset`, or null if there is none. `extents` is in ascending order.
const Piece* extent_at(const std::vector<Piece>& extents, int64_t offset);

// Arguments of the generated function. *_last is the offset of the last inner step, in bytes.
struct PermuteArgs {
    const void* src;
    void* dst;
    int64_t src_last;
    int64_t dst_last;
    int64_t outer;
    int64_t src_outer;
    int64_t dst_outer;
    // The distance in bytes from the source of this call to the source of the next one. Used if the code prefetches sources.
    int64_t src_ahead = 0;
};

// Covers `bytes` bytes by pieces of `vector_bytes`. The last piece ends where the bytes end, so it may overlap the piece before. If there
// are fewer bytes than a vector has, they are one piece if `masks`. Otherwise the pieces have the greatest power of two that fits.
std::vector<Piece> cut_into_vectors(int64_t bytes, int vector_bytes, bool masks);

// ---- the programs of a shuffle -----------------------------------------------------------------------------------

// What the vectors of an ISA allow.
struct PermuteLimits {
    int vector_bytes;
    int max_transposed;  // maximum registers of a transpose; 0: no transpose of such units

    bool masks() const { return vector_bytes == 64; }     // loads and stores of any number of bytes
    int max_sources() const { return vector_bytes / 2; }  // vectors that one output may take from
    int max_step_bytes() const { return 64 * vector_bytes; }
};

// A program for pixels whose channels lie side by side, and how the loop over pixels drives it.
struct PixelProgram {
    PermuteProgram program;
    int64_t pixels;              // dense pixels in one step; 0: the inner loop is within a pixel
    int64_t src_last, dst_last;  // of the inner loop, if it is within a pixel
    double bytes;                // written by a step, on average, not counting repeated ones
};

// All candidate programs, from which the caller chooses by cost. `dense`: `pixels` pixels follow each other without a
// gap.
std::vector<PixelProgram> pixel_programs(const ShuffleLayout& layout, int64_t pixels, bool dense,
                                         const PermuteLimits& limits);

// With more blocks than this, sequences of several sections are joined too, and costs are compared on a shuffle with fewer channels.
inline constexpr int64_t kManyBlocks = 192;

// The program for channels in blocks. A step takes `pixels` pixels; if `single_step`, these are all pixels. A section writes the
// destination blocks that read the same source blocks. If `near_sources`, it writes several destination blocks whose sources begin near one
// another.
PermuteProgram blocked_program(const ShuffleLayout& layout, int64_t pixels, bool single_step,
                               bool near_sources, const PermuteLimits& limits);

}  // namespace tombola::impl::cpu::x64
