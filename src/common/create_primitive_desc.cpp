// SPDX-License-Identifier: Apache-2.0
#include "common/create_primitive_desc.hpp"

#include <algorithm>
#include <string>

namespace tombola::impl {

Status check_tensor(const_tombola_memory_desc_t desc, const char* name) {
    TOMBOLA_TRY(check_not_null(desc, name));
    if (from_handle(desc)->is_empty())
        return invalid("%s is an empty descriptor; expected a tensor", name);
    return {};
}

Status check_tensor_with_layout(const_tombola_memory_desc_t desc, const char* name) {
    TOMBOLA_TRY(check_tensor(desc, name));
    if (from_handle(desc)->is_any())
        return invalid("%s has the layout any; expected strides or another tag", name);
    return {};
}

MemoryDesc row_major_if_any(const MemoryDesc& desc) {
    if (!desc.is_any()) return desc;
    return MemoryDesc::row_major(desc.ndims, desc.dims.data(), desc.data_type);
}

Status set_filled(MemoryDesc& desc, const_tombola_memory_desc_t given, const char* name,
                  DataTypes types) {
    TOMBOLA_TRY(check_tensor(given, name));
    TOMBOLA_TRY(check_type(*from_handle(given), name, types));
    desc = row_major_if_any(*from_handle(given));
    return {};
}

Status check_same_tensor(const MemoryDesc& given, const char* name, const MemoryDesc& expected,
                         const char* expected_name) {
    if (same_dims(given, expected) && given.data_type == expected.data_type) return {};
    return invalid("%s is %s %s; expected %s %s, as %s", name, dims_to_string(given).c_str(),
                   name_of(given.data_type), dims_to_string(expected).c_str(),
                   name_of(expected.data_type), expected_name);
}

Status set_written(MemoryDesc& desc, const_tombola_memory_desc_t given, const char* name,
                   const MemoryDesc& read, const char* read_name) {
    desc = read;
    if (given == nullptr) return {};
    if (from_handle(given)->is_empty())
        return invalid(
            "%s is an empty descriptor; expected a tensor, or a null handle for the layout of %s",
            name, read_name);
    TOMBOLA_TRY(check_same_tensor(*from_handle(given), name, read, read_name));
    if (!from_handle(given)->is_any()) desc = *from_handle(given);
    return {};
}

Status store_primitive_desc(tombola_primitive_desc_t* out, tombola_engine_t engine,
                            const_tombola_primitive_attr_t attr, const OpDesc& op) {
    const Attr attributes = attr == nullptr ? Attr() : *from_handle(attr);
    auto desc = TOMBOLA_TRY(PrimitiveDesc::create(op, attributes, from_handle(engine)));
    *out = to_handle<tombola_primitive_desc_t>(new PrimitiveDescHandle{std::move(desc)});
    return {};
}

Status check_type(const MemoryDesc& desc, const char* name, DataTypes allowed) {
    if (std::find(allowed.begin(), allowed.end(), desc.data_type) != allowed.end()) return {};
    std::string list;
    for (const DataType type : allowed)
        list += (list.empty() ? "" : ", ") + std::string(name_of(type));
    return invalid("%s has the data type %s; expected %s%s", name, name_of(desc.data_type),
                   allowed.size() > 1 ? "one of " : "", list.c_str());
}

Status check_rows(const MemoryDesc& values, const char* name, DataTypes allowed,
                  const MemoryDesc& dst) {
    if (values.ndims != 2)
        return invalid("%s has %d dimensions; expected 2, [batch, classes]", name, values.ndims);
    if (dst.ndims != 2)
        return invalid("dst_desc has %d dimensions; expected 2, [batch, samples]", dst.ndims);
    TOMBOLA_TRY(check_type(values, name, allowed));
    TOMBOLA_TRY(check_type(dst, "dst_desc", kIndexTypes));
    if (dst.dims[0] != values.dims[0])
        return invalid("dst_desc has %lld rows; expected %lld, as %s", dst.dims[0], values.dims[0],
                       name);
    return {};
}

Status check_flag(int value, const char* name) {
    if (value == 0 || value == 1) return {};
    return invalid("%s is %d; expected 0 or 1", name, value);
}

}  // namespace tombola::impl
