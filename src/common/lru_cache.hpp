// SPDX-License-Identifier: Apache-2.0
#pragma once

// A map that drops its least recently used entries. Each entry has a weight, and the sum of all weights is at most a limit. The map is not
// thread-safe.

#include <cstddef>
#include <list>
#include <map>
#include <utility>

namespace tombola::impl {

template <class Key, class Value>
class LruCache {
  public:
    explicit LruCache(size_t max_weight) : max_weight_(max_weight) {}

    // The value of a key, or null. It stays until the next store().
    const Value* find(const Key& key) {
        const auto found = entries_.find(key);
        if (found == entries_.end()) return nullptr;
        by_use_.splice(by_use_.begin(), by_use_, found->second.use);
        return &found->second.value;
    }
    // Stores the value, unless the key has one or the weight is above the limit.
    void store(Key key, Value value, size_t weight = 1) {
        if (weight > max_weight_ || entries_.count(key) != 0) return;
        while (weight_ > max_weight_ - weight) drop_least_recently_used();
        by_use_.push_front(nullptr);
        const auto use = by_use_.begin();
        try {
            *use = &entries_.emplace(std::move(key), Entry{std::move(value), weight, use})
                        .first->first;
        } catch (...) {
            by_use_.pop_front();
            throw;
        }
        weight_ += weight;
    }

  private:
    using Uses = std::list<const Key*>;  // keys of entries, the last used one first
    struct Entry {
        Value value;
        size_t weight;
        typename Uses::iterator use;
    };
    void drop_least_recently_used() {
        const auto oldest = entries_.find(*by_use_.back());
        by_use_.pop_back();
        weight_ -= oldest->second.weight;
        entries_.erase(oldest);
    }

    size_t max_weight_, weight_ = 0;
    Uses by_use_;
    std::map<Key, Entry> entries_;
};

}  // namespace tombola::impl
