// SPDX-License-Identifier: Apache-2.0
#include "cpu/shuffle/shuffle_geometry.hpp"

namespace tombola::impl::cpu {

ShuffleGeometry make_geometry(const ShuffleDesc& desc) {
    ShuffleGeometry geometry;
    geometry.C = desc.src.dims[desc.axis];
    geometry.G = desc.effective_group();
    geometry.Q = geometry.C / geometry.G;
    geometry.src_axis = axis_stride(desc.src, desc.axis);
    geometry.dst_axis = axis_stride(desc.dst, desc.axis);
    geometry.others = make_loop_nest(desc.src, desc.dst, desc.axis);
    geometry.element = size_of(desc.src.data_type);

    LoopNest& others = geometry.others;
    if (others.depth > 0) {
        const Loop& last = others.loops[others.depth - 1];
        const auto contiguous = [](const AxisStride& a) { return a.stride == 1 && a.block == 1; };
        if (contiguous(last.src) && contiguous(last.dst)) {
            geometry.inner = last.count;
            --others.depth;
        }
    }
    return geometry;
}

}  // namespace tombola::impl::cpu
