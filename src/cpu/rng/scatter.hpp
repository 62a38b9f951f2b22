// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies dense runs of elements, in logical row-major order, to their places in a tensor of any layout, and back.

#include <cstdint>

#include "common/memory_desc.hpp"
#include "cpu/loop_nest.hpp"

namespace tombola::impl::cpu {

// Copies many runs of one tensor. The tensor must have elements.
class RunCopier {
  public:
    explicit RunCopier(const MemoryDesc& desc);
    // Writes elements [first, first + count), which lie densely at `from`, into the tensor at `data`.
    void scatter(void* data, int64_t first, int64_t count, const void* from) const;
    // Reads elements [first, first + count) of the tensor at `data` into a dense run at `to`.
    void gather(const void* data, int64_t first, int64_t count, void* to) const;

  private:
    template <class T, class RunT, class Byte>
    void copy_run(Byte* data, int64_t first, int64_t count, RunT* run) const;

    LoopNest outer_;   // all loops but the two fastest, whose steps would cost more than short rows
    Loop row_, rows_;  // the fastest loop and the next one
    size_t element_;
};

// The same for a single run.
inline void scatter(const MemoryDesc& desc, void* data, int64_t first, int64_t count,
                    const void* from) {
    RunCopier(desc).scatter(data, first, count, from);
}
inline void gather(const MemoryDesc& desc, const void* data, int64_t first, int64_t count,
                   void* to) {
    RunCopier(desc).gather(data, first, count, to);
}

}  // namespace tombola::impl::cpu
