// SPDX-License-Identifier: Apache-2.0
#include "cpu/loop_nest.hpp"

#include <algorithm>
#include <cstring>

#include "common/insertion_sort.hpp"
#include "common/parallel.hpp"

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

// Writes zeros to `bytes` bytes at each of `count` places. kUnit <= bytes <= 2 * kUnit; 0: any number of bytes. Two stores, which may
// overlap, take a quarter of the time of a call of memset() on Zen 4.
template <size_t kUnit>
void zero_places(char* to, int64_t count, int64_t stride, size_t bytes) {
    for (; count > 0; --count, to += stride) {
        if constexpr (kUnit == 0) {
            std::memset(to, 0, bytes);
        } else {
            std::memset(to, 0, kUnit);
            std::memset(to + bytes - kUnit, 0, kUnit);
        }
    }
}

auto zero_function(size_t bytes) {
    if (bytes > 128) return zero_places<0>;
    if (bytes >= 64) return zero_places<64>;
    if (bytes >= 32) return zero_places<32>;
    if (bytes >= 16) return zero_places<16>;
    if (bytes >= 8) return zero_places<8>;
    if (bytes >= 4) return zero_places<4>;
    return bytes >= 2 ? zero_places<2> : zero_places<1>;
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

Padding::Padding(const MemoryDesc& desc) {
    if (!desc.has_padding() || desc.has_zero_dim()) return;
    const int d = desc.block_dim;
    bytes_ = static_cast<size_t>((desc.padded_dims[d] - desc.dims[d]) * element_bytes(desc));
    first_ = axis_stride(desc, d).offset(desc.dims[d]);
    images_ = make_loop_nest(desc, desc, d);
    pixels_ = images_.pop();
    // The lines that have the padding of a pixel are read and written. Pixels may share lines.
    constexpr size_t kLine = 64;
    const auto pixels = static_cast<size_t>(images_.iterations() * pixels_.count);
    moved_ = std::min(2 * pixels * (bytes_ + kLine), 2 * desc.size());
}

void Padding::zero(void* data) const {
    if (bytes_ == 0) return;
    const auto zero = zero_function(bytes_);
    char* const to = static_cast<char*>(data) + first_;
    const int64_t pixels = images_.iterations() * pixels_.count, step = pixels_.dst.stride;
    parallel_ranges(pixels, 1, moving(moved_), [&](int64_t begin, int64_t end) {
        const Division at = divide(begin, pixels_.count);
        LoopCursor image(images_, at.quotient);
        for (int64_t pixel = at.rest; begin < end; pixel = 0, image.next()) {
            const int64_t count = std::min(pixels_.count - pixel, end - begin);
            zero(to + image.dst() + pixel * step, count, step, bytes_);
            begin += count;
        }
    });
}

}  // namespace tombola::impl::cpu
