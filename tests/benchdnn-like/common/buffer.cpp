// SPDX-License-Identifier: Apache-2.0
#include "common/buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "common/errors.hpp"

namespace tombola::bench {
namespace {

// Guarded mappings of buffers that no longer exist, by size. A batch makes tens of thousands of buffers, and reusing a mapping costs much less
// than making one. So an access to a buffer that no longer exists does not end the process.
class SpareMappings {
  public:
    // Null if there is none.
    void* take(size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = mappings_.find(bytes);
        if (found == mappings_.end()) return nullptr;
        void* mapping = found->second;
        mappings_.erase(found);
        bytes_ -= bytes;
        return mapping;
    }
    // Whether it is kept.
    bool keep(void* mapping, size_t bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (bytes_ + bytes > kMaxBytes) return false;
        mappings_.emplace(bytes, mapping);
        bytes_ += bytes;
        return true;
    }

  private:
    static constexpr size_t kMaxBytes = 64 << 20;
    std::mutex mutex_;
    std::multimap<size_t, void*> mappings_;
    size_t bytes_ = 0;
};

SpareMappings& spare_mappings() {
    static SpareMappings spare;
    return spare;
}

}  // namespace

Buffer::Buffer(size_t bytes, Place place) : place_(place), size_(bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t usable = (bytes + page - 1) / page * page;
    mapped_ = usable + page;
    if (place == Place::guarded) mapping_ = spare_mappings().take(mapped_);
    if (mapping_ == nullptr) {
        mapping_ =
            mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapping_ == MAP_FAILED)
            throw CaseError("out of memory: a tensor of " + std::to_string(bytes) + " bytes");
        if (place == Place::guarded)
            mprotect(static_cast<uint8_t*>(mapping_) + usable, page, PROT_NONE);
    }
    auto* start = static_cast<uint8_t*>(mapping_);
    data_ = place == Place::guarded ? start + usable - bytes : start;
    std::fill(start, data_, kFront);
}

bool Buffer::is_front_untouched() const {
    return std::all_of(static_cast<const uint8_t*>(mapping_), static_cast<const uint8_t*>(data_),
                       [](uint8_t byte) { return byte == kFront; });
}

Buffer::Buffer(Buffer&& other) noexcept
    : place_(other.place_),
      size_(other.size_),
      mapped_(other.mapped_),
      mapping_(other.mapping_),
      data_(other.data_) {
    other.mapping_ = nullptr;
}

Buffer::~Buffer() {
    if (mapping_ == nullptr) return;
    if (place_ == Place::guarded && spare_mappings().keep(mapping_, mapped_)) return;
    munmap(mapping_, mapped_);
}

}  // namespace tombola::bench
