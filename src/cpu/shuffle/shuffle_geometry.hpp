// SPDX-License-Identifier: Apache-2.0
#pragma once

// A shuffle in physical terms, the same for forward and backward:
//
//   for each iteration of `others`:                    all dimensions but the axis and what `inner` holds
//     for v < G, u < Q:                                c = u + v * Q,  c' = u * G + v
//       dst[dst_axis(c) .. + inner) = src[src_axis(c') .. + inner)
//
// where C = Q * G is the size of the axis, and `inner` elements lie behind one another in both tensors. The
// padding of a blocked destination is not part of it.
//
//   nchw      others = N,      axis stride HW,              inner = HW
//   nhwc      others = N H W,  axis stride 1,               inner = 1
//   nChw16c   others = N, HW,  axis stride HW*16, block 16, inner = 1

#include "common/op_desc.hpp"
#include "cpu/loop_nest.hpp"

namespace tombola::impl::cpu {

struct ShuffleGeometry {
    dim_t C = 0, G = 0, Q = 0;
    AxisStride src_axis, dst_axis;
    LoopNest others;
    dim_t inner = 1;
    size_t element = 0;  // bytes
};

// desc's tensors have elements.
ShuffleGeometry make_geometry(const ShuffleDesc& desc);

}  // namespace tombola::impl::cpu
