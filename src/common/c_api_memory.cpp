// SPDX-License-Identifier: Apache-2.0
// Memory descriptors and memory objects.
#include <cstring>

#include "common/c_api.hpp"
#include "common/scratchpad.hpp"

namespace tombola::impl {
namespace {

Status hand_out(tombola_memory_desc_t* out, Result<MemoryDesc> made) {
    if (!made.ok()) return made.take_status();
    *out = to_handle<tombola_memory_desc_t>(new MemoryDesc(made.take()));
    return {};
}

Status check_alignment(const MemoryDesc& desc, const void* handle) {
    const size_t alignment = desc.is_empty() ? 1 : size_of(desc.data_type);
    if (reinterpret_cast<uintptr_t>(handle) % alignment == 0) return {};
    return invalid("handle is %p; expected an address aligned to %llu bytes, the size of %s",
                   handle, alignment, name_of(desc.data_type));
}

// Queries return inner_blks and inner_idxs as arrays. These tables hold every possible array.
const Dims* one_element_dims(dim_t value) {
    static constexpr auto kArrays = [] {
        std::array<Dims, kMaxBlock + 1> arrays{};
        for (size_t i = 0; i < arrays.size(); ++i) arrays[i][0] = static_cast<dim_t>(i);
        return arrays;
    }();
    return &kArrays.at(static_cast<size_t>(value));
}

Status query(const MemoryDesc& desc, tombola_query_t what, void* result) {
    const auto give_dims = [&](const Dims& dims) {
        *static_cast<const tombola_dims_t**>(result) =
            reinterpret_cast<const tombola_dims_t*>(dims.data());
        return Status();
    };
    switch (what) {
        case tombola_query_ndims_s32:
            *static_cast<int*>(result) = desc.ndims;
            return {};
        case tombola_query_dims:
            return give_dims(desc.dims);
        case tombola_query_data_type:
            *static_cast<tombola_data_type_t*>(result) =
                static_cast<tombola_data_type_t>(desc.data_type);
            return {};
        case tombola_query_submemory_offset_s64:
            *static_cast<tombola_dim_t*>(result) = desc.offset0;
            return {};
        case tombola_query_padded_dims:
            return give_dims(desc.padded_dims);
        case tombola_query_format_kind:
            *static_cast<tombola_format_kind_t*>(result) =
                static_cast<tombola_format_kind_t>(desc.format_kind);
            return {};
        case tombola_query_strides:
            return give_dims(desc.strides);
        case tombola_query_inner_nblks_s32:
            *static_cast<int*>(result) = desc.is_blocked() ? 1 : 0;
            return {};
        case tombola_query_inner_blks:
            return give_dims(*one_element_dims(desc.is_blocked() ? desc.block : 0));
        case tombola_query_inner_idxs:
            return give_dims(*one_element_dims(desc.is_blocked() ? desc.block_dim : 0));
        case tombola_query_padded_offsets:
            return give_dims(*one_element_dims(0));
        default:
            return invalid("what is %d; expected a query of a memory descriptor", what);
    }
}

void free_data(Memory& memory) {
    if (memory.owned) aligned_free(memory.handle);
    memory.owned = false;
    memory.handle = nullptr;
}

}  // namespace
}  // namespace tombola::impl

using namespace tombola::impl;

tombola_status_t tombola_memory_desc_create_with_tag(tombola_memory_desc_t* memory_desc, int ndims,
                                                     const tombola_dim_t* dims,
                                                     tombola_data_type_t data_type,
                                                     tombola_format_tag_t tag) {
    return api_call("memory_desc_create_with_tag", {{memory_desc, "memory_desc"}}, [&]() -> Status {
        return hand_out(memory_desc,
                        MemoryDesc::from_tag(ndims, dims, static_cast<DataType>(data_type), tag));
    });
}

tombola_status_t tombola_memory_desc_create_with_strides(tombola_memory_desc_t* memory_desc,
                                                         int ndims, const tombola_dim_t* dims,
                                                         tombola_data_type_t data_type,
                                                         const tombola_dim_t* strides) {
    return api_call(
        "memory_desc_create_with_strides", {{memory_desc, "memory_desc"}}, [&]() -> Status {
            return hand_out(
                memory_desc,
                MemoryDesc::from_strides(ndims, dims, static_cast<DataType>(data_type), strides));
        });
}

tombola_status_t tombola_memory_desc_create_with_block(tombola_memory_desc_t* memory_desc,
                                                       int ndims, const tombola_dim_t* dims,
                                                       tombola_data_type_t data_type,
                                                       const tombola_dim_t* strides, int block_dim,
                                                       tombola_dim_t block, tombola_dim_t offset) {
    return api_call(
        "memory_desc_create_with_block", {{memory_desc, "memory_desc"}}, [&]() -> Status {
            return hand_out(memory_desc,
                            MemoryDesc::from_block(ndims, dims, static_cast<DataType>(data_type),
                                                   strides, block_dim, block, offset));
        });
}

tombola_status_t tombola_memory_desc_create_submemory(tombola_memory_desc_t* memory_desc,
                                                      const_tombola_memory_desc_t parent,
                                                      const tombola_dim_t* dims,
                                                      const tombola_dim_t* offsets) {
    return api_call(
        "memory_desc_create_submemory",
        {{memory_desc, "memory_desc"}, {parent, "parent"}, {dims, "dims"}, {offsets, "offsets"}},
        [&]() -> Status {
            return hand_out(memory_desc, from_handle(parent)->submemory(dims, offsets));
        });
}

