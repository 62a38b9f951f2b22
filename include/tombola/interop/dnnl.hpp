// SPDX-License-Identifier: Apache-2.0

/// @file
/// oneDNN and tombola in one program. Memory descriptors are converted both ways, and memory objects of both libraries
/// refer to the same data without a copy. It serves oneDNN's C++ API of the 2.x and the 3.x line.
///
/// A layout that one side cannot express is refused with an exception that gives the reason. tombola cannot express
/// more than one block (OIhw4i16o4i), blocks that are no power of two up to 64, elements that share an address, opaque
/// formats, run-time dimensions, and data that oneDNN appends to the tensor (oneDNN 3 does not tell of such data in a
/// submemory). oneDNN cannot express a blocked layout that its public API has no name for, and refuses some strides.
/// The data types that are converted are
/// f16, bf16, f32, s32, s8, u8 and, with oneDNN 3, f64.

#ifndef TOMBOLA_INTEROP_DNNL_HPP
#define TOMBOLA_INTEROP_DNNL_HPP

#ifdef TOMBOLA_COMPAT_DNNL_TYPES_H
#error \
    "tombola's compatibility headers and oneDNN's own headers are both included: \
take tombola/compat out of the include path and use tombola/interop/dnnl.hpp beside oneDNN"
#endif

#include <oneapi/dnnl/dnnl_debug.h>
#include <oneapi/dnnl/dnnl.hpp>

#ifdef TOMBOLA_COMPAT_DNNL_TYPES_H
#error \
    "tombola's compatibility headers and oneDNN's own headers are both included: \
take tombola/compat out of the include path and use tombola/interop/dnnl.hpp beside oneDNN"
#endif

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tombola/tombola.hpp"

