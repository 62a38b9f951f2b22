// SPDX-License-Identifier: Apache-2.0
#pragma once

// Masks of one bit per element: element i has bit i % 8 of byte i / 8. A dense piece of a mask begins at bit 0.

#include <cstdint>

namespace tombola::impl::cpu {

// Writes `count` bits of a dense piece to `bits` from bit `first` on. All other bits of `bits` stay as they are.
void put_bits(uint8_t* bits, int64_t first, int64_t count, const uint8_t* dense);
// Reads `count` bits of `bits` from bit `first` on into a dense piece.
void get_bits(const uint8_t* bits, int64_t first, int64_t count, uint8_t* dense);

// Several rows of a mask. The elements of a row are neighbours in the mask. In a tensor they are columns, and the rows lie side by side.
struct MaskRows {
    int64_t first;     // the number of the first element of the first row
    int64_t distance;  // from row to row, in numbers of elements
    int64_t rows, columns;
};

// Writes the bits of rows from bytes, 0 or 1, in the order of the tensor: the columns are `step` bytes apart, a multiple of 8. The bytes of a
// column beyond its rows may have any values.
void put_rows_of_bits(uint8_t* bits, const MaskRows& rows, const uint8_t* bytes, int64_t step);
// Reads the bits of rows in the order of the tensor: the columns of the dense piece are `step` bits apart, which is 4 or a multiple of 8. The
// bits of a column beyond its rows are zeros.
void get_rows_of_bits(const uint8_t* bits, const MaskRows& rows, int64_t step, uint8_t* dense);
// The maximum number of columns of either function.
inline constexpr int64_t kMaxMaskColumns = 1024;

}  // namespace tombola::impl::cpu
