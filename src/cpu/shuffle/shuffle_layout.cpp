// SPDX-License-Identifier: Apache-2.0
#include "cpu/shuffle/shuffle_layout.hpp"

namespace tombola::impl::cpu {
namespace {

// Joins to `inner` the loops that continue it in memory, and the axis if the shuffle moves nothing.
void widen_inner(ShuffleLayout& layout) {
    const auto follows = [&](const AxisStride& src, const AxisStride& dst) {
        return src.is_plain() && dst.is_plain() && src.stride == layout.inner &&
               dst.stride == layout.inner;
    };
    LoopNest& loops = layout.loops;
    while (loops.depth > 0 && follows(loops.fastest().src, loops.fastest().dst))
        layout.inner *= loops.pop().count;
    if ((layout.G == 1 || layout.Q == 1) && layout.C > 1 &&
        follows(layout.src_axis, layout.dst_axis)) {
        layout.inner *= layout.C;
        layout.C = layout.G = layout.Q = 1;
        layout.src_axis = layout.dst_axis = {};
        widen_inner(layout);
    }
}

}  // namespace

ShuffleLayout make_shuffle_layout(const ShuffleDesc& desc) {
    ShuffleLayout layout;
    layout.C = desc.src.dims[desc.axis];
    layout.G = desc.effective_group();
    layout.Q = layout.C / layout.G;
    layout.element = layout.inner = static_cast<int64_t>(size_of(desc.src.data_type));
    layout.src_axis = axis_stride(desc.src, desc.axis);
    layout.dst_axis = axis_stride(desc.dst, desc.axis);
    layout.loops = make_loop_nest(desc.src, desc.dst, desc.axis);
    layout.has_padding = desc.dst.has_padding();
    widen_inner(layout);
    return layout;
}

Result<ShuffleLayout> make_unblocked_layout(const ShuffleDesc& desc) {
    if (desc.dst.has_zero_dim()) return unimplemented("no elements");
    const ShuffleLayout layout = make_shuffle_layout(desc);
    for (int i = 0; i < layout.loops.depth; ++i)
        if (!layout.loops.loops[i].is_plain())
            return unimplemented("source and destination have different blocks");
    return layout;
}

}  // namespace tombola::impl::cpu
