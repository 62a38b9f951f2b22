// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/engine.hpp"
#include "common/memory_desc.hpp"

namespace tombola::impl {

// A tensor: a descriptor with the address of its data.
struct Memory {
    MemoryDesc desc;
    Engine* engine;
    void* handle = nullptr;
    bool owned = false;  // the handle was allocated by the library
};

}  // namespace tombola::impl
