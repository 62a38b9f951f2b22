// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/scatter.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "common/types.hpp"

namespace tombola::impl::cpu {
namespace {

// The tensor with neighbouring dimensions joined wherever one continues the other. So the innermost loop is as long as
// the layout allows. The blocked dimension stays by itself.
struct Geometry {
    int ndims = 0;
    int block_dim = -1;
    int64_t block = 1;
    Dims dims{};
    Dims strides{};

    explicit Geometry(const MemoryDesc& desc) {
        for (int d = 0; d < desc.ndims; ++d) {
            const bool blocked = d == desc.block_dim;
            if (desc.dims[d] == 1 && !blocked) continue;
            const int last = ndims - 1;
            if (last >= 0 && !blocked && last != block_dim &&
                strides[last] == desc.dims[d] * desc.strides[d]) {
                dims[last] *= desc.dims[d];
                strides[last] = desc.strides[d];
                continue;
            }
            if (blocked) {
                block_dim = ndims;
                block = desc.block;
            }
            dims[ndims] = desc.dims[d];
            strides[ndims] = desc.strides[d];
            ++ndims;
        }
        if (ndims == 0) {
            dims[0] = 1;
            ndims = 1;
        }
    }

    int64_t offset_along(int d, int64_t index) const {
        return d == block_dim ? index / block * strides[d] + index % block : index * strides[d];
    }
};

// An index that counts up in row-major order over all dimensions but the innermost, with its offset.
class OuterIndex {
  public:
    OuterIndex(const Geometry& geometry, int64_t number) : geometry_(geometry) {
        for (int d = geometry.ndims - 2; d >= 0; --d) {
            index_[d] = number % geometry.dims[d];
            number /= geometry.dims[d];
        }
        for (int d = 0; d < geometry.ndims - 1; ++d) offset_ += geometry.offset_along(d, index_[d]);
    }
    int64_t offset() const { return offset_; }
    void advance() {
        for (int d = geometry_.ndims - 2; d >= 0; --d) {
            offset_ -= geometry_.offset_along(d, index_[d]);
            if (++index_[d] == geometry_.dims[d]) index_[d] = 0;
            offset_ += geometry_.offset_along(d, index_[d]);
            if (index_[d] != 0) return;
        }
    }

  private:
    const Geometry& geometry_;
    Dims index_{};
    int64_t offset_ = 0;
};

// Copies `count` elements between a row of the tensor, whose elements are `stride` apart, and a dense run.
struct ToTensor {
    template <class T>
    static void copy(T* row, int64_t stride, const T* run, int64_t count) {
        if (stride == 1) {
            std::memcpy(row, run, static_cast<size_t>(count) * sizeof(T));
            return;
        }
        for (int64_t i = 0; i < count; ++i) row[i * stride] = run[i];
    }
};
struct FromTensor {
    template <class T>
    static void copy(const T* row, int64_t stride, T* run, int64_t count) {
        if (stride == 1) {
            std::memcpy(run, row, static_cast<size_t>(count) * sizeof(T));
            return;
        }
        for (int64_t i = 0; i < count; ++i) run[i] = row[i * stride];
    }
};

// Elements [begin, end) of the innermost dimension. Of T and RunT the one that is only read is const.
template <class Direction, class T, class RunT>
void copy_row(const Geometry& geometry, T* row, int64_t begin, int64_t end, RunT* run) {
    const int inner = geometry.ndims - 1;
    if (inner != geometry.block_dim)
        return Direction::copy(row + geometry.offset_along(inner, begin), geometry.strides[inner],
                               run, end - begin);
    while (begin < end) {
        const int64_t count = std::min(end - begin, geometry.block - begin % geometry.block);
        Direction::copy(row + geometry.offset_along(inner, begin), 1, run, count);
        begin += count;
        run += count;
    }
}

template <class Direction, class T, class RunT>
void copy_elements(const MemoryDesc& desc, T* data, int64_t first, int64_t count, RunT* run) {
    const Geometry geometry(desc);
    const int64_t row = geometry.dims[geometry.ndims - 1];
    OuterIndex outer(geometry, first / row);
    for (int64_t begin = first % row; count > 0; begin = 0, outer.advance()) {
        const int64_t end = std::min(row, begin + count);
        copy_row<Direction>(geometry, data + outer.offset(), begin, end, run);
        run += end - begin;
        count -= end - begin;
    }
}

// Calls body(T{}) with an unsigned type of the element's size.
template <class Body>
void with_element_size(const MemoryDesc& desc, const Body& body) {
    switch (size_of(desc.data_type)) {
        case 1:
            return body(uint8_t{});
        case 2:
            return body(uint16_t{});
        case 4:
            return body(uint32_t{});
        case 8:
            return body(uint64_t{});
    }
    assert(false && "an element has 1, 2, 4 or 8 bytes");
}

}  // namespace

void scatter(const MemoryDesc& desc, void* data, int64_t first, int64_t count, const void* from) {
    with_element_size(desc, [&](auto type) {
        using T = decltype(type);
        copy_elements<ToTensor>(desc, static_cast<T*>(data), first, count,
                                static_cast<const T*>(from));
    });
}

void gather(const MemoryDesc& desc, const void* data, int64_t first, int64_t count, void* to) {
    with_element_size(desc, [&](auto type) {
        using T = decltype(type);
        copy_elements<FromTensor>(desc, static_cast<const T*>(data), first, count,
                                  static_cast<T*>(to));
    });
}

}  // namespace tombola::impl::cpu
