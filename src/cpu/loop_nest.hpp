// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tensor walk as nested loops over physical offsets, so that no element costs a division.
//
//   loops[0] (slowest) ... loops[n-1] (fastest), each with the distance of its steps in a source and a destination

#include <array>
#include <cstdint>

#include "common/memory_desc.hpp"

namespace tombola::impl::cpu {

// How one dimension maps to memory: index i lies at (i / block) * stride + i % block. Blocks are powers of two.
struct AxisStride {
    dim_t stride = 0;
    dim_t block = 1;
    dim_t offset(dim_t i) const {
        return (i >> __builtin_ctzll(static_cast<uint64_t>(block))) * stride + (i & (block - 1));
    }
};
inline AxisStride axis_stride(const MemoryDesc& desc, int d) {
    return {desc.strides[d], d == desc.block_dim ? desc.block : 1};
}

struct Loop {
    dim_t count = 1;
    AxisStride src, dst;
};

struct LoopNest {
    std::array<Loop, kMaxDims> loops;
    int depth = 0;

    dim_t iterations() const {
        dim_t product = 1;
        for (int i = 0; i < depth; ++i) product *= loops[i].count;
        return product;
    }
};

// The dimensions of a tensor but `skip` (-1: all), slowest in the destination first, without those of size 1, and
// with neighbours joined where the one continues the other in both tensors. src and dst have equal dims.
LoopNest make_loop_nest(const MemoryDesc& src, const MemoryDesc& dst, int skip);

// Walks the iterations of a nest from any one on, keeping both offsets.
class LoopCursor {
  public:
    LoopCursor(const LoopNest& nest, dim_t iteration) : nest_(nest) {
        for (int i = nest.depth - 1; i >= 0; --i) {
            index_[i] = iteration % nest.loops[i].count;
            iteration /= nest.loops[i].count;
        }
        for (int i = 0; i < nest.depth; ++i) {
            src_ += nest.loops[i].src.offset(index_[i]);
            dst_ += nest.loops[i].dst.offset(index_[i]);
        }
    }
    dim_t src() const { return src_; }
    dim_t dst() const { return dst_; }
    void next() {
        for (int i = nest_.depth - 1; i >= 0; --i) {
            const Loop& loop = nest_.loops[i];
            const dim_t from = index_[i];
            const dim_t to = from + 1 < loop.count ? from + 1 : 0;
            index_[i] = to;
            src_ += loop.src.offset(to) - loop.src.offset(from);
            dst_ += loop.dst.offset(to) - loop.dst.offset(from);
            if (to != 0) return;
        }
    }

  private:
    const LoopNest& nest_;
    std::array<dim_t, kMaxDims> index_{};
    dim_t src_ = 0, dst_ = 0;
};

// Writes zeros to the padding of a blocked tensor; `data` is its first element.
void zero_padding(const MemoryDesc& desc, void* data);

}  // namespace tombola::impl::cpu
