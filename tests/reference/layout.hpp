// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the elements of a tensor lie in memory, worked out from a layout's name alone.
//
// The element with logical index i lies at
//     sum over d of (i[d] / block(d)) * strides[d] + i[block_dim] % block
// elements from the first, where block(d) is `block` for the blocked dimension, if any, and 1 for the others.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tombola::reference {

using Dims = std::vector<int64_t>;

struct Layout {
    Dims dims;
    Dims padded_dims;  // the blocked dimension rounded up to whole blocks
    Dims strides;      // of the blocked dimension: from block to block
    int block_dim = -1;
    int64_t block = 1;

    int ndims() const { return static_cast<int>(dims.size()); }
    int64_t count() const;  // logical elements
    int64_t span()
        const;  // elements from the first to behind the last, padding included; 0 if there are none
    int64_t offset(const Dims& index) const;
    bool is_row_major() const;  // element e of the logical order lies at offset e, without padding
    std::string to_string() const;

    static Layout row_major(const Dims& dims);
    // Letters of dimensions, outermost first, as from expand_tag().
    static Layout from_letters(const std::string& letters, const Dims& dims);
};
bool operator==(const Layout& a, const Layout& b);
inline bool operator!=(const Layout& a, const Layout& b) { return !(a == b); }

// A layout's name in letters of dimensions.
//   abx, axb, xba, aBx16b   x stands for the dimensions behind b, as many as there are
//   nchw, nChw16c, oihw     further names
//   acdb, aBcd16b           letters already
struct Tag {
    enum class Kind {
        plain,      // a permutation
        blocked,    // one dimension in blocks
        other,      // well formed, but with more blocks than a Layout can tell
        malformed,  // not a name for this number of dimensions
    };
    Kind kind;
    std::string letters;
};
Tag expand_tag(const std::string& name, int ndims);

// Logical row-major order -> memory. Padding becomes zero; what lies between the elements stays as it is.
void pack(const Layout& layout, size_t element_size, const void* logical, void* physical);
// Memory -> logical row-major order.
void unpack(const Layout& layout, size_t element_size, const void* physical, void* logical);

// The logical index of element e of the row-major order.
Dims index_of(const Dims& dims, int64_t element);

}  // namespace tombola::reference
