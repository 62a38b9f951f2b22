// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a permuting kernel does, before it is code: which source bytes each destination vector takes.
//
// A channel shuffle whose innermost contiguous run is short (nhwc: one element; channel-blocked: one block)
// repeats one small permutation over and over, while source and destination addresses advance. A program is that
// permutation, unrolled over as many pixels, channels or blocks as pay, together with the steps:
//
//   for each of Args::outer repetitions                         (addresses advance by Args::*_outer)
//     for each section                                          (one; or one a destination block)
//       for s, d from the section's start in src_step, dst_step up to and including Args::*_last:
//         each output: bytes [d + dst_offset, + bytes) = gathered units at s + source[i], or zeros
//
// The last step of the inner loop is clamped, not masked: it repeats elements of the one before, so that every
// vector is full and no byte outside the tensor is touched.
//
// Extents say which bytes relative to s may be loaded: everything that a load may touch lies in one of them.

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
};

struct PermuteProgram {
    int unit = 1;  // bytes that stay together: 1, 2, 4 or 8
    int64_t src_step = 0;
    int64_t dst_step = 0;
    std::vector<PermuteSection> sections;
};

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
