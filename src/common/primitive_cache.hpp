// SPDX-License-Identifier: Apache-2.0
#pragma once

// The primitives that were created last, so that creating an equal one again costs a look-up. Least recently used
// ones go first. Thread-safe; two threads that miss at the same time both create, and the first to finish is kept.

#include <memory>

#include "common/implementation.hpp"
#include "common/primitive_desc.hpp"

namespace tombola::impl {

// The executable of an equal primitive, or null.
std::shared_ptr<const Executable> find_cached(const PrimitiveDesc& desc);

// Remembers `code`; gives back what is in force: `code`, or what another thread stored meanwhile.
std::shared_ptr<const Executable> store_cached(std::shared_ptr<const PrimitiveDesc> desc,
                                               std::shared_ptr<const Executable> code);

int cache_capacity();
Status set_cache_capacity(int capacity);
int cache_size();

}  // namespace tombola::impl
