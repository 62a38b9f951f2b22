// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/engine.hpp"
#include "common/memory_desc.hpp"

namespace tombola::impl {

// A tensor: a descriptor with the address of its data. The properties that every execution needs are computed once.
struct Memory {
    Memory(const MemoryDesc& memory_desc, Engine* memory_engine)
        : desc(memory_desc),
          engine(memory_engine),
          bytes(desc.size()),
          elements(desc.nelems()),
          offset_bytes(bytes > 0 ? desc.offset0 * static_cast<dim_t>(size_of(desc.data_type)) : 0) {
    }

    const MemoryDesc desc;
    Engine* const engine;
    const size_t bytes;        // desc.size()
    const dim_t elements;      // desc.nelems()
    const dim_t offset_bytes;  // from the handle to the first element; 0 if there is none
    void* handle = nullptr;
    bool owned = false;  // the handle was allocated by the library
};

}  // namespace tombola::impl
