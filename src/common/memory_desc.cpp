// SPDX-License-Identifier: Apache-2.0
#include "common/memory_desc.hpp"

#include <algorithm>
#include <numeric>

#include "common/format_tag.hpp"
#include "common/hash.hpp"
#include "common/insertion_sort.hpp"

namespace tombola::impl {
namespace {

// The number of steps of strides[d] along dimension d: its blocks if it is the blocked dimension, otherwise its
// elements.
dim_t steps(const MemoryDesc& desc, int d) {
    return d == desc.block_dim ? desc.padded_dims[d] / desc.block : desc.padded_dims[d];
}

Status check_shape(int ndims, const dim_t* dims, DataType type) {
    if (ndims < 0 || ndims > kMaxDims)
        return invalid("ndims is %d; expected 0 to %d", ndims, kMaxDims);
    if (ndims > 0 && dims == nullptr) return invalid("dims is null; expected %d sizes", ndims);
    for (int d = 0; d < ndims; ++d) {
        if (dims[d] == TOMBOLA_RUNTIME_DIM_VAL)
            return invalid("dims[%d] is a run-time dimension; expected a size that is known now",
                           d);
        if (dims[d] < 0)
            return invalid("dims[%d] is %lld; expected a size of at least 0", d, dims[d]);
    }
    if (ndims > 0 && !is_valid(type))
        return invalid("data_type is %d; expected one of tombola_data_type_t",
                       static_cast<int>(type));
    return {};
}

// The limit is beyond every address. It leaves headroom for 64-bit offset arithmetic.
constexpr dim_t kMaxBytes = dim_t{1} << 56;

// Checks the size of the tensor, padding included, and each stride, even one along a dimension of size 1. The strides
// of a tensor without elements are not used, so they are not checked.
Status check_size(const MemoryDesc& desc) {
    const dim_t limit = kMaxBytes / static_cast<dim_t>(size_of(desc.data_type));
    const auto too_large = [&] {
        return invalid("dims are %s; expected a tensor of less than 2^56 bytes",
                       dims_to_string(desc).c_str());
    };
    dim_t elements = 1;
    dim_t last = desc.block - 1;
    for (int d = 0; d < desc.ndims; ++d) {
        dim_t reach = 0;
        const dim_t extent = std::max<dim_t>(desc.padded_dims[d], 1);
        if (__builtin_mul_overflow(elements, extent, &elements) || elements >= limit)
            return too_large();
        if (desc.has_zero_dim()) continue;
        if (desc.strides[d] >= limit)
            return invalid("strides[%d] is %lld; expected less than 2^56 bytes", d,
                           desc.strides[d]);
        if (__builtin_mul_overflow(std::max<dim_t>(steps(desc, d), 1) - 1, desc.strides[d],
                                   &reach) ||
            __builtin_add_overflow(last, reach, &last) || last >= limit - 1)
            return too_large();
    }
    return {};
}

// The dimensions from the outermost to the innermost, that is, by descending stride.
std::array<int, kMaxDims> physical_order(const MemoryDesc& desc) {
    std::array<int, kMaxDims> order{};
    std::iota(order.begin(), order.begin() + desc.ndims, 0);
    insertion_sort(order.begin(), order.begin() + desc.ndims, [&](int a, int b) {
        if (desc.strides[a] != desc.strides[b]) return desc.strides[a] > desc.strides[b];
        return steps(desc, a) > steps(desc, b);
    });
    return order;
}

// Refuses strides with which two elements could share an address. Each stride must be at least the number of elements
// that a block and the smaller strides span.
Status check_strides(const MemoryDesc& desc) {
    const auto order = physical_order(desc);
    dim_t span = desc.block;
    for (int i = desc.ndims - 1; i >= 0; --i) {
        const int d = order[i];
        if (steps(desc, d) <= 1) continue;
        if (desc.strides[d] < span)
            return invalid(
                "strides[%d] is %lld; expected at least %lld, so that no two elements "
                "share an address",
                d, desc.strides[d], span);
        span += (steps(desc, d) - 1) * desc.strides[d];
    }
    return {};
}

// A plain tensor whose strides are still 0.
MemoryDesc with_shape(int ndims, const dim_t* dims, DataType type) {
    MemoryDesc desc;
    desc.ndims = ndims;
    desc.data_type = type;
    desc.format_kind = FormatKind::blocked;
    std::copy_n(dims, ndims, desc.dims.begin());
    desc.padded_dims = desc.dims;
    return desc;
}

// Cuts dimension d into blocks.
Status set_block(MemoryDesc& desc, int d, dim_t block) {
    dim_t padded = 0;
    if (__builtin_add_overflow(desc.dims[d], block - 1, &padded))
        return invalid("dims[%d] is %lld; expected a tensor of less than 2^56 bytes", d,
                       desc.dims[d]);
    desc.block_dim = d;
    desc.block = block;
    desc.padded_dims[d] = padded / block * block;
    return {};
}

}  // namespace

Result<MemoryDesc> MemoryDesc::from_tag(int ndims, const dim_t* dims, DataType type,
                                        tombola_format_tag_t tag) {
    TOMBOLA_TRY(check_shape(ndims, dims, type));
    if (ndims == 0) return MemoryDesc();
    if (tag_name(tag) == nullptr)
        return invalid("tag is %d; expected one of tombola_format_tag_t", static_cast<int>(tag));
    MemoryDesc desc = with_shape(ndims, dims, type);
    if (tag == tombola_format_tag_any) {
        desc.format_kind = FormatKind::any;
        TOMBOLA_TRY(check_size(desc));
        return desc;
    }

    const TagLayout layout = tag_layout(tag);
    if (layout.ndims != ndims)
        return invalid("tag %s has %d dimensions; expected %d, the number of dims", tag_name(tag),
                       layout.ndims, ndims);
    if (layout.block_dim >= 0) TOMBOLA_TRY(set_block(desc, layout.block_dim, layout.block));
    TOMBOLA_TRY(check_size(desc));  // the strides are still 0: this bounds the products below
    dim_t stride = desc.block;
    for (int i = ndims - 1; i >= 0; --i) {
        const int d = layout.order[i];
        desc.strides[d] = stride;
        stride *= std::max<dim_t>(steps(desc, d), 1);
    }
    return desc;
}

Result<MemoryDesc> MemoryDesc::from_strides(int ndims, const dim_t* dims, DataType type,
                                            const dim_t* strides) {
    if (strides != nullptr) return from_block(ndims, dims, type, strides, 0, 1, 0);
    TOMBOLA_TRY(check_shape(ndims, dims, type));
    if (ndims == 0) return MemoryDesc();
    TOMBOLA_TRY(check_size(with_shape(ndims, dims, type)));
    return row_major(ndims, dims, type);
}

MemoryDesc MemoryDesc::row_major(int ndims, const dim_t* dims, DataType type) {
    MemoryDesc desc = with_shape(ndims, dims, type);
    dim_t stride = 1;
    for (int d = ndims - 1; d >= 0; --d) {
        desc.strides[d] = stride;
        stride *= std::max<dim_t>(dims[d], 1);
    }
    return desc;
}

Result<MemoryDesc> MemoryDesc::from_block(int ndims, const dim_t* dims, DataType type,
                                          const dim_t* strides, int block_dim, dim_t block,
                                          dim_t offset) {
    TOMBOLA_TRY(check_shape(ndims, dims, type));
    if (ndims == 0) return MemoryDesc();
    if (strides == nullptr) return invalid("strides is null; expected %d distances", ndims);
    if (block < 1 || block > kMaxBlock || (block & (block - 1)) != 0)
        return invalid("block is %lld; expected a power of two from 1 to %lld", block, kMaxBlock);
    if (block > 1 && (block_dim < 0 || block_dim >= ndims))
        return invalid("block_dim is %d; expected 0 to %d", block_dim, ndims - 1);
    MemoryDesc desc = with_shape(ndims, dims, type);
    if (block > 1) TOMBOLA_TRY(set_block(desc, block_dim, block));
    TOMBOLA_TRY(check_size(desc));
    for (int d = 0; d < ndims; ++d) {
        if (strides[d] == TOMBOLA_RUNTIME_DIM_VAL)
            return invalid("strides[%d] is a run-time stride; expected a number that is known now",
                           d);
        if (strides[d] < 0)
            return invalid("strides[%d] is %lld; expected at least 0", d, strides[d]);
        desc.strides[d] = strides[d];
    }
    TOMBOLA_TRY(check_size(desc));
    if (!desc.has_zero_dim()) TOMBOLA_TRY(check_strides(desc));
    const dim_t element = static_cast<dim_t>(size_of(type));
    if (offset < 0 || offset > (kMaxBytes - 1 - static_cast<dim_t>(desc.size())) / element)
        return invalid(
            "offset is %lld; expected at least 0, and a tensor that ends before 2^56 bytes",
            offset);
    desc.offset0 = offset;
    return desc;
}

Result<MemoryDesc> MemoryDesc::submemory(const dim_t* sub_dims, const dim_t* offsets) const {
    if (format_kind != FormatKind::blocked)
        return invalid("parent has no layout; expected strides or a tag other than any");
    MemoryDesc desc = *this;
    for (int d = 0; d < ndims; ++d) {
        const dim_t size = sub_dims[d];
        const dim_t offset = offsets[d];
        if (size < 0 || offset < 0 || size > dims[d] || offset > dims[d] - size)
            return invalid("dims[%d] is %lld at offset %lld; expected a box inside 0 to %lld", d,
                           size, offset, dims[d]);
        const dim_t step = d == block_dim ? block : 1;
        const bool to_the_end = offset + size == dims[d];
        if (offset % step != 0 || (size % step != 0 && !to_the_end))
            return unimplemented(
                "dims[%d] is %lld at offset %lld; expected borders at multiples "
                "of the block of %lld",
                d, size, offset, step);
        desc.dims[d] = size;
        desc.padded_dims[d] = (size + step - 1) / step * step;
        if (!has_zero_dim()) desc.offset0 += offset / step * strides[d];
    }
    return desc;
}

Result<MemoryDesc> MemoryDesc::reshape(int new_ndims, const dim_t* new_dims) const {
    TOMBOLA_TRY(check_shape(new_ndims, new_dims, data_type));
    if (is_any()) {
        Result<MemoryDesc> desc = from_tag(new_ndims, new_dims, data_type, tombola_format_tag_any);
        if (desc.ok() && desc.value().nelems() != nelems())
            return invalid("dims are %s; expected %lld element%s",
                           dims_to_string(new_ndims, new_dims).c_str(), nelems(), plural(nelems()));
        return desc;
    }
    if (is_blocked()) return invalid("in_memory_desc is blocked; expected a plain layout");

    MemoryDesc desc;
    if (new_ndims > 0) {
        desc = with_shape(new_ndims, new_dims, data_type);
        TOMBOLA_TRY(check_size(desc));
    }
    desc.offset0 = offset0;
    if (desc.nelems() != nelems())
        return invalid("dims are %s; expected %lld element%s", dims_to_string(desc).c_str(),
                       nelems(), plural(nelems()));
    if (nelems() == 0) return from_strides(new_ndims, new_dims, data_type, nullptr);

    // Walk both shapes from the innermost dimension. A run of contiguous old dimensions is one long dimension of `run`
    // elements at `stride`. New dimensions are cut from it.
    int old_d = ndims - 1;
    dim_t run = 1;
    dim_t stride = 1;
    const auto next_run = [&] {
        while (old_d >= 0 && dims[old_d] == 1) --old_d;
        if (old_d < 0) return;
        stride = strides[old_d];
        run = dims[old_d--];
        while (old_d >= 0 && (dims[old_d] == 1 || strides[old_d] == stride * run))
            run *= dims[old_d--];
    };
    next_run();
    for (int d = new_ndims - 1; d >= 0; --d) {
        if (run == 1 && new_dims[d] != 1) next_run();
        if (new_dims[d] != 1 && run % new_dims[d] != 0)
            return invalid(
                "dims are %s; expected dimensions that join or split those of the "
                "strided layout without a copy",
                dims_to_string(new_ndims, new_dims).c_str());
        // In front of all dimensions with several elements the stride is not used, but it must stay below the limit.
        desc.strides[d] = std::min(stride, kMaxBytes / static_cast<dim_t>(size_of(data_type)) - 1);
        stride *= new_dims[d];
        run /= new_dims[d];
    }
    return desc;
}

Result<MemoryDesc> MemoryDesc::permute_axes(const int* permutation) const {
    MemoryDesc desc = *this;
    unsigned seen = 0;
    for (int d = 0; d < ndims; ++d) {
        const int to = permutation[d];
        if (to < 0 || to >= ndims || (seen >> to & 1u) != 0)
            return invalid("permutation[%d] is %d; expected each of 0 to %d once", d, to,
                           ndims - 1);
        seen |= 1u << to;
        desc.dims[to] = dims[d];
        desc.padded_dims[to] = padded_dims[d];
        desc.strides[to] = strides[d];
        if (d == block_dim) desc.block_dim = to;
    }
    return desc;
}

bool MemoryDesc::has_zero_dim() const {
    return std::find(dims.begin(), dims.begin() + ndims, 0) != dims.begin() + ndims;
}

bool MemoryDesc::has_padding() const {
    return is_blocked() && padded_dims[block_dim] != dims[block_dim];
}

dim_t MemoryDesc::nelems() const {
    if (ndims == 0) return 0;
    return std::accumulate(dims.begin(), dims.begin() + ndims, dim_t{1}, std::multiplies<>());
}

dim_t MemoryDesc::padded_nelems() const {
    if (ndims == 0) return 0;
    return std::accumulate(padded_dims.begin(), padded_dims.begin() + ndims, dim_t{1},
                           std::multiplies<>());
}

size_t MemoryDesc::size() const {
    if (ndims == 0 || format_kind != FormatKind::blocked || has_zero_dim()) return 0;
    dim_t last = block - 1;
    for (int d = 0; d < ndims; ++d) last += (steps(*this, d) - 1) * strides[d];
    return static_cast<size_t>(last + 1) * size_of(data_type);
}

size_t MemoryDesc::size_from_handle() const {
    return size() == 0 ? 0 : static_cast<size_t>(offset0) * size_of(data_type) + size();
}

bool MemoryDesc::is_dense() const {
    return static_cast<size_t>(padded_nelems()) * size_of(data_type) == size();
}

bool MemoryDesc::is_row_major() const {
    if (has_padding() || format_kind != FormatKind::blocked) return false;
    dim_t stride = 1;
    for (int d = ndims - 1; d >= 0; --d) {
        // A blocked layout is row-major if all dimensions after the blocked one have one element and the blocks are adjacent.
        const bool blocked = d == block_dim;
        if (blocked && stride != 1) return false;
        if (dims[d] != (blocked ? block : 1) && strides[d] != (blocked ? block : stride))
            return false;
        stride *= dims[d];
    }
    return true;
}

dim_t MemoryDesc::offset_of(const Dims& index) const {
    dim_t offset = 0;
    for (int d = 0; d < ndims; ++d) {
        if (d == block_dim)
            offset += index[d] / block * strides[d] + index[d] % block;
        else
            offset += index[d] * strides[d];
    }
    return offset;
}

std::string MemoryDesc::to_string() const {
    if (ndims == 0) return "undef::undef:::";
    std::string text = name_of(data_type);
    if (is_any()) return text + "::any:::f0";
    text += "::blocked:";
    const auto order = physical_order(*this);
    for (int i = 0; i < ndims; ++i)
        text += static_cast<char>((order[i] == block_dim ? 'A' : 'a') + order[i]);
    if (is_blocked()) text += std::to_string(block) + static_cast<char>('a' + block_dim);
    text += ':';
    if (!is_dense()) text += dims_to_string(ndims, strides.data());
    return text + ":f0";
}

bool same_layout(const MemoryDesc& a, const MemoryDesc& b) {
    if (a.ndims != b.ndims || a.data_type != b.data_type || a.format_kind != b.format_kind ||
        a.block_dim != b.block_dim || a.block != b.block)
        return false;
    for (int d = 0; d < a.ndims; ++d) {
        if (a.dims[d] != b.dims[d] || a.padded_dims[d] != b.padded_dims[d]) return false;
        // The stride of a dimension with a single step is not used.
        if (a.strides[d] != b.strides[d] && steps(a, d) > 1) return false;
    }
    return true;
}

bool operator==(const MemoryDesc& a, const MemoryDesc& b) {
    return a.offset0 == b.offset0 && same_layout(a, b);
}

uint64_t hash_of(const MemoryDesc& desc) {
    uint64_t hash = hash_combine(static_cast<uint64_t>(desc.ndims), desc.data_type,
                                 desc.format_kind, desc.block_dim, desc.block);
    for (int d = 0; d < desc.ndims; ++d)
        hash = hash_combine(hash, desc.dims[d], steps(desc, d) > 1 ? desc.strides[d] : 0);
    return hash;
}

std::string dims_to_string(int ndims, const dim_t* dims) {
    if (ndims == 0) return "none";
    std::string text;
    for (int d = 0; d < ndims; ++d) {
        if (d > 0) text += 'x';
        text += std::to_string(dims[d]);
    }
    return text;
}

}  // namespace tombola::impl
