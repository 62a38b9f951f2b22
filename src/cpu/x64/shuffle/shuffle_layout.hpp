// SPDX-License-Identifier: Apache-2.0
#pragma once

// The three memory pictures that the kernels know, in bytes. With c = u + v * Q, c' = u * G + v:
//
//   rows        nchw, any axis but the innermost: a channel is a run of `inner` bytes
//   interleaved nhwc, any innermost axis: the C channels of a pixel lie side by side, `inner` bytes each
//   blocked     nChw16c: `block` channels of a pixel lie side by side, then the next pixel
//
// A dimension that is blocked but not the axis is two plain loops here, the second of them over its block,
// padding included; whoever copies it zeroes the destination's padding afterwards.

#include <array>
#include <cstdint>

#include "common/op_desc.hpp"
#include "common/status.hpp"
#include "cpu/loop_nest.hpp"

namespace tombola::impl::cpu::x64 {

struct ByteLoop {
    int64_t count, src, dst;
};

struct ShuffleLayout {
    int64_t C, G, Q;
    int64_t element;             // bytes
    int64_t inner;               // bytes behind one another in both tensors, at each channel
    int64_t src_axis, dst_axis;  // distance of channels; of blocks where block > 1
    int64_t block;               // channels
    std::array<ByteLoop, kMaxDims + 1>
        loops;  // slowest first: all dimensions but the axis and inner
    int depth;
    bool has_padding;  // of the destination

    int64_t src_offset(int64_t c) const;
    int64_t dst_offset(int64_t c) const;
    int64_t source_channel(int64_t c) const { return c % Q * G + c / Q; }
    int64_t iterations(int loops_used) const;  // of the first `loops_used` loops
};

// Refuses layouts that are none of the three. desc's tensors have elements.
Result<ShuffleLayout> make_layout(const ShuffleDesc& desc);

// The offsets of one iteration of the first `depth` loops.
struct Offsets {
    int64_t src, dst;
};
Offsets offsets_of(const ShuffleLayout& layout, int depth, int64_t iteration);

}  // namespace tombola::impl::cpu::x64
