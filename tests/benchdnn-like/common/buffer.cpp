// SPDX-License-Identifier: Apache-2.0
#include "common/buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "common/errors.hpp"

namespace tombola::bench {

Buffer::Buffer(size_t bytes, Place place) : size_(bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t usable = (bytes + page - 1) / page * page;
    mapped_ = usable + page;
    mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED)
        throw CaseError("out of memory: a tensor of " + std::to_string(bytes) + " bytes");
    auto* start = static_cast<uint8_t*>(mapping_);
    if (place == Place::guarded) mprotect(start + usable, page, PROT_NONE);
    data_ = place == Place::guarded ? start + usable - bytes : start;
}

Buffer::Buffer(Buffer&& other) noexcept
    : size_(other.size_), mapped_(other.mapped_), mapping_(other.mapping_), data_(other.data_) {
    other.mapping_ = MAP_FAILED;
}

Buffer::~Buffer() {
    if (mapping_ != MAP_FAILED) munmap(mapping_, mapped_);
}

}  // namespace tombola::bench
