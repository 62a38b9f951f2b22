// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory for tensors.

#include <cstddef>
#include <cstdint>

namespace tombola::bench {

class Buffer {
  public:
    enum class Place {
        // Ends at a page that may not be touched; aligned to the last power of two in its size. Up to a page in front of it is filled with
        // kFront.
        guarded,
        aligned,  // starts at a cache line
    };
    Buffer(size_t bytes, Place place);
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&&) = delete;
    ~Buffer();

    uint8_t* data() const { return data_; }
    size_t size() const { return size_; }
    // Guarded: whether the bytes of the mapping in front of the buffer still have the value that the constructor gave them.
    bool is_front_untouched() const;

  private:
    static constexpr uint8_t kFront = 0x5A;
    Place place_;
    size_t size_;
    size_t mapped_ = 0;
    void* mapping_ = nullptr;
    uint8_t* data_ = nullptr;
};

}  // namespace tombola::bench
