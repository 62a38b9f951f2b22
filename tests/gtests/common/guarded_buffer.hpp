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
#include <map>
#include <new>
#include <vector>

namespace tombola::test {

enum class Guard { behind, before };

class GuardedBuffer {
  public:
    static constexpr uint8_t kPoison = 0xA5;

    explicit GuardedBuffer(size_t bytes, Guard guard = Guard::behind) : bytes_(bytes) {
        inner_bytes_ = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
        inner_ = kept_pages().take(inner_bytes_);
        data_ = guard == Guard::behind ? inner_ + (inner_bytes_ - bytes) : inner_;
        std::memset(inner_, kPoison, inner_bytes_);
    }
    ~GuardedBuffer() { kept_pages().give(inner_, inner_bytes_); }
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
    static size_t page_bytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

    // Pages between two without access. Those of earlier buffers are kept, because to map pages takes longer than most cases.
    class Pages {
      public:
        ~Pages() { unmap_kept(); }
        uint8_t* take(size_t bytes) {
            std::vector<uint8_t*>& kept = kept_[bytes];
            if (kept.empty()) return map(bytes);
            uint8_t* const pages = kept.back();
            kept.pop_back();
            kept_bytes_ -= bytes;
            return pages;
        }
        void give(uint8_t* pages, size_t bytes) {
            if (kept_bytes_ + bytes > kMostKeptBytes) unmap_kept();
            kept_[bytes].push_back(pages);
            kept_bytes_ += bytes;
        }

      private:
        static constexpr size_t kMostKeptBytes = size_t{256} << 20;

        static uint8_t* map(size_t bytes) {
            const size_t page = page_bytes();
            void* mapped = mmap(nullptr, bytes + 2 * page, PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (mapped == MAP_FAILED) throw std::bad_alloc();
            uint8_t* const pages = static_cast<uint8_t*>(mapped) + page;
            if (bytes > 0 && mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0) {
                munmap(mapped, bytes + 2 * page);
                throw std::bad_alloc();
            }
            if (bytes > 0) madvise(pages, bytes, MADV_HUGEPAGE);
            return pages;
        }
        void unmap_kept() {
            for (const auto& [bytes, kept] : kept_)
                for (uint8_t* pages : kept) munmap(pages - page_bytes(), bytes + 2 * page_bytes());
            kept_.clear();
            kept_bytes_ = 0;
        }

        std::map<size_t, std::vector<uint8_t*>> kept_;  // by their bytes
        size_t kept_bytes_ = 0;
    };
    static Pages& kept_pages() {
        static thread_local Pages pages;
        return pages;
    }

    static bool all_poison(const uint8_t* begin, const uint8_t* end) {
        for (; begin != end; ++begin)
            if (*begin != kPoison) return false;
        return true;
    }

    size_t bytes_;
    size_t inner_bytes_ = 0;
    uint8_t* inner_ = nullptr;
    uint8_t* data_ = nullptr;
};

}  // namespace tombola::test
