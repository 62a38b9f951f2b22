// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/shuffle_layout.hpp"

#include <algorithm>

#include "cpu/shuffle/shuffle_geometry.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Neighbouring loops that are one.
void join(ShuffleLayout& layout) {
    int depth = 0;
    for (int i = 0; i < layout.depth; ++i) {
        const ByteLoop inner = layout.loops[i];
        if (depth > 0 && layout.loops[depth - 1].src == inner.src * inner.count &&
            layout.loops[depth - 1].dst == inner.dst * inner.count)
            layout.loops[depth - 1] = {layout.loops[depth - 1].count * inner.count, inner.src,
                                       inner.dst};
        else
            layout.loops[depth++] = inner;
    }
    layout.depth = depth;
}

// Loops that go on where `inner` ends belong to it; so does the axis, if the shuffle moves nothing.
void widen_inner(ShuffleLayout& layout) {
    const auto follows = [&](int64_t src, int64_t dst) {
        return src == layout.inner && dst == layout.inner;
    };
    while (layout.depth > 0 &&
           follows(layout.loops[layout.depth - 1].src, layout.loops[layout.depth - 1].dst))
        layout.inner *= layout.loops[--layout.depth].count;
    if ((layout.G == 1 || layout.Q == 1) && layout.block == 1 && layout.C > 1 &&
        follows(layout.src_axis, layout.dst_axis)) {
        layout.inner *= layout.C;
        layout.C = layout.G = layout.Q = 1;
        layout.src_axis = layout.dst_axis = 0;
        widen_inner(layout);
    }
}

}  // namespace

int64_t ShuffleLayout::src_offset(int64_t c) const {
    return block == 1 ? c * src_axis : c / block * src_axis + c % block * element;
}

int64_t ShuffleLayout::dst_offset(int64_t c) const {
    return block == 1 ? c * dst_axis : c / block * dst_axis + c % block * element;
}

int64_t ShuffleLayout::iterations(int loops_used) const {
    int64_t product = 1;
    for (int i = 0; i < loops_used; ++i) product *= loops[i].count;
    return product;
}

Result<ShuffleLayout> make_layout(const ShuffleDesc& desc) {
    const ShuffleGeometry geometry = make_geometry(desc);
    const auto element = static_cast<int64_t>(geometry.element);
    if (geometry.src_axis.block != geometry.dst_axis.block)
        return unimplemented("source and destination have different blocks");
    ShuffleLayout layout{};
    layout.C = geometry.C;
    layout.G = geometry.G;
    layout.Q = geometry.Q;
    layout.element = element;
    layout.inner = geometry.inner * element;
    layout.src_axis = geometry.src_axis.stride * element;
    layout.dst_axis = geometry.dst_axis.stride * element;
    layout.block = geometry.src_axis.block;
    layout.has_padding = desc.dst.has_padding();
    for (int i = 0; i < geometry.others.depth; ++i) {
        const Loop& loop = geometry.others.loops[i];
        const dim_t block = loop.src.block;
        if (loop.dst.block != block)
            return unimplemented("source and destination have different blocks");
        layout.loops[layout.depth++] = {(loop.count + block - 1) / block, loop.src.stride * element,
                                        loop.dst.stride * element};
        if (block > 1) layout.loops[layout.depth++] = {block, element, element};
    }
    std::stable_sort(layout.loops.begin(), layout.loops.begin() + layout.depth,
                     [](const ByteLoop& a, const ByteLoop& b) { return a.dst > b.dst; });
    join(layout);
    widen_inner(layout);
    return layout;
}

Offsets offsets_of(const ShuffleLayout& layout, int depth, int64_t iteration) {
    Offsets offsets{0, 0};
    for (int i = depth - 1; i >= 0; --i) {
        const ByteLoop& loop = layout.loops[i];
        offsets.src += iteration % loop.count * loop.src;
        offsets.dst += iteration % loop.count * loop.dst;
        iteration /= loop.count;
    }
    return offsets;
}

}  // namespace tombola::impl::cpu::x64