/// oneDNN beside tombola.
namespace tombola::interop {

/// @cond
namespace detail {

// The properties of a layout that both libraries know.
struct layout {
    enum class kind { empty, any, blocked, other };
    kind format = kind::other;
    int data_type = 0;  // dnnl_data_type_t
    memory::dim offset = 0;
    memory::dims dims, padded_dims, padded_offsets, strides, inner_blks, inner_idxs;
    size_t size = 0;
    bool has_extras = false;
};

// {5, 2}
inline std::string text_of(const memory::dims& values) {
    std::string text;
    for (const memory::dim value : values)
        text += (text.empty() ? "{" : ", ") + std::to_string(value);
    return text + "}";
}

[[noreturn]] inline void refuse(const std::string& message) {
    error::raise(tombola_unimplemented, "interop: " + message);
}

// From a descriptor with the getters of oneDNN 3.
template <class Desc>
layout from_getters(const Desc& desc) {
    layout result;
    if (desc.is_zero()) {
        result.format = layout::kind::empty;
        return result;
    }
    using format_kind = decltype(desc.get_format_kind());
    result.data_type = static_cast<int>(desc.get_data_type());
    result.dims = desc.get_dims();
    if (desc.get_format_kind() == format_kind::any) result.format = layout::kind::any;
    if (desc.get_format_kind() != format_kind::blocked) return result;
    result.format = layout::kind::blocked;
    result.offset = desc.get_submemory_offset();
    result.padded_dims = desc.get_padded_dims();
    result.padded_offsets = desc.get_padded_offsets();
    result.strides = desc.get_strides();
    result.inner_blks = desc.get_inner_blks();
    result.inner_idxs = desc.get_inner_idxs();
    result.size = desc.get_size();
    return result;
}

#if DNNL_VERSION_MAJOR >= 3
inline layout read(const dnnl::memory::desc& desc) { return from_getters(desc); }
#else
inline layout read(const dnnl::memory::desc& desc) {
    layout result;
    const auto& data = desc.data;
    const auto vector = [](const dnnl_dim_t* from, int count) {
        return memory::dims(from, from + count);
    };
    if (data.ndims == 0) {
        result.format = layout::kind::empty;
        return result;
    }
    result.data_type = static_cast<int>(data.data_type);
    result.dims = vector(data.dims, data.ndims);
    if (data.format_kind == dnnl_format_kind_any) result.format = layout::kind::any;
    if (data.format_kind != dnnl_blocked) return result;
    const auto& blocking = data.format_desc.blocking;
    result.format = layout::kind::blocked;
    result.offset = data.offset0;
    result.padded_dims = vector(data.padded_dims, data.ndims);
    result.padded_offsets = vector(data.padded_offsets, data.ndims);
    result.strides = vector(blocking.strides, data.ndims);
    result.inner_blks = vector(blocking.inner_blks, blocking.inner_nblks);
    result.inner_idxs = vector(blocking.inner_idxs, blocking.inner_nblks);
    result.size = desc.get_size();
    result.has_extras = data.extra.flags != 0;
    return result;
}
#endif

inline memory::data_type type_from_dnnl(int type) {
    switch (type) {
        case static_cast<int>(dnnl::memory::data_type::f16):
            return memory::data_type::f16;
        case static_cast<int>(dnnl::memory::data_type::bf16):
            return memory::data_type::bf16;
        case static_cast<int>(dnnl::memory::data_type::f32):
            return memory::data_type::f32;
        case static_cast<int>(dnnl::memory::data_type::s32):
            return memory::data_type::s32;
        case static_cast<int>(dnnl::memory::data_type::s8):
            return memory::data_type::s8;
        case static_cast<int>(dnnl::memory::data_type::u8):
            return memory::data_type::u8;
#if DNNL_VERSION_MAJOR >= 3
        case static_cast<int>(dnnl::memory::data_type::f64):
            return memory::data_type::f64;
#endif
        default:
            refuse(std::string("data type ") + dnnl_dt2str(static_cast<dnnl_data_type_t>(type)) +
                   " of oneDNN is not converted; expected one of f16, bf16, f32, s32, s8, u8" +
                   (DNNL_VERSION_MAJOR >= 3 ? ", f64" : ""));
    }
}

inline dnnl::memory::data_type type_to_dnnl(memory::data_type type) {
    switch (type) {
        case memory::data_type::f16:
            return dnnl::memory::data_type::f16;
        case memory::data_type::bf16:
            return dnnl::memory::data_type::bf16;
        case memory::data_type::f32:
            return dnnl::memory::data_type::f32;
        case memory::data_type::s32:
            return dnnl::memory::data_type::s32;
        case memory::data_type::s8:
            return dnnl::memory::data_type::s8;
        case memory::data_type::u8:
            return dnnl::memory::data_type::u8;
#if DNNL_VERSION_MAJOR >= 3
        case memory::data_type::f64:
            return dnnl::memory::data_type::f64;
#endif
        default:
            refuse(std::string("data type ") +
                   tombola_dt2str(static_cast<tombola_data_type_t>(type)) +
                   " is none of this oneDNN's");
    }
}

// The bytes that oneDNN counts for a tensor without further data after it: outermost step times its stride.
inline size_t bytes_without_extras(const layout& from, size_t element) {
    memory::dim block = 1, elements = 1;
    for (const memory::dim b : from.inner_blks) block *= b;
    for (size_t d = 0; d < from.dims.size(); ++d) {
        if (from.dims[d] == 0) return 0;
        memory::dim steps = from.padded_dims[d];
        for (size_t i = 0; i < from.inner_blks.size(); ++i)
            if (from.inner_idxs[i] == static_cast<memory::dim>(d)) steps /= from.inner_blks[i];
        elements = std::max(elements, steps * (steps == 1 ? 1 : from.strides[d]));
    }
    return static_cast<size_t>(elements == 1 ? block : elements) * element;
}

inline void refuse_runtime(const memory::dims& values, const char* name) {
    for (size_t d = 0; d < values.size(); ++d)
        if (values[d] == DNNL_RUNTIME_DIM_VAL)
            refuse(name + std::to_string(d) +
                   " is DNNL_RUNTIME_DIM_VAL; tombola has no run-time dimensions");
}

inline memory::desc desc_from(const layout& from, memory::data_type type) {
    if (from.format == layout::kind::empty) return {};
    refuse_runtime(from.dims, "the size of dimension ");
    refuse_runtime(from.strides, "the stride of dimension ");
    if (from.format == layout::kind::any) return {from.dims, type, memory::format_tag::any};
    if (from.format != layout::kind::blocked)
        refuse("the memory descriptor's format is neither strided nor blocked");
    for (const memory::dim offset : from.padded_offsets)
        if (offset != 0) refuse("the tensor is padded in front; tombola pads behind");
    if (from.inner_blks.size() > 1)
        refuse("the memory descriptor has " + std::to_string(from.inner_blks.size()) +
               " inner blocks; tombola has layouts with one");
    const bool blocked = from.inner_blks.size() == 1;
    const memory::dim block = blocked ? from.inner_blks[0] : 1;
    const int block_dim = blocked ? static_cast<int>(from.inner_idxs[0]) : 0;
    if (block > 64 || (block & (block - 1)) != 0)
        refuse("the memory descriptor has blocks of " + std::to_string(block) +
               "; tombola has those of a power of two up to 64");
    for (size_t d = 0; d < from.dims.size(); ++d) {
        const memory::dim step = static_cast<int>(d) == block_dim ? block : 1;
        const memory::dim padded = (from.dims[d] + step - 1) / step * step;
        if (from.padded_dims[d] != padded)
            refuse("dimension " + std::to_string(d) + " of size " + std::to_string(from.dims[d]) +
                   " is padded to " + std::to_string(from.padded_dims[d]) +
                   "; tombola pads to whole blocks, here " + std::to_string(padded));
    }
    const size_t element = memory::data_type_size(type);
    if (from.has_extras || from.size > bytes_without_extras(from, element) +
                                           static_cast<size_t>(from.offset) * element)
        refuse("oneDNN keeps further data behind the tensor (compensation)");
    const memory::desc made = memory::desc::with_block(from.dims, type, from.strides, block_dim,
                                                       block, from.offset, /*allow_empty=*/true);
    if (!made) refuse(tombola_get_last_error());
    return made;
}

}  // namespace detail
/// @endcond

/// @addtogroup tombola_cpp_interop
/// Memory descriptors converted, and memory objects over the same data. Declared by tombola/interop/dnnl.hpp.
/// @{

/// The descriptor of the same tensor in the same layout.
/// @param desc oneDNN's descriptor: empty, any, or blocked with at most one inner block.
/// @return tombola's descriptor, submemory offset included.
/// @throws tombola::error with status unimplemented and the reason, for what tombola cannot express.
inline memory::desc from_dnnl(const dnnl::memory::desc& desc) {
    const detail::layout from = detail::read(desc);
    if (from.format == detail::layout::kind::empty) return {};
    return detail::desc_from(from, detail::type_from_dnnl(from.data_type));
}

/// The descriptor of the same tensor in the same layout.
///
/// oneDNN's public API makes strided layouts, and blocked layouts by name. A blocked layout must have 3 to 5 dimensions
/// without gaps, in any logical order; the blocked dimension is the second in memory, in blocks of 4, 8, 16 or 32.
///
/// @param desc tombola's descriptor, without a submemory offset (to_dnnl() of a memory object also takes one with an
///     offset).
/// @return oneDNN's descriptor.
/// @throws tombola::error with status unimplemented and the reason, for what oneDNN cannot express.
inline dnnl::memory::desc to_dnnl(const memory::desc& desc) {
    using tag = dnnl::memory::format_tag;
    if (desc.is_zero()) return {};
    const auto dims = desc.get_dims();
    const auto type = detail::type_to_dnnl(desc.get_data_type());
    if (desc.get_format_kind() == memory::format_kind::any) return {dims, type, tag::any};
    if (desc.get_submemory_offset() != 0)
        detail::refuse("the memory descriptor has a submemory offset; convert the memory object");
    const auto strides = desc.get_strides();
    if (desc.get_inner_nblks() == 0) {
        const dnnl::memory::desc made(dims, type, strides, /*allow_empty=*/true);
        if (!made) detail::refuse("oneDNN refuses the strides " + detail::text_of(strides));
        return made;
    }

    // The layout is made by name with the dimensions in memory order. Then they are permuted to their logical order.
    const size_t n = dims.size();
    const memory::dim block = desc.get_inner_blks()[0];
    const tag tags[3][4] = {{tag::aBc4b, tag::aBc8b, tag::aBc16b, tag::aBc32b},
                            {tag::aBcd4b, tag::aBcd8b, tag::aBcd16b, tag::aBcd32b},
                            {tag::aBcde4b, tag::aBcde8b, tag::aBcde16b, tag::aBcde32b}};
    if (n >= 3 && n <= 5 && block >= 4 && block <= 32) {
        const auto blocked = static_cast<int>(desc.get_inner_idxs()[0]);
        std::vector<int> order(n);
        std::iota(order.begin(), order.end(), 0);
        // Of two dimensions with the same stride, the inner one has size 1.
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            const auto i = static_cast<size_t>(a), k = static_cast<size_t>(b);
            return strides[i] != strides[k] ? strides[i] > strides[k] : dims[i] > dims[k];
        });
        // A dimension of one block may stand anywhere among those with its stride.
        order.erase(std::find(order.begin(), order.end(), blocked));
        order.insert(order.begin() + 1, blocked);
        memory::dims in_memory;
        for (const int d : order) in_memory.push_back(dims[static_cast<size_t>(d)]);
        const dnnl::memory::desc named(in_memory, type,
                                       tags[n - 3][block == 4    ? 0
                                                   : block == 8  ? 1
                                                   : block == 16 ? 2
                                                                 : 3]);
        const dnnl::memory::desc result = named.permute_axes(order);
        if (from_dnnl(result) == desc) return result;
    }
    detail::refuse("oneDNN's API has no name for this layout in blocks of " +
                   std::to_string(block));
}

