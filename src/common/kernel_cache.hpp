// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cache of generated kernels. A kernel's key is everything that shaped its code, so primitives that need the same
// code share one kernel. A Kernel declares the key as `using Key = ...`, an ordered type, usually a std::tuple.
// Seeds, bounds, offsets and states are arguments of a kernel's call and never part of a key.
//
// Each kind of kernel has a cache of its own. A kernel lives as long as the cache or a primitive
// holds it.

#include <cstddef>
#include <memory>
#include <mutex>

#include "common/fork.hpp"
#include "common/function_ref.hpp"
#include "common/lru_cache.hpp"
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
        if (const auto* found = kernels_.find(key)) return *found;
        Made made = make();
        if (made.ok()) kernels_.store(key, made.value());
        return made;
    }

  private:
    static constexpr size_t kCapacity = 1024;

    std::mutex mutex_;
    LruCache<Key, std::shared_ptr<const Kernel>> kernels_{kCapacity};
};

// The process's cache of one kind of kernel. It is never destroyed, so that primitives which
// outlive the static objects can still be used.
template <class Kernel>
KernelCache<Kernel>& kernel_cache() {
    static KernelCache<Kernel>& cache = *new KernelCache<Kernel>;
    return cache;
}

}  // namespace tombola::impl
