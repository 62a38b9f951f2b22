// SPDX-License-Identifier: Apache-2.0
#include "common/primitive_cache.hpp"

#include <atomic>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "common/fork.hpp"
#include "common/hash.hpp"
#include "common/parallel.hpp"
#include "common/settings.hpp"

namespace tombola::impl {
namespace {

using DescPtr = std::shared_ptr<const PrimitiveDesc>;
using CodePtr = std::shared_ptr<const Executable>;

uint64_t hash_of(const DescRequest& request) { return request.hash; }
bool equal(const DescRequest& a, const DescRequest& b) { return a == b; }
uint64_t hash_of(const DescPtr& desc) { return desc->hash(); }
bool equal(const DescPtr& a, const DescPtr& b) { return a->same_primitive(*b); }

// A cache that drops the least recently used entry. An entry owns its key. Value is a pointer.
template <class Key, class Value>
class Cache {
  public:
    explicit Cache(int capacity) : capacity_(capacity) {}

    Value find(const Key& key) {
        const std::lock_guard<ForkMutex> lock(mutex_);
        const auto found = index_.find(&key);
        if (found == index_.end()) return nullptr;
        entries_.splice(entries_.begin(), entries_, found->second);
        return found->second->second;
    }

    Value store(Key key, Value value) {
        const std::lock_guard<ForkMutex> lock(mutex_);
        if (capacity_ == 0) return value;
        const auto found = index_.find(&key);
        if (found != index_.end()) return found->second->second;
        Entries entry;  // it joins the other entries when nothing can fail any more
        entry.emplace_front(std::move(key), value);
        index_.emplace(&entry.front().first, entry.begin());
        entries_.splice(entries_.begin(), entry);
        shrink();
        return value;
    }

    int capacity() {
        const std::lock_guard<ForkMutex> lock(mutex_);
        return capacity_;
    }

    void set_capacity(int capacity) {
        const std::lock_guard<ForkMutex> lock(mutex_);
        capacity_ = capacity;
        shrink();
    }

    int size() {
        const std::lock_guard<ForkMutex> lock(mutex_);
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

    ForkMutex mutex_;
    int capacity_;
    Entries entries_;  // the most recently used first
    std::unordered_map<const Key*, typename Entries::iterator, Hash, Equal> index_;
};

struct Caches {
    explicit Caches(int capacity) : descs(capacity), codes(capacity) {}
    Cache<DescRequest, DescPtr> descs;
    Cache<DescPtr, CodePtr> codes;
};

std::atomic<Caches*> existing{nullptr};

// The caches are never destroyed, as in kernel_cache.hpp: static objects and threads may create primitives until the
// process ends. The first call makes them and must be inside a ForkHold. The settings are read before, because reading
// them may fail, and a ForkMutex that has been made must never be destroyed.
Caches& caches() {
    if (Caches* found = existing.load(std::memory_order_acquire)) return *found;
    const int capacity = initial_cache_capacity();
    static Caches& instance = *new Caches(capacity);
    existing.store(&instance, std::memory_order_release);
    return instance;
}

}  // namespace

DescRequest::DescRequest(const OpDesc& an_op, const Attr& attr, Engine* an_engine, size_t a_first)
    : op(&an_op),
      scratchpad_mode(attr.scratchpad_mode),
      engine(an_engine),
      first(a_first),
      isa(effective_isa()),
      several_threads(max_threads() > 1),
      hash(hash_combine(impl::hash_of(an_op), scratchpad_mode, first, isa, several_threads)) {}

bool operator==(const DescRequest& a, const DescRequest& b) {
    return a.hash == b.hash && a.scratchpad_mode == b.scratchpad_mode && a.engine == b.engine &&
           a.first == b.first && a.isa == b.isa && a.several_threads == b.several_threads &&
           identical(*a.op, *b.op);  // queries return the strides that the caller gave
}

bool cache_exists() { return existing.load(std::memory_order_acquire) != nullptr; }

DescPtr find_cached(const DescRequest& request) {
    Caches* const found = existing.load(std::memory_order_acquire);
    return found == nullptr ? nullptr : found->descs.find(request);
}

DescPtr store_cached(DescRequest request, DescPtr desc) {
    const ForkHold hold;
    request.op = &desc->op();
    return caches().descs.store(std::move(request), std::move(desc));
}

CodePtr find_cached(const DescPtr& desc) {
    Caches* const found = existing.load(std::memory_order_acquire);
    return found == nullptr ? nullptr : found->codes.find(desc);
}

CodePtr store_cached(DescPtr desc, CodePtr code) {
    const ForkHold hold;
    return caches().codes.store(std::move(desc), std::move(code));
}

int cache_capacity() {
    const ForkHold hold;
    return caches().codes.capacity();
}

Status set_cache_capacity(int capacity) {
    if (capacity < 0) return invalid("capacity is %d; expected at least 0", capacity);
    const ForkHold hold;
    // Both have one capacity, also if two threads change it.
    static std::mutex changing;
    const std::lock_guard<std::mutex> lock(changing);
    caches().descs.set_capacity(capacity);
    caches().codes.set_capacity(capacity);
    return {};
}

int cache_size() {
    const ForkHold hold;
    return caches().codes.size();
}

}  // namespace tombola::impl