/// A memory object of tombola over the data of a memory object of oneDNN. Nothing is copied. The data still belongs to
/// oneDNN's memory object, which must outlive the use of the result.
/// @param mem oneDNN's memory object, of a CPU engine.
/// @param aengine tombola's engine.
/// @return tombola's memory object.
/// @throws tombola::error as from_dnnl() of a descriptor; for an engine other than a CPU's.
inline memory from_dnnl(const dnnl::memory& mem, const engine& aengine) {
    if (mem.get_engine().get_kind() != dnnl::engine::kind::cpu)
        detail::refuse("the memory object is not of a CPU engine");
    return memory(from_dnnl(mem.get_desc()), aengine, mem.get_data_handle());
}

/// A memory object of oneDNN over the data of a memory object of tombola. Nothing is copied. The data still belongs to
/// tombola's memory object, which must outlive the use of the result.
/// @param mem tombola's memory object. A submemory offset becomes part of the address.
/// @param aengine oneDNN's engine, of a CPU.
/// @return oneDNN's memory object.
/// @throws tombola::error as to_dnnl() of a descriptor.
inline dnnl::memory to_dnnl(const memory& mem, const dnnl::engine& aengine) {
    if (aengine.get_kind() != dnnl::engine::kind::cpu) detail::refuse("the engine is not a CPU's");
    memory::desc desc = mem.get_desc();
    auto* data = static_cast<char*>(mem.get_data_handle());
    if (const memory::dim offset = desc.get_submemory_offset(); offset != 0) {
        const bool blocked = desc.get_inner_nblks() != 0;
        if (data != nullptr)
            data += static_cast<size_t>(offset) * memory::data_type_size(desc.get_data_type());
        desc = memory::desc::with_block(desc.get_dims(), desc.get_data_type(), desc.get_strides(),
                                        blocked ? static_cast<int>(desc.get_inner_idxs()[0]) : 0,
                                        blocked ? desc.get_inner_blks()[0] : 1);
    }
    return dnnl::memory(to_dnnl(desc), aengine, data);
}

/// @}

}  // namespace tombola::interop

#endif
