// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory for tensors.

#include <cstddef>
#include <cstdint>

namespace tombola::bench {

class Buffer {
  public:
    enum class Place {
        guarded,  // ends at a page that may not be touched; aligned to the last power of two in its size
        aligned,  // starts at a cache line
    };
    Buffer(size_t bytes, Place place);
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&&) = delete;
    ~Buffer();

    uint8_t* data() const { return data_; }
    size_t size() const { return size_; }

  private:
    Place place_;
    size_t size_;
    size_t mapped_ = 0;
    void* mapping_ = nullptr;
    uint8_t* data_ = nullptr;
};

}  // namespace tombola::bench
