// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a tensor is: logical dimensions, data type, and how logical indices map to memory.
//
// The element with logical index i lies at element offset
//
//     offset0 + sum over d of i[d] * strides[d]                                    (plain)
//     offset0 + sum over d of (i[d] / block(d)) * strides[d] + i[block_dim] % block  (blocked)
//
// from the data handle. block(d) is `block` for the one blocked dimension and 1 for the others. strides[block_dim] is
// the distance between neighbouring blocks. padded_dims rounds the blocked dimension up to whole blocks. The elements
// beyond dims are padding, which every primitive writes as zeros.

#include <array>
#include <cstdint>
#include <string>

#include "common/status.hpp"
#include "common/types.hpp"

namespace tombola::impl {

enum class FormatKind {
    undef = tombola_format_kind_undef,
    any = tombola_format_kind_any,
    blocked = tombola_blocked,
};

using Dims = std::array<dim_t, kMaxDims>;

constexpr dim_t kMaxBlock = 64;

struct MemoryDesc {
    int ndims = 0;
    DataType data_type = DataType::undef;
    FormatKind format_kind = FormatKind::undef;
    int block_dim = -1;  // -1: plain
    dim_t block = 1;
    dim_t offset0 = 0;
    Dims dims{};
    Dims padded_dims{};
    Dims strides{};

    // Each of these checks its arguments. The message of a failure names the argument.
    static Result<MemoryDesc> from_tag(int ndims, const dim_t* dims, DataType type,
                                       tombola_format_tag_t tag);
    // If strides is null, the layout is row-major.
    static Result<MemoryDesc> from_strides(int ndims, const dim_t* dims, DataType type,
                                           const dim_t* strides);
    // The caller gives the whole layout. block is 1 for a layout without blocks.
    static Result<MemoryDesc> from_block(int ndims, const dim_t* dims, DataType type,
                                         const dim_t* strides, int block_dim, dim_t block,
                                         dim_t offset);
    Result<MemoryDesc> submemory(const dim_t* sub_dims, const dim_t* offsets) const;
    Result<MemoryDesc> reshape(int new_ndims, const dim_t* new_dims) const;
    Result<MemoryDesc> permute_axes(const int* permutation) const;

    // A row-major tensor. The caller has checked its size.
    static MemoryDesc row_major(int ndims, const dim_t* dims, DataType type);
    // A row-major tensor of one dimension.
    static MemoryDesc vector(DataType type, dim_t count) { return row_major(1, &count, type); }

    bool is_empty() const { return ndims == 0; }
    bool is_any() const { return format_kind == FormatKind::any; }
    bool is_blocked() const { return block_dim >= 0; }
    bool has_zero_dim() const;
    bool has_padding() const;
    dim_t nelems() const;         // the number of elements of the logical tensor
    dim_t padded_nelems() const;  // the number of elements, padding included
    // Whether the elements, padding included, fill size() bytes without a gap.
    bool is_dense() const;
    // Dense and in logical order: element e of the row-major order lies at offset e.
    bool is_row_major() const;
    // Bytes from the first to the last element, offset0 not counted; 0 for an empty tensor.
    size_t size() const;
    // Bytes from the data handle to the last element, offset0 counted.
    size_t size_from_handle() const;
    // Offset in elements of an index below padded_dims, offset0 not counted.
    dim_t offset_of(const Dims& index) const;

    // As verbose mode prints it: "f32::blocked:aBcd16b:f0".
    std::string to_string() const;
};

inline bool same_dims(const MemoryDesc& a, const MemoryDesc& b) {
    return a.ndims == b.ndims && a.dims == b.dims;
}
// Whether data types and dimensions are equal and every element lies at the same distance from the first one. offset0
// is not compared.
bool same_layout(const MemoryDesc& a, const MemoryDesc& b);
bool operator==(const MemoryDesc& a, const MemoryDesc& b);
inline bool operator!=(const MemoryDesc& a, const MemoryDesc& b) { return !(a == b); }
uint64_t hash_of(const MemoryDesc& desc);

// "2x16x7x7".
std::string dims_to_string(int ndims, const dim_t* dims);
inline std::string dims_to_string(const MemoryDesc& desc) {
    return dims_to_string(desc.ndims, desc.dims.data());
}

}  // namespace tombola::impl
