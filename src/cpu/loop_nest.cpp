// SPDX-License-Identifier: Apache-2.0
#include "cpu/loop_nest.hpp"

#include <algorithm>
#include <cstring>

#include "common/insertion_sort.hpp"

namespace tombola::impl::cpu {
namespace {

int64_t element_bytes(const MemoryDesc& desc) {
    return static_cast<int64_t>(size_of(desc.data_type));
}

// Whether `outer` continues where `inner` ends. Then both can be one loop.
bool continues(const Loop& outer, const Loop& inner) {
    return outer.is_plain() && inner.is_plain() &&
           outer.src.stride == inner.src.stride * inner.count &&
           outer.dst.stride == inner.dst.stride * inner.count;
}

void push_joined(LoopNest& nest, const Loop& loop) {
    if (nest.depth > 0 && continues(nest.fastest(), loop))
        nest.fastest() = {nest.fastest().count * loop.count, loop.src, loop.dst};
    else
        nest.push(loop);
}

void push_dimension(LoopNest& nest, int64_t count, const AxisStride& src, const AxisStride& dst) {
    if (src.is_plain() || src.block != dst.block) return nest.push({count, src, dst});
    nest.push({(count + src.block - 1) / src.block, {src.stride}, {dst.stride}});
    nest.push({src.block, {src.neighbour}, {dst.neighbour}});
}

}  // namespace

AxisStride axis_stride(const MemoryDesc& desc, int d) {
    const int64_t element = element_bytes(desc);
    return {desc.strides[d] * element, d == desc.block_dim ? desc.block : 1, element};
}

LoopNest make_loop_nest(const MemoryDesc& src, const MemoryDesc& dst, int skip) {
    LoopNest all, nest;
    for (int d = 0; d < dst.ndims; ++d)
        if (d != skip && dst.dims[d] != 1)
            push_dimension(all, dst.dims[d], axis_stride(src, d), axis_stride(dst, d));
    insertion_sort(all.loops.begin(), all.loops.begin() + all.depth,
                   [](const Loop& a, const Loop& b) { return a.dst.stride > b.dst.stride; });
    for (int i = 0; i < all.depth; ++i) push_joined(nest, all.loops[i]);
    return nest;
}

LoopNest make_row_major_nest(const MemoryDesc& desc) {
    LoopNest nest;
    // The bytes of one index of the dimensions so far.
    int64_t bytes = desc.nelems() * element_bytes(desc);
    for (int d = 0; d < desc.ndims; ++d) {
        if (desc.dims[d] == 1) continue;
        bytes /= std::max<int64_t>(desc.dims[d], 1);
        push_joined(nest, {desc.dims[d], {bytes}, axis_stride(desc, d)});
    }
    return nest;
}

void zero_padding(const MemoryDesc& desc, void* data) {
    if (!desc.has_padding() || desc.has_zero_dim()) return;
    const int d = desc.block_dim;
    const int64_t first = axis_stride(desc, d).offset(desc.dims[d]);
    const int64_t bytes = (desc.padded_dims[d] - desc.dims[d]) * element_bytes(desc);
    const LoopNest others = make_loop_nest(desc, desc, d);
    LoopCursor cursor(others, 0);
    for (int64_t i = others.iterations(); i > 0; --i, cursor.next())
        std::memset(static_cast<char*>(data) + cursor.dst() + first, 0, static_cast<size_t>(bytes));
}

}  // namespace tombola::impl::cpu
