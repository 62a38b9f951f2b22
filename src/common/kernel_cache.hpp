// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cache of generated kernels. A kernel's key is everything that shaped its code, so primitives that need the same
// code share one kernel. A Kernel declares the key as `using Key = ...`, an ordered type, usually a std::tuple.
// Seeds, bounds, offsets and states are arguments of a kernel's call and never part of a key.
//
// Each kind of kernel has a cache of its own. A kernel lives as long as the cache or a primitive
// holds it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "common/fork.hpp"
#include "common/function_ref.hpp"
#include "common/status.hpp"

namespace tombola::impl {

template <class Kernel>
class KernelCache {
  public:
    using Key = typename Kernel::Key;
    using Made = Result<std::shared_ptr<const Kernel>>;

    // Returns the kernel of `key`. If the cache has none, make() makes it. Only one thread at a time makes a kernel.
    Made get(const Key& key, FunctionRef<Made()> make) {
        const ForkHold hold;
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(key);
        if (found != entries_.end()) {
            found->second.last_use = ++clock_;
            return found->second.kernel;
        }
        Made made = make();
        if (!made.ok()) return made;
        if (entries_.size() >= kCapacity) drop_least_recently_used();
        entries_.emplace(key, Entry{made.value(), ++clock_});
        return made;
    }

  private:
    static constexpr size_t kCapacity = 1024;
    struct Entry {
        std::shared_ptr<const Kernel> kernel;
        uint64_t last_use;
    };
    void drop_least_recently_used() {
        auto oldest = entries_.begin();
        for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
            if (entry->second.last_use < oldest->second.last_use) oldest = entry;
        entries_.erase(oldest);
    }

    std::mutex mutex_;
    std::map<Key, Entry> entries_;
    uint64_t clock_ = 0;
};

// The process's cache of one kind of kernel. It is never destroyed, so that primitives which
// outlive the static objects can still be used.
template <class Kernel>
KernelCache<Kernel>& kernel_cache() {
    static KernelCache<Kernel>& cache = *new KernelCache<Kernel>;
    return cache;
}

}  // namespace tombola::impl
