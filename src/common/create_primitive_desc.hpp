// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the functions of the C API that create primitive descriptors share.

#include <initializer_list>

#include "common/c_api.hpp"
#include "common/op_desc.hpp"

namespace tombola::impl {

// The end of every primitive's create function: chooses the implementation and hands the descriptor out.
Status create_primitive_desc(tombola_primitive_desc_t* out, tombola_engine_t engine, OpDesc op,
                             const_tombola_primitive_attr_t attr);

// Refuses what is null or has no dimensions.
Status check_tensor(const_tombola_memory_desc_t desc, const char* name);
// And what leaves its layout open.
Status check_tensor_with_layout(const_tombola_memory_desc_t desc, const char* name);

// A destination whose layout, left open, is row-major.
MemoryDesc row_major_if_any(const MemoryDesc& desc);

// Refuses other data types than `allowed`, with a message that lists those.
Status check_type(const MemoryDesc& desc, const char* name,
                  std::initializer_list<DataType> allowed);

// Refuses other values than 0 and 1: what a C boolean may be.
Status check_flag(int value, const char* name);

}  // namespace tombola::impl
