// SPDX-License-Identifier: Apache-2.0
#include "common/primitive_cache.hpp"

#include <list>
#include <mutex>
#include <unordered_map>

#include "common/settings.hpp"

namespace tombola::impl {
namespace {

using DescPtr = std::shared_ptr<const PrimitiveDesc>;
using CodePtr = std::shared_ptr<const Executable>;

// Keys are looked up by reference and owned by the entry.
struct Hash {
    size_t operator()(const PrimitiveDesc* desc) const { return desc->hash(); }
};
struct Equal {
    bool operator()(const PrimitiveDesc* a, const PrimitiveDesc* b) const {
        return a->same_primitive(*b);
    }
};

class Cache {
  public:
    CodePtr find(const PrimitiveDesc& desc) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = index_.find(&desc);
        if (found == index_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return found->second->code;
    }

    CodePtr store(DescPtr desc, CodePtr code) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (capacity_ == 0) return code;
        const auto found = index_.find(desc.get());
        if (found != index_.end()) return found->second->code;
        entries_.push_front({std::move(desc), code});
        index_.emplace(entries_.front().desc.get(), entries_.begin());
        shrink();
        return code;
    }

    int capacity() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return capacity_;
    }

    void set_capacity(int capacity) {
        const std::lock_guard<std::mutex> lock(mutex_);
        capacity_ = capacity;
        shrink();
    }

    int size() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return static_cast<int>(entries_.size());
    }

  private:
    struct Entry {
        DescPtr desc;
        CodePtr code;
    };

    void shrink() {
        while (entries_.size() > static_cast<size_t>(capacity_)) {
            index_.erase(entries_.back().desc.get());
            entries_.pop_back();
        }
    }

    std::mutex mutex_;
    int capacity_ = initial_cache_capacity();
    std::list<Entry> entries_;  // the most recently used first
    std::unordered_map<const PrimitiveDesc*, std::list<Entry>::iterator, Hash, Equal> index_;
};

Cache& cache() {
    static Cache instance;
    return instance;
}

}  // namespace

CodePtr find_cached(const PrimitiveDesc& desc) { return cache().find(desc); }

CodePtr store_cached(DescPtr desc, CodePtr code) {
    return cache().store(std::move(desc), std::move(code));
}

int cache_capacity() { return cache().capacity(); }

Status set_cache_capacity(int capacity) {
    if (capacity < 0) return invalid("capacity is %d; expected at least 0", capacity);
    cache().set_capacity(capacity);
    return {};
}

int cache_size() { return cache().size(); }

}  // namespace tombola::impl
