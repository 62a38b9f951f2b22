// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cache of primitive descriptors and primitives. Creating an equal one again costs one look-up. Descriptors are
// cached too, because walking a table of implementations may take as long as generating code. The least recently used
// entry is dropped first. The cache is thread-safe: if two threads miss at the same time, both create, and the first
// result is kept.

#include <memory>

#include "common/cpu_isa.hpp"
#include "common/implementation.hpp"
#include "common/primitive_desc.hpp"

namespace tombola::impl {

// Everything that decides what PrimitiveDesc::create() makes.
struct DescRequest {
    // Borrows `op`, so that a look-up copies nothing.
    DescRequest(const OpDesc& op, const Attr& attr, Engine* engine, size_t first);
    friend bool operator==(const DescRequest& a, const DescRequest& b);

    const OpDesc* op;
    ScratchpadMode scratchpad_mode;
    Engine* engine;
    size_t first;
    CpuIsa isa;            // the effective ISA at the request
    bool several_threads;  // whether executions may share work, as far as the request tells
    uint64_t hash;
};

// Whether the cache and the settings that it needs exist. Until then, a look-up needs a ForkHold. Afterwards it needs
// none.
bool cache_exists();

// The descriptor that is stored for an equal request, or null.
std::shared_ptr<const PrimitiveDesc> find_cached(const DescRequest& request);

// Stores `desc`. The stored request borrows the operator's descriptor that `desc` owns. Returns `desc`, or the
// descriptor that another thread has stored for an equal request meanwhile.
std::shared_ptr<const PrimitiveDesc> store_cached(DescRequest request,
                                                  std::shared_ptr<const PrimitiveDesc> desc);

// The executable that is stored for an equal primitive, or null.
std::shared_ptr<const Executable> find_cached(const std::shared_ptr<const PrimitiveDesc>& desc);

// Stores `code`. Returns `code`, or the executable that another thread has stored for an equal primitive meanwhile.
std::shared_ptr<const Executable> store_cached(std::shared_ptr<const PrimitiveDesc> desc,
                                               std::shared_ptr<const Executable> code);

// The greatest number of descriptors, and also of primitives, that the cache holds.
int cache_capacity();
Status set_cache_capacity(int capacity);
int cache_size();  // the number of primitives in the cache

}  // namespace tombola::impl