tombola_status_t tombola_memory_desc_reshape(tombola_memory_desc_t* memory_desc,
                                             const_tombola_memory_desc_t in_memory_desc, int ndims,
                                             const tombola_dim_t* dims) {
    return api_call(
        "memory_desc_reshape", {{memory_desc, "memory_desc"}, {in_memory_desc, "in_memory_desc"}},
        [&]() -> Status {
            return hand_out(memory_desc, from_handle(in_memory_desc)->reshape(ndims, dims));
        });
}

tombola_status_t tombola_memory_desc_permute_axes(tombola_memory_desc_t* memory_desc,
                                                  const_tombola_memory_desc_t in_memory_desc,
                                                  const int* permutation) {
    return api_call("memory_desc_permute_axes",
                    {{memory_desc, "memory_desc"},
                     {in_memory_desc, "in_memory_desc"},
                     {permutation, "permutation"}},
                    [&]() -> Status {
                        return hand_out(memory_desc,
                                        from_handle(in_memory_desc)->permute_axes(permutation));
                    });
}

tombola_status_t tombola_memory_desc_clone(tombola_memory_desc_t* memory_desc,
                                           const_tombola_memory_desc_t existing) {
    return api_call(
        "memory_desc_clone", {{memory_desc, "memory_desc"}, {existing, "existing"}}, [&] {
            *memory_desc = to_handle<tombola_memory_desc_t>(new MemoryDesc(*from_handle(existing)));
        });
}

tombola_status_t tombola_memory_desc_destroy(tombola_memory_desc_t memory_desc) {
    delete from_handle(memory_desc);
    return tombola_success;
}

tombola_status_t tombola_memory_desc_query(const_tombola_memory_desc_t memory_desc,
                                           tombola_query_t what, void* result) {
    return api_call("memory_desc_query", {{memory_desc, "memory_desc"}, {result, "result"}},
                    [&]() -> Status { return query(*from_handle(memory_desc), what, result); });
}

int tombola_memory_desc_equal(const_tombola_memory_desc_t lhs, const_tombola_memory_desc_t rhs) {
    if (lhs == rhs) return 1;
    if (lhs == nullptr || rhs == nullptr) return 0;
    return *from_handle(lhs) == *from_handle(rhs) ? 1 : 0;
}

size_t tombola_memory_desc_get_size(const_tombola_memory_desc_t memory_desc) {
    return memory_desc == nullptr ? 0 : from_handle(memory_desc)->size_from_handle();
}

size_t tombola_data_type_size(tombola_data_type_t data_type) {
    return size_of(static_cast<DataType>(data_type));
}

tombola_status_t tombola_memory_create(tombola_memory_t* memory,
                                       const_tombola_memory_desc_t memory_desc,
                                       tombola_engine_t engine, void* handle) {
    return api_call(
        "memory_create", {{memory, "memory"}, {memory_desc, "memory_desc"}, {engine, "engine"}},
        [&]() -> Status {
            const MemoryDesc& desc = *from_handle(memory_desc);
            if (desc.is_any())
                return invalid("memory_desc has the layout any; expected strides or another tag");
            const bool allocate = handle == TOMBOLA_MEMORY_ALLOCATE;
            if (!allocate) TOMBOLA_TRY(check_alignment(desc, handle));
            auto object = std::make_unique<Memory>(desc, from_handle(engine));
            object->handle = allocate ? nullptr : handle;
            if (allocate && desc.size_from_handle() > 0) {
                const size_t bytes = desc.size_from_handle();
                object->handle = aligned_malloc(bytes);
                if (object->handle == nullptr)
                    return Status(StatusCode::out_of_memory,
                                  format("%llu bytes could not be allocated", bytes));
                object->owned = true;
                // The bytes between the elements (padding, gaps) have a defined value from the start.
                if (!desc.is_row_major()) std::memset(object->handle, 0, bytes);
            }
            *memory = to_handle<tombola_memory_t>(object.release());
            return {};
        });
}

tombola_status_t tombola_memory_get_memory_desc(const_tombola_memory_t memory,
                                                const_tombola_memory_desc_t* memory_desc) {
    return api_call(
        "memory_get_memory_desc", {{memory, "memory"}, {memory_desc, "memory_desc"}},
        [&] { *memory_desc = to_handle<const_tombola_memory_desc_t>(&from_handle(memory)->desc); });
}

tombola_status_t tombola_memory_get_engine(const_tombola_memory_t memory,
                                           tombola_engine_t* engine) {
    return api_call("memory_get_engine", {{memory, "memory"}, {engine, "engine"}},
                    [&] { *engine = to_handle<tombola_engine_t>(from_handle(memory)->engine); });
}

tombola_status_t tombola_memory_get_data_handle(const_tombola_memory_t memory, void** handle) {
    return api_call("memory_get_data_handle", {{memory, "memory"}, {handle, "handle"}},
                    [&] { *handle = from_handle(memory)->handle; });
}

tombola_status_t tombola_memory_set_data_handle(tombola_memory_t memory, void* handle) {
    return api_call("memory_set_data_handle", {{memory, "memory"}}, [&]() -> Status {
        Memory& object = *from_handle(memory);
        if (handle == TOMBOLA_MEMORY_ALLOCATE)
            return invalid("handle is TOMBOLA_MEMORY_ALLOCATE; expected an address or NULL");
        TOMBOLA_TRY(check_alignment(object.desc, handle));
        if (handle == object.handle) return {};  // the object keeps the data that it owns
        free_data(object);
        object.handle = handle;
        return {};
    });
}

tombola_status_t tombola_memory_destroy(tombola_memory_t memory) {
    if (memory != nullptr) free_data(*from_handle(memory));
    delete from_handle(memory);
    return tombola_success;
}
