// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the functions of the C API that create primitive descriptors share.

#include <initializer_list>

#include "common/c_api.hpp"
#include "common/op_desc.hpp"

namespace tombola::impl {

// The last step of every primitive's create function: chooses the implementation and stores the descriptor in `out`.
Status create_primitive_desc(tombola_primitive_desc_t* out, tombola_engine_t engine,
                             const OpDesc& op, const_tombola_primitive_attr_t attr);

// Refuses a null descriptor and one without dimensions.
Status check_tensor(const_tombola_memory_desc_t desc, const char* name);
// The same, and refuses a descriptor whose layout is open (tombola_format_tag_any).
Status check_tensor_with_layout(const_tombola_memory_desc_t desc, const char* name);

// Refuses a descriptor whose dimensions or data type differ from those of `expected`.
Status check_same_tensor(const MemoryDesc& given, const char* name, const MemoryDesc& expected,
                         const char* expected_name);

// The written tensor's descriptor: the given one or, if its layout is open, one with the read tensor's layout.
Result<MemoryDesc> written_desc(const_tombola_memory_desc_t given, const char* name,
                                const MemoryDesc& read, const char* read_name);

// Returns `desc`. If its layout is open, the result is row-major.
MemoryDesc row_major_if_any(const MemoryDesc& desc);

// Refuses every data type that is not in `allowed`. The message lists the allowed types.
Status check_type(const MemoryDesc& desc, const char* name,
                  std::initializer_list<DataType> allowed);

// Refuses every value but 0 and 1, the values of a C boolean.
Status check_flag(int value, const char* name);

}  // namespace tombola::impl
