// SPDX-License-Identifier: Apache-2.0
#pragma once

// A shuffle in bytes of memory, the same for forward and backward:
//
//   for each iteration of `loops`:                     all dimensions but the axis and what `inner` holds
//     for v < G, u < Q:                                c = u + v * Q,  c' = u * G + v
//       dst[dst_axis(c) .. + inner) = src[src_axis(c') .. + inner)
//
// where C = Q * G is the size of the axis, and `inner` bytes are contiguous in both tensors.
//
//                 loops       axis
//   rows          N           stride HW               nchw, any axis but the innermost; inner = HW
//   interleaved   N H W       stride of an element    nhwc, any innermost axis
//   blocked       N, HW       stride HW*16, block 16  nChw16c
//
// If a dimension that is not the axis is blocked, the loops cover its padding too. The implementation that copies
// zeroes the padding of the destination afterwards.

#include "common/implementation.hpp"
#include "common/op_desc.hpp"
#include "cpu/loop_nest.hpp"

namespace tombola::impl::cpu {

struct ShuffleLayout {
    int64_t C = 0, G = 0, Q = 0;
    int64_t element = 0;  // bytes
    int64_t inner = 0;    // bytes
    AxisStride src_axis, dst_axis;
    LoopNest loops;
    bool has_padding = false;  // of the destination

    int64_t blocks() const { return (C + src_axis.block - 1) / src_axis.block; }  // of the source
    int64_t source_channel(int64_t c) const { return c % Q * G + c / Q; }
    // Whether nothing moves: source and destination are one contiguous run in the same order.
    bool is_copy() const { return C == 1 && loops.depth == 0; }
};

// Requires tensors that have elements.
ShuffleLayout make_shuffle_layout(const ShuffleDesc& desc);

// The same for generated code. It refuses tensors without elements, and loops over a dimension that only one of the
// tensors has in blocks.
Result<ShuffleLayout> make_unblocked_layout(const ShuffleDesc& desc);

// The arguments of an execution: which tensor is read and which is written.
struct ShuffleTensors {
    const char* src;
    char* dst;
};
inline ShuffleTensors shuffle_tensors(const ShuffleDesc& desc, const ExecContext& context) {
    return {context.input<char>(desc.src_arg()), context.output<char>(desc.dst_arg())};
}

}  // namespace tombola::impl::cpu
