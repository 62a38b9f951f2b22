// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tombola::test {

// Bits in the order in which they are appended, the lowest bit of a byte first.
class BitStream {
  public:
    // The lowest `count` bits, at most 57, of `bits`.
    void append(uint64_t bits, int count) {
        pending_ |= (bits & ((uint64_t{1} << count) - 1)) << pending_count_;
        for (pending_count_ += count; pending_count_ >= 8; pending_count_ -= 8, pending_ >>= 8)
            bytes_.push_back(static_cast<uint8_t>(pending_));
    }
    const std::vector<uint8_t>& bytes() const { return bytes_; }
    // Bits that do not fill a byte stay.
    void clear() { bytes_.clear(); }

  private:
    std::vector<uint8_t> bytes_;
    uint64_t pending_ = 0;
    int pending_count_ = 0;
};

}  // namespace tombola::test
