// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the functions of the C API that create primitive descriptors share.

#include "common/c_api.hpp"
#include "common/op_desc.hpp"

namespace tombola::impl {

// Chooses the implementation and stores the descriptor in `out`.
Status store_primitive_desc(tombola_primitive_desc_t* out, tombola_engine_t engine,
                            const_tombola_primitive_attr_t attr, const OpDesc& op);

// The body of every primitive's create function. set_desc(desc) checks the arguments of the primitive, fills its
// descriptor and returns a Status. The descriptor is filled in place, because copying one takes as long as looking it
// up in the cache.
template <class Desc, class SetDesc>
tombola_status_t create_primitive_desc(tombola_primitive_desc_t* primitive_desc,
                                       tombola_engine_t engine, const_tombola_primitive_attr_t attr,
                                       const SetDesc& set_desc) {
    return api_call(name_of(Desc::kKind), {{primitive_desc, "primitive_desc"}, {engine, "engine"}},
                    [&]() -> Status {
                        OpDesc op{std::in_place_type<Desc>};
                        TOMBOLA_TRY(set_desc(*std::get_if<Desc>(&op)));
                        return store_primitive_desc(primitive_desc, engine, attr, op);
                    });
}

// Refuses a null descriptor and one without dimensions.
Status check_tensor(const_tombola_memory_desc_t desc, const char* name);
// Also refuses a descriptor whose layout is open (tombola_format_tag_any).
Status check_tensor_with_layout(const_tombola_memory_desc_t desc, const char* name);

// Refuses a descriptor whose dimensions or data type differ from those of `expected`.
Status check_same_tensor(const MemoryDesc& given, const char* name, const MemoryDesc& expected,
                         const char* expected_name);

// Sets the written tensor's descriptor to `given`. If `given` is null or its layout is open, the written tensor gets
// the descriptor of the read tensor. Refuses dimensions and data types that differ from those of the read tensor.
Status set_written(MemoryDesc& desc, const_tombola_memory_desc_t given, const char* name,
                   const MemoryDesc& read, const char* read_name);

// Returns `desc`. If its layout is open, the result is row-major.
MemoryDesc row_major_if_any(const MemoryDesc& desc);

// Sets the descriptor of a tensor that is filled, row-major if its layout is open. Refuses every data type that is not
// in `types`.
Status set_filled(MemoryDesc& desc, const_tombola_memory_desc_t given, const char* name,
                  DataTypes types);

// Refuses every data type that is not in `allowed`. The message lists the allowed types.
Status check_type(const MemoryDesc& desc, const char* name, DataTypes allowed);

// For primitives that draw classes. Refuses a tensor of values that is not [batch, classes] of an allowed type, and a dst_desc that is not
// [batch, samples] of s32 or s64.
Status check_rows(const MemoryDesc& values, const char* name, DataTypes allowed,
                  const MemoryDesc& dst);

// Refuses every value but 0 and 1, the values of a C boolean.
Status check_flag(int value, const char* name);

}  // namespace tombola::impl
