// SPDX-License-Identifier: Apache-2.0
#include "cpu/loop_nest.hpp"

#include <algorithm>
#include <cstring>

namespace tombola::impl::cpu {
namespace {

// Whether `outer` goes on where `inner` ends, so that both are one loop.
bool continues(const AxisStride& outer, const AxisStride& inner, dim_t inner_count) {
    return outer.block == 1 && inner.block == 1 && outer.stride == inner.stride * inner_count;
}

}  // namespace

LoopNest make_loop_nest(const MemoryDesc& src, const MemoryDesc& dst, int skip) {
    LoopNest nest;
    for (int d = 0; d < dst.ndims; ++d)
        if (d != skip && dst.dims[d] != 1)
            nest.loops[nest.depth++] = {dst.dims[d], axis_stride(src, d), axis_stride(dst, d)};
    std::stable_sort(nest.loops.begin(), nest.loops.begin() + nest.depth,
                     [](const Loop& a, const Loop& b) { return a.dst.stride > b.dst.stride; });
    int depth = 0;
    for (int i = 0; i < nest.depth; ++i) {
        const Loop inner = nest.loops[i];
        Loop* outer = depth > 0 ? &nest.loops[depth - 1] : nullptr;
        if (outer != nullptr && continues(outer->src, inner.src, inner.count) &&
            continues(outer->dst, inner.dst, inner.count))
            *outer = {outer->count * inner.count, inner.src, inner.dst};
        else
            nest.loops[depth++] = inner;
    }
    nest.depth = depth;
    return nest;
}

void zero_padding(const MemoryDesc& desc, void* data) {
    if (!desc.has_padding() || desc.has_zero_dim()) return;
    const int d = desc.block_dim;
    const dim_t element = static_cast<dim_t>(size_of(desc.data_type));
    const dim_t first = desc.offset_of([&] {
        Dims index{};
        index[d] = desc.dims[d];
        return index;
    }());
    const dim_t bytes = (desc.padded_dims[d] - desc.dims[d]) * element;
    const LoopNest others = make_loop_nest(desc, desc, d);
    LoopCursor cursor(others, 0);
    for (dim_t i = others.iterations(); i > 0; --i, cursor.next())
        std::memset(static_cast<char*>(data) + (cursor.dst() + first) * element, 0,
                    static_cast<size_t>(bytes));
}

}  // namespace tombola::impl::cpu
