// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cache of generated code. A key is everything that shaped the code, so primitives that need the same code share it. It is of an
// ordered type, usually a std::tuple, which a generator declares as `using Key = ...`. Seeds, bounds, offsets and states are arguments of a
// call and never part of a key.
//
// Each generator has a cache of its own. Code lives as long as the cache or a primitive holds it.

#include <cstddef>
#include <mutex>

#include "common/fork.hpp"
#include "common/function_ref.hpp"
#include "common/lru_cache.hpp"
#include "common/status.hpp"

namespace tombola::impl {

// Code is a type whose copies share what they hold.
template <class Key, class Code>
class KernelCache {
  public:
    using Made = Result<Code>;

    // Returns the code of `key`. If the cache has none, make() makes it. Only one thread at a time makes code.
    Made get(const Key& key, FunctionRef<Made()> make) {
        const ForkHold hold;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (const Code* found = codes_.find(key)) return *found;
        Made made = make();
        if (made.ok()) codes_.store(key, made.value());
        return made;
    }

  private:
    static constexpr size_t kCapacity = 1024;

    std::mutex mutex_;
    LruCache<Key, Code> codes_{kCapacity};
};

}  // namespace tombola::impl
