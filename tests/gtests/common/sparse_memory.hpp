// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tensors whose elements lie gigabytes apart.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtests/common/tensor.hpp"

namespace tombola::test {

// Address space that holds zeros. Pages that are never touched take no memory.
class SparseMemory {
  public:
    explicit SparseMemory(size_t bytes)
        : bytes_(bytes),
          data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
    ~SparseMemory() {
        if (data_ != MAP_FAILED) munmap(data_, bytes_);
    }
    SparseMemory(const SparseMemory&) = delete;
    SparseMemory& operator=(const SparseMemory&) = delete;
    uint8_t* data() const { return data_ == MAP_FAILED ? nullptr : static_cast<uint8_t*>(data_); }

  private:
    size_t bytes_;
    void* data_;
};

// A tensor of strides in such memory, written and read in logical row-major order.
class SparseTensor {
  public:
    SparseTensor(const_tombola_memory_desc_t desc, tombola_engine_t engine)
        : layout_(desc), space_(tombola_memory_desc_get_size(desc)) {
        memory_ = memory_over(desc, engine, space_.data());
    }
    // Whether there is that much address space.
    explicit operator bool() const { return space_.data() != nullptr; }
    tombola_memory_t memory() const { return memory_; }
    void write(const std::vector<uint8_t>& values) {
        write_elements(layout_, space_.data(), values);
    }
    std::vector<uint8_t> read() const { return read_elements(layout_, space_.data()); }

  private:
    Layout layout_;
    SparseMemory space_;
    Memory memory_;
};

// Descriptors of these dimensions, each with one distance beyond 2 GiB: between images, rows of pixels, pixels, or channels.
inline std::vector<MemoryDesc> far_images(const DimVector& dims, tombola_data_type_t type) {
    const tombola_dim_t c = dims[1], h = dims[2], w = dims[3];
    const tombola_dim_t far =
        (tombola_dim_t{1} << 31) / static_cast<tombola_dim_t>(tombola_data_type_size(type)) + 16;
    std::vector<MemoryDesc> descs;
    for (const DimVector& strides : {DimVector{far, 1, w * c, c},
                                     {h * far, 1, far, c},
                                     {h * w * far, 1, w * far, far},
                                     {c * far, far, w, 1}})
        descs.push_back(strided(dims, type, strides));
    return descs;
}

}  // namespace tombola::test
