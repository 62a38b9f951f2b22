// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tensor in guarded memory, written and read in logical row-major order whatever its layout.
// Where an element lies is worked out here, from the descriptor's queries and the formula that the
// public header states, not by the library.

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gtests/common/guarded_buffer.hpp"
#include "gtests/common/handles.hpp"

namespace tombola::test {

struct Layout {
    DimVector dims, padded_dims, strides;
    size_t element_size = 0;
    tombola_dim_t offset0 = 0;
    int block_dim = -1;
    tombola_dim_t block = 1;

    explicit Layout(const_tombola_memory_desc_t desc) {
        int ndims = 0;
        int inner_nblks = 0;
        tombola_data_type_t type = tombola_data_type_undef;
        const tombola_dims_t* array = nullptr;
        const auto query = [&](tombola_query_t what, void* result) {
            EXPECT_EQ(tombola_memory_desc_query(desc, what, result), tombola_success)
                << last_error();
        };
        const auto query_dims = [&](tombola_query_t what) {
            query(what, &array);
            return DimVector(*array, *array + ndims);
        };
        query(tombola_query_ndims_s32, &ndims);
        query(tombola_query_data_type, &type);
        query(tombola_query_submemory_offset_s64, &offset0);
        query(tombola_query_inner_nblks_s32, &inner_nblks);
        element_size = tombola_data_type_size(type);
        dims = query_dims(tombola_query_dims);
        padded_dims = query_dims(tombola_query_padded_dims);
        strides = query_dims(tombola_query_strides);
        if (inner_nblks == 1) {
            query(tombola_query_inner_blks, &array);
            block = (*array)[0];
            query(tombola_query_inner_idxs, &array);
            block_dim = static_cast<int>((*array)[0]);
        }
    }

    tombola_dim_t offset(const DimVector& index) const {
        tombola_dim_t offset = offset0;
        for (size_t d = 0; d < dims.size(); ++d) {
            if (static_cast<int>(d) == block_dim)
                offset += index[d] / block * strides[d] + index[d] % block;
            else
                offset += index[d] * strides[d];
        }
        return offset;
    }

    // Whether the elements lie one behind the other in row-major order, from the first byte on, and nothing else does.
    bool is_dense() const {
        tombola_dim_t stride = 1;
        for (size_t d = dims.size(); d-- > 0; stride *= dims[d])
            if (strides[d] != stride || padded_dims[d] != dims[d]) return false;
        return offset0 == 0 && block_dim < 0;
    }
};

// Calls visit(index, e) for each index below dims, in row-major order; e counts.
template <class Visitor>
void for_each_index(const DimVector& dims, const Visitor& visit) {
    DimVector index(dims.size(), 0);
    for (const tombola_dim_t size : dims)
        if (size == 0) return;
    for (size_t e = 0;; ++e) {
        visit(index, e);
        size_t d = dims.size();
        while (d > 0 && ++index[d - 1] == dims[d - 1]) index[--d] = 0;
        if (d == 0) return;
    }
}

// The element at an index of the tensor whose memory begins at `data`.
inline uint8_t* element_at(const Layout& layout, uint8_t* data, const DimVector& index) {
    return data + static_cast<size_t>(layout.offset(index)) * layout.element_size;
}

// Elements as raw bytes in row-major order, to their places in memory and back.
inline void write_elements(const Layout& layout, uint8_t* data,
                           const std::vector<uint8_t>& values) {
    for_each_index(layout.dims, [&](const DimVector& index, size_t e) {
        std::memcpy(element_at(layout, data, index), &values[e * layout.element_size],
                    layout.element_size);
    });
}
inline std::vector<uint8_t> read_elements(const Layout& layout, uint8_t* data) {
    std::vector<uint8_t> values;
    for_each_index(layout.dims, [&](const DimVector& index, size_t) {
        const uint8_t* element = element_at(layout, data, index);
        values.insert(values.end(), element, element + layout.element_size);
    });
    return values;
}

class Tensor {
  public:
    Tensor(const_tombola_memory_desc_t desc, tombola_engine_t engine, Guard guard = Guard::behind)
        : layout_(desc), buffer_(tombola_memory_desc_get_size(desc), guard) {
        dense_ = layout_.is_dense() && buffer_.bytes() == count() * layout_.element_size;
        tombola_memory_create(memory_.out(), desc, engine, buffer_.data<void>());
        EXPECT_NE(memory_.get(), nullptr) << last_error();
    }

    tombola_memory_t memory() const { return memory_; }
    const Layout& layout() const { return layout_; }
    GuardedBuffer& buffer() { return buffer_; }
    size_t count() const {
        size_t n = 1;
        for (const tombola_dim_t size : layout_.dims) n *= static_cast<size_t>(size);
        return n;
    }

    // Elements as raw bytes, count() * element_size of them, in row-major order. Bytes of padding are set to
    // zero or to another value.
    void write(const std::vector<uint8_t>& values, uint8_t padding = 0) {
        if (dense_) {
            if (buffer_.bytes() > 0) std::memcpy(buffer_.data(), values.data(), buffer_.bytes());
            return;
        }
        for_each_index(layout_.padded_dims, [&](const DimVector& index, size_t) {
            std::memset(at(index), padding, layout_.element_size);
        });
        write_elements(layout_, buffer_.data(), values);
    }
    std::vector<uint8_t> read() const {
        if (dense_) return {buffer_.data(), buffer_.data() + buffer_.bytes()};
        return read_elements(layout_, buffer_.data());
    }
    template <class T>
    std::vector<T> read_as() const {
        const std::vector<uint8_t> bytes = read();
        std::vector<T> values(bytes.size() / sizeof(T));
        if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }

    bool padding_is_zero() const {
        if (dense_) return true;
        bool zero = true;
        for_each_index(layout_.padded_dims, [&](const DimVector& index, size_t) {
            for (size_t d = 0; d < index.size(); ++d) {
                if (index[d] < layout_.dims[d]) continue;
                for (size_t b = 0; b < layout_.element_size; ++b) zero = zero && at(index)[b] == 0;
                return;
            }
        });
        return zero;
    }

    // Whether the bytes that belong to no element and to no padding, around the tensor and in the
    // gaps of a strided one, still have the poison that they were created with.
    bool outside_is_intact() const {
        if (dense_) return buffer_.slack_is_intact();
        std::vector<bool> used(buffer_.bytes() / layout_.element_size);
        for_each_index(layout_.padded_dims, [&](const DimVector& index, size_t) {
            used[static_cast<size_t>(layout_.offset(index))] = true;
        });
        for (size_t byte = 0; byte < buffer_.bytes(); ++byte)
            if (!used[byte / layout_.element_size] &&
                buffer_.data()[byte] != GuardedBuffer::kPoison)
                return false;
        return buffer_.slack_is_intact();
    }

  private:
    uint8_t* at(const DimVector& index) const { return element_at(layout_, buffer_.data(), index); }

    Layout layout_;
    GuardedBuffer buffer_;
    Memory memory_;
    bool dense_;  // then memory and row-major order are the same, and large tensors need no walk
};

// Bytes that differ from one another as much as bytes can: a linear congruential sequence.
inline std::vector<uint8_t> test_bytes(size_t count, uint32_t seed = 1) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) {
        seed = seed * 1664525u + 1013904223u;  // Numerical Recipes
        byte = static_cast<uint8_t>(seed >> 24);
    }
    return bytes;
}

}  // namespace tombola::test
