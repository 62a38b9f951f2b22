// SPDX-License-Identifier: Apache-2.0
#pragma once

// A map that drops its least recently used entries. Each entry has a weight, and the sum of all weights is at most a limit. The map is not
// thread-safe.

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
        found->second.last_use = ++clock_;
        return &found->second.value;
    }
    // Stores a value, in place of the one that the key may have. A value whose weight is above the limit is not stored.
    void store(Key key, Value value, size_t weight = 1) {
        if (weight > max_weight_) return;
        const auto known = entries_.find(key);
        if (known != entries_.end()) drop(known);
        while (weight_ > max_weight_ - weight) drop_least_recently_used();
        entries_.emplace(std::move(key), Entry{std::move(value), weight, ++clock_});
        weight_ += weight;
    }

  private:
    struct Entry {
        Value value;
        size_t weight;
        uint64_t last_use;
    };
    void drop_least_recently_used() {
        drop(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
            return a.second.last_use < b.second.last_use;
        }));
    }
    void drop(typename std::map<Key, Entry>::iterator entry) {
        weight_ -= entry->second.weight;
        entries_.erase(entry);
    }

    size_t max_weight_, weight_ = 0;
    uint64_t clock_ = 0;
    std::map<Key, Entry> entries_;
};

}  // namespace tombola::impl
