// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C API's handles as owners, so that tests of the C API do not leak. Nothing here checks a
// status: `out()` is what a creating function fills, and stays null when it fails.

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gtests/common/test_threadpool.hpp"
#include "tombola/tombola.h"
#include "tombola/tombola_threadpool.h"

namespace tombola::test {

template <class T, tombola_status_t (*kDestroy)(T)>
class Handle {
  public:
    Handle() = default;
    explicit Handle(T handle) : handle_(handle) {}
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Handle() { kDestroy(handle_); }

    T get() const { return handle_; }
    operator T() const { return handle_; }
    // The address for a function that creates; what was held is destroyed.
    T* out() {
        kDestroy(std::exchange(handle_, nullptr));
        return &handle_;
    }

  private:
    T handle_ = nullptr;
};

using Engine = Handle<tombola_engine_t, tombola_engine_destroy>;
using Stream = Handle<tombola_stream_t, tombola_stream_destroy>;
using MemoryDesc = Handle<tombola_memory_desc_t, tombola_memory_desc_destroy>;
using Memory = Handle<tombola_memory_t, tombola_memory_destroy>;
using Attr = Handle<tombola_primitive_attr_t, tombola_primitive_attr_destroy>;
using PrimitiveDesc = Handle<tombola_primitive_desc_t, tombola_primitive_desc_destroy>;
using Primitive = Handle<tombola_primitive_t, tombola_primitive_destroy>;

using DimVector = std::vector<tombola_dim_t>;

inline std::string last_error() { return tombola_get_last_error(); }

inline Engine cpu_engine() {
    Engine engine;
    tombola_engine_create(engine.out(), tombola_cpu, 0);
    return engine;
}

// A stream as a test needs it: in a THREADPOOL build on a pool of several threads.
inline Stream default_stream(tombola_engine_t engine) {
    static TestThreadpool pool(3);  // outlives every stream
    Stream stream;
    if (tombola_version()->cpu_runtime == std::string("THREADPOOL"))
        tombola_threadpool_interop_stream_create(stream.out(), engine, &pool);
    else
        tombola_stream_create(stream.out(), engine, tombola_stream_default_flags);
    return stream;
}

// Null when the library refuses.
inline MemoryDesc tagged(const DimVector& dims, tombola_data_type_t type,
                         tombola_format_tag_t tag) {
    MemoryDesc desc;
    tombola_memory_desc_create_with_tag(desc.out(), static_cast<int>(dims.size()), dims.data(),
                                        type, tag);
    return desc;
}

inline MemoryDesc strided(const DimVector& dims, tombola_data_type_t type,
                          const DimVector& strides) {
    MemoryDesc desc;
    tombola_memory_desc_create_with_strides(desc.out(), static_cast<int>(dims.size()), dims.data(),
                                            type, strides.data());
    return desc;
}

inline MemoryDesc row_major(const DimVector& dims, tombola_data_type_t type) {
    MemoryDesc desc;
    tombola_memory_desc_create_with_strides(desc.out(), static_cast<int>(dims.size()), dims.data(),
                                            type, nullptr);
    return desc;
}

// A matrix in blocks of columns: all rows of the first block, then all rows of the next one.
inline MemoryDesc in_blocks(const DimVector& dims, tombola_data_type_t type, tombola_dim_t block) {
    const DimVector strides{block, dims[0] * block};
    MemoryDesc desc;
    tombola_memory_desc_create_with_block(desc.out(), 2, dims.data(), type, strides.data(), 1,
                                          block, 0);
    return desc;
}

inline Memory memory_over(const_tombola_memory_desc_t desc, tombola_engine_t engine, void* data) {
    Memory memory;
    tombola_memory_create(memory.out(), desc, engine, data);
    return memory;
}

inline std::string impl_name(const_tombola_primitive_desc_t desc) {
    const char* name = "";
    tombola_primitive_desc_query(desc, tombola_query_impl_info_str, 0, &name);
    return name;
}

// Runs visit() on each implementation that serves the primitive descriptor, best first.
template <class Visitor>
void for_each_implementation(const_tombola_primitive_desc_t first, const Visitor& visit) {
    PrimitiveDesc desc;
    tombola_primitive_desc_clone(desc.out(), first);
    tombola_status_t status = tombola_success;
    for (; status == tombola_success; status = tombola_primitive_desc_next_impl(desc))
        visit(desc.get());
    if (status != tombola_last_impl_reached)
        throw std::runtime_error(std::string("the next implementation: ") +
                                 tombola_get_last_error());
}

}  // namespace tombola::test
