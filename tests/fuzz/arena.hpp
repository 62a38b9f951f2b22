// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory for the tensors of one execution, mapped once, because a fuzzer runs thousands of them a second. Each slot lies
// between pages that cannot be touched. A buffer lies at one end of its slot, so an access beyond that end is a
// segmentation fault, also from generated code, which the sanitizers do not see. At its other end lie kMargin bytes of
// a pattern.
//
//   | no access | ... margin | buffer || no access |     at_end
//   | no access || buffer | margin ... | no access |     otherwise

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace tombola::fuzz {

class Arena {
  public:
    static constexpr size_t kSlots = 24;
    static constexpr size_t kSlotBytes = 1 << 16;
    static constexpr size_t kMargin = 256;
    static constexpr size_t kMostBytes = kSlotBytes - kMargin;
    static constexpr uint8_t kPattern = 0xA5;

    struct Buffer {
        uint8_t* data = nullptr;
        size_t bytes = 0;
        // The buffer with its margin.
        uint8_t* begin = nullptr;
        uint8_t* end = nullptr;
    };

    Arena() {
        constexpr size_t kPage = 4096, kStep = kSlotBytes + kPage;
        void* mapped =
            mmap(nullptr, kSlots * kStep + kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        expect(mapped != MAP_FAILED, "no memory for the arena");
        for (size_t i = 0; i < kSlots; ++i) {
            slots_[i] = static_cast<uint8_t*>(mapped) + kPage + i * kStep;
            expect(mprotect(slots_[i], kSlotBytes, PROT_READ | PROT_WRITE) == 0, "mprotect");
        }
    }

    // Everything taken before is given back.
    void reset() { taken_ = 0; }

    // `bytes` at most kMostBytes; the address is a multiple of `alignment`.
    Buffer take(size_t bytes, bool at_end, size_t alignment) {
        expect(taken_ < kSlots && bytes <= kMostBytes, "the arena is too small");
        uint8_t* slot = slots_[taken_++];
        Buffer made;
        made.bytes = bytes;
        made.data = at_end ? slot + (kSlotBytes - bytes) / alignment * alignment : slot;
        made.begin = at_end ? made.data - std::min<size_t>(kMargin, made.data - slot) : slot;
        made.end = std::min(made.data + bytes + kMargin, slot + kSlotBytes);
        std::memset(made.begin, kPattern, static_cast<size_t>(made.end - made.begin));
        return made;
    }

  private:
    uint8_t* slots_[kSlots];
    size_t taken_ = 0;
};

}  // namespace tombola::fuzz
