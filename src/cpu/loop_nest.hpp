// SPDX-License-Identifier: Apache-2.0
#pragma once

// A walk over two tensors of equal dimensions as nested loops over bytes, so that no element costs a division.
//
//   loops[0] (slowest) ... loops[depth - 1] (fastest), each with the distance of its steps in source and destination

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/memory_desc.hpp"

namespace tombola::impl::cpu {

// Where the indices of one loop lie: index i is at byte (i / block) * stride + (i % block) * neighbour. `block` is a
// power of two.
struct AxisStride {
    int64_t stride = 0;
    int64_t block = 1;
    int64_t neighbour = 0;  // the distance between neighbouring indices within a block
    int64_t offset(int64_t i) const {
        if (is_plain()) return i * stride;
        return (i >> __builtin_ctzll(static_cast<uint64_t>(block))) * stride +
               (i & (block - 1)) * neighbour;
    }
    bool is_plain() const { return block == 1; }
    int64_t distance(int64_t from, int64_t to) const {
        return is_plain() ? (to - from) * stride : offset(to) - offset(from);
    }
};
AxisStride axis_stride(const MemoryDesc& desc, int d);

struct Loop {
    int64_t count = 1;
    AxisStride src, dst;
    bool is_plain() const { return src.is_plain() && dst.is_plain(); }
};

struct LoopNest {
    std::array<Loop, kMaxDims + 1> loops;
    int depth = 0;

    int64_t iterations() const {
        int64_t product = 1;
        for (int i = 0; i < depth; ++i) product *= loops[i].count;
        return product;
    }
    Loop& fastest() { return loops[depth - 1]; }
    const Loop& fastest() const { return loops[depth - 1]; }
    void push(const Loop& loop) { loops[depth++] = loop; }
    // Removes the fastest loop and returns it. A nest without loops returns a loop that runs once.
    Loop pop() { return depth > 0 ? loops[--depth] : Loop{}; }
};

// The loops over all dimensions except `skip` (-1: none is skipped) and those of size 1, in descending order of their strides in the
// destination. Two loops become one if they are contiguous in both tensors. A dimension that has the same block in both tensors becomes two
// plain loops. The second one runs over a whole block, so it covers the padding too. src and dst have equal dimensions and data types.
LoopNest make_loop_nest(const MemoryDesc& src, const MemoryDesc& dst, int skip);

// The loops over the dimensions of `desc` in row-major order, joined in the same way. The destination is the tensor;
// the source is a dense tensor in row-major order.
LoopNest make_row_major_nest(const MemoryDesc& desc);

// a / b and a % b for a >= 0, without a division if a < b. Calls on one thread begin at 0, so they divide nothing.
struct Division {
    int64_t quotient, rest;
};
inline Division divide(int64_t a, int64_t b) {
    return a < b ? Division{0, a} : Division{a / b, a % b};
}

// Walks the iterations of a nest, starting at any of them, and keeps the offsets in both tensors.
class LoopCursor {
  public:
    LoopCursor(const LoopNest& nest, int64_t iteration) : nest_(nest) {
        for (int i = nest.depth - 1; iteration > 0 && i >= 0; --i) {
            const Division d = divide(iteration, nest.loops[i].count);
            index_[i] = d.rest;
            iteration = d.quotient;
            src_ += nest.loops[i].src.offset(index_[i]);
            dst_ += nest.loops[i].dst.offset(index_[i]);
        }
    }
    int64_t src() const { return src_; }
    int64_t dst() const { return dst_; }
    void next() {
        for (int i = nest_.depth - 1; i >= 0; --i) {
            const Loop& loop = nest_.loops[i];
            const int64_t from = index_[i];
            const int64_t to = from + 1 < loop.count ? from + 1 : 0;
            index_[i] = to;
            src_ += loop.src.distance(from, to);
            dst_ += loop.dst.distance(from, to);
            if (to != 0) return;
        }
    }

  private:
    const LoopNest& nest_;
    std::array<int64_t, kMaxDims + 1> index_{};
    int64_t src_ = 0, dst_ = 0;
};

// The padding of a tensor, which may have none.
class Padding {
  public:
    Padding() = default;  // none
    explicit Padding(const MemoryDesc& desc);
    // Writes zeros, on several threads if there is much padding. `data` is the tensor's first element.
    void zero(void* data) const;

  private:
    size_t bytes_ = 0;   // of a pixel; 0: there is no padding
    int64_t first_ = 0;  // the byte at which the padding of the first pixel begins
    LoopNest images_;    // all loops over the other dimensions but the fastest one
    Loop pixels_;        // the fastest one
    size_t moved_ = 0;   // bytes that are read and written
};
inline void zero_padding(const MemoryDesc& desc, void* data) {
    if (desc.has_padding()) Padding(desc).zero(data);
}

}  // namespace tombola::impl::cpu
