// SPDX-License-Identifier: Apache-2.0
#include "common/primitive_cache.hpp"

#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "common/fork.hpp"
#include "common/hash.hpp"
#include "common/settings.hpp"

namespace tombola::impl {
namespace {

using DescPtr = std::shared_ptr<const PrimitiveDesc>;
using CodePtr = std::shared_ptr<const Executable>;

uint64_t hash_of(const DescRequest& request) { return request.hash; }
bool equal(const DescRequest& a, const DescRequest& b) { return a == b; }
uint64_t hash_of(const DescPtr& desc) { return desc->hash(); }
bool equal(const DescPtr& a, const DescPtr& b) { return a->same_primitive(*b); }

// Keys are looked up by reference and owned by the entry. Value is a pointer.
template <class Key, class Value>
class Cache {
  public:
    Value find(const Key& key) {
        const ForkHold hold;
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = index_.find(&key);
        if (found == index_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return found->second->second;
    }

    Value store(Key key, Value value) {
        const ForkHold hold;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (capacity_ == 0) return value;
        const auto found = index_.find(&key);
        if (found != index_.end()) return found->second->second;
        Entries entry;  // is joined to the others once nothing can fail any more
        entry.emplace_front(std::move(key), value);
        index_.emplace(&entry.front().first, entry.begin());
        entries_.splice(entries_.begin(), entry);
        shrink();
        return value;
    }

    int capacity() {
        const ForkHold hold;
        const std::lock_guard<std::mutex> lock(mutex_);
        return capacity_;
    }

    void set_capacity(int capacity) {
        const ForkHold hold;
        const std::lock_guard<std::mutex> lock(mutex_);
        capacity_ = capacity;
        shrink();
    }

    int size() {
        const ForkHold hold;
        const std::lock_guard<std::mutex> lock(mutex_);
        return static_cast<int>(entries_.size());
    }

  private:
    using Entries = std::list<std::pair<Key, Value>>;
    struct Hash {
        size_t operator()(const Key* key) const { return hash_of(*key); }
    };
    struct Equal {
        bool operator()(const Key* a, const Key* b) const { return equal(*a, *b); }
    };

    void shrink() {
        while (entries_.size() > static_cast<size_t>(capacity_)) {
            index_.erase(&entries_.back().first);
            entries_.pop_back();
        }
    }

    std::mutex mutex_;
    int capacity_ = initial_cache_capacity();
    Entries entries_;  // the most recently used first
    std::unordered_map<const Key*, typename Entries::iterator, Hash, Equal> index_;
};

// Never destroyed, as in kernel_cache.hpp: static objects and threads may create primitives until the process is gone.
Cache<DescRequest, DescPtr>& descs() {
    static auto& instance = *new Cache<DescRequest, DescPtr>;
    return instance;
}

Cache<DescPtr, CodePtr>& codes() {
    static auto& instance = *new Cache<DescPtr, CodePtr>;
    return instance;
}

}  // namespace

DescRequest::DescRequest(const OpDesc& an_op, const Attr& attr, Engine* an_engine, size_t a_first)
    : op(&an_op),
      scratchpad_mode(attr.scratchpad_mode),
      engine(an_engine),
      first(a_first),
      isa(effective_isa()),
      hash(hash_combine(impl::hash_of(an_op), scratchpad_mode, first, isa)) {}

bool operator==(const DescRequest& a, const DescRequest& b) {
    return a.hash == b.hash && a.scratchpad_mode == b.scratchpad_mode && a.engine == b.engine &&
           a.first == b.first && a.isa == b.isa &&
           identical(*a.op, *b.op);  // a query gives the caller's own strides back
}

DescPtr find_cached(const DescRequest& request) { return descs().find(request); }

DescPtr store_cached(DescRequest request, DescPtr desc) {
    request.op = &desc->op();
    return descs().store(std::move(request), std::move(desc));
}

CodePtr find_cached(const DescPtr& desc) { return codes().find(desc); }

CodePtr store_cached(DescPtr desc, CodePtr code) {
    return codes().store(std::move(desc), std::move(code));
}

int cache_capacity() { return codes().capacity(); }

Status set_cache_capacity(int capacity) {
    if (capacity < 0) return invalid("capacity is %d; expected at least 0", capacity);
    descs().set_capacity(capacity);
    codes().set_capacity(capacity);
    return {};
}

int cache_size() { return codes().size(); }

}  // namespace tombola::impl
