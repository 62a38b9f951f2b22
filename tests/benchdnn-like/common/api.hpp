// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library's C API with owners for its handles, and layouts as its descriptors tell them.

#include <memory>
#include <string>
#include <vector>

#include "reference/layout.hpp"
#include "tombola/tombola.h"

namespace tombola::bench {

template <class T, tombola_status_t (*destroy)(T*)>
struct Destroy {
    void operator()(T* handle) const { destroy(handle); }
};
using MemoryDesc =
    std::unique_ptr<struct tombola_memory_desc,
                    Destroy<struct tombola_memory_desc, tombola_memory_desc_destroy>>;
using Memory =
    std::unique_ptr<struct tombola_memory, Destroy<struct tombola_memory, tombola_memory_destroy>>;
using Attr =
    std::unique_ptr<struct tombola_primitive_attr,
                    Destroy<struct tombola_primitive_attr, tombola_primitive_attr_destroy>>;
using PrimitiveDesc =
    std::unique_ptr<struct tombola_primitive_desc,
                    Destroy<struct tombola_primitive_desc, tombola_primitive_desc_destroy>>;
using Primitive = std::unique_ptr<struct tombola_primitive,
                                  Destroy<struct tombola_primitive, tombola_primitive_destroy>>;

// The one engine and the one stream that the program uses.
tombola_engine_t engine();
tombola_stream_t stream();

// Throws CaseError with the library's message unless the call succeeded.
void require(tombola_status_t status, const char* call);

// Why a problem has no primitive descriptor, where it is not the library that says so.
struct Refused {
    tombola_status_t status;
    std::string reason;
    int64_t too_large = 0;  // the bytes of a tensor that is larger than any may be
};

// What a driver makes its primitive descriptor with: the attributes, and descriptors of tensors.
class Creation {
  public:
    Creation(const_tombola_primitive_attr_t attr, bool allow_enum_tags_only)
        : attr_(attr), allow_enum_tags_only_(allow_enum_tags_only) {}

    const_tombola_primitive_attr_t attr() const { return attr_; }
    // The library's descriptor of a tensor; this object owns it. The tag `any` leaves the layout to the library.
    // A layout that is made from its name is compared with reference::Layout, which knows the names by itself.
    // Throws Refused if there is no such descriptor. Throws CaseError if the two layouts differ, and if there is a
    // descriptor although its tensor is too large.
    const_tombola_memory_desc_t desc(const reference::Dims& dims, tombola_data_type_t type,
                                     const std::string& tag = "abx");

  private:
    const_tombola_primitive_attr_t attr_;
    bool allow_enum_tags_only_;
    std::vector<MemoryDesc> descs_;
};

reference::Layout layout_of(const_tombola_memory_desc_t desc);
tombola_data_type_t type_of(const_tombola_memory_desc_t desc);
std::string impl_name(const_tombola_primitive_desc_t primitive_desc);

}  // namespace tombola::bench
