// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a permuting kernel does, before it is code: which source bytes each destination vector takes.
//
// A channel shuffle whose innermost contiguous run is short (nhwc: one element; channel-blocked: one block)
// repeats one small permutation over and over, while source and destination addresses advance. A program is that
// permutation, unrolled over as many pixels, channels or blocks as pay, together with the steps:
//
//   for each of Args::outer repetitions                         (addresses advance by Args::*_outer)
//     for each section, so often as it repeats                  (addresses advance by its *_repeat)
//       for s, d from there in src_step, dst_step, and at last at Args::*_last:
//         each output: bytes [d + dst_offset, + bytes) = gathered units at s + source[i], or zeros
//
// The last step of the inner loop is moved back, not masked: it repeats elements of the one before, so that every
// vector is full and no byte outside the tensor is touched.
//
// Extents say which bytes relative to s may be loaded: everything that a load may touch lies in one of them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tombola::impl::cpu::x64 {

struct Extent {
    int64_t begin, end;
};

inline constexpr int64_t kZeroSource = -1;  // the unit is padding: written as zero

struct PermuteOutput {
    int64_t dst_offset;
    std::vector<int64_t>
        source;  // byte offset of each unit; the vector's bytes are source.size() * unit
};

struct PermuteSection {
    std::vector<Extent> extents;
    std::vector<PermuteOutput> outputs;
    int64_t repeats = 1;
    int64_t src_repeat = 0, dst_repeat = 0;
};

struct PermuteProgram {
    int unit = 1;  // bytes that stay together: 1, 2, 4 or 8
    int64_t src_step = 0;
    int64_t dst_step = 0;
    bool single_step = false;  // *_last are 0: there is no inner loop
    int64_t dst_alignment =
        1;  // of where steps begin, if the destination is aligned, up to a cache line
    // Where steps may begin, if they may begin anywhere but at src_step and dst_step, which are then equal: at
    // multiples of so many bytes. The second step of a section then begins where its first output is aligned.
    int64_t granule = 0;
    std::vector<PermuteSection> sections;
};

// Orders sections by where they read, so that what several read is read while it is close, and makes one section of
// those that read the same extents, up to `max_outputs` outputs; `by_alignment`: only of those whose outputs start at the
// same place in a cache line.
void gather_sections(PermuteProgram& program, size_t max_outputs, bool by_alignment);

// Joins neighbouring sections that are the same but for an offset of the source and one of the destination.
void join_sections(PermuteProgram& program);

// How many cache lines a section's stores touch in a step beyond those that their bytes would fill, on average over the
// steps, if the destination is aligned to a line. Vectors side by side, stored one after the other, are merged on
// their way, so that a line which two of them share counts little.
double split_stores(const PermuteProgram& program, const PermuteSection& section);

// Bytes that a step stores, of every section.
int64_t stored_bytes(const PermuteProgram& program);

// What plans keep of a program for the loops around it.
struct SectionLoop {
    int64_t repeats, src_repeat, dst_repeat;
    int64_t first_output;  // its dst_offset
};

struct ProgramLoop {
    int64_t src_step, dst_step;
    bool single_step;
    int64_t granule;
};
ProgramLoop loop_of(const PermuteProgram& program);
SectionLoop loop_of(const PermuteSection& section);

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

}  // namespace tombola::impl::cpu::x64
