// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory whose neighbours cannot be touched: an access one byte beyond the guarded end is a
// segmentation fault, also from generated code, which sanitizers do not see.
//
//   | no access | slack ... | data ... || no access |     Guard::behind (the default)
//   | no access || data ... | slack ... | no access |     Guard::before
//
// Data and slack are filled with a poison pattern; slack_is_intact() tells whether the slack still
// has it.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace tombola::test {

enum class Guard { behind, before };

class GuardedBuffer {
  public:
    static constexpr uint8_t kPoison = 0xA5;

    explicit GuardedBuffer(size_t bytes, Guard guard = Guard::behind) : bytes_(bytes) {
        const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        inner_bytes_ = (bytes + page - 1) / page * page;
        mapped_bytes_ = inner_bytes_ + 2 * page;
        void* mapped = mmap(nullptr, mapped_bytes_, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mapped == MAP_FAILED) throw std::bad_alloc();
        mapped_ = static_cast<uint8_t*>(mapped);
        inner_ = mapped_ + page;
        if (inner_bytes_ > 0 && mprotect(inner_, inner_bytes_, PROT_READ | PROT_WRITE) != 0) {
            munmap(mapped_, mapped_bytes_);
            throw std::bad_alloc();
        }
        data_ = guard == Guard::behind ? inner_ + (inner_bytes_ - bytes) : inner_;
        std::memset(inner_, kPoison, inner_bytes_);
    }
    ~GuardedBuffer() { munmap(mapped_, mapped_bytes_); }
    GuardedBuffer(const GuardedBuffer&) = delete;
    GuardedBuffer& operator=(const GuardedBuffer&) = delete;

    template <class T = uint8_t>
    T* data() const {
        return reinterpret_cast<T*>(data_);
    }
    size_t bytes() const { return bytes_; }

    void poison() { std::memset(data_, kPoison, bytes_); }
    bool is_poison() const { return all_poison(data_, data_ + bytes_); }
    bool slack_is_intact() const {
        return all_poison(inner_, data_) && all_poison(data_ + bytes_, inner_ + inner_bytes_);
    }

  private:
    static bool all_poison(const uint8_t* begin, const uint8_t* end) {
        for (; begin != end; ++begin)
            if (*begin != kPoison) return false;
        return true;
    }

    size_t bytes_;
    size_t inner_bytes_ = 0;
    size_t mapped_bytes_ = 0;
    uint8_t* mapped_ = nullptr;
    uint8_t* inner_ = nullptr;
    uint8_t* data_ = nullptr;
};

}  // namespace tombola::test
