// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/mask_bits.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "cpu/rng/vectors.hpp"

namespace tombola::impl::cpu {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "bit 0 of a word is in its first byte");

// Rows and columns are handled in squares of this many.
constexpr int64_t kSquare = 8;
// The bytes of a row.
constexpr int64_t kRowBytes = kMaxMaskColumns / 8;

uint64_t load_u64(const uint8_t* from) {
    uint64_t value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

void store_u64(uint8_t* to, uint64_t value) { std::memcpy(to, &value, sizeof value); }

// Pieces of rows are words of this many columns.
constexpr int64_t kWordColumns = 64;

using Bytes = Vector<uint8_t>;
using Words = Vector<uint64_t>;

template <int half>
[[gnu::always_inline]] inline Bytes interleave_bytes(Bytes a, Bytes b) {
    return interleave<half, uint8_t, kVectorBytes>(a, b);
}

// Transposes two squares of 8 x 8 bits: bit 8i + j becomes bit 8j + i. Each step exchanges two halves of squares of bits.
[[gnu::always_inline]] inline Bytes transpose_bits(Bytes squares) {
    auto x = reinterpret_cast<Words>(squares);
    const auto exchange = [&](int distance, uint64_t lower) {
        const Words differences = (x ^ (x >> distance)) & lower;
        x ^= differences ^ (differences << distance);
    };
    exchange(7, 0x00AA00AA00AA00AA);
    exchange(14, 0x0000CCCC0000CCCC);
    exchange(28, 0x00000000F0F0F0F0);
    return reinterpret_cast<Bytes>(x);
}

// The bits of 8 rows of up to 64 columns: a byte for each column. Word i is of row i.
struct ColumnBytes {
    Bytes columns[4];
    explicit ColumnBytes(const uint64_t (&rows)[kSquare]);
};

// The bytes of the words are transposed first, then the bits of each 8 bytes.
[[gnu::always_inline]] inline ColumnBytes::ColumnBytes(const uint64_t (&rows)[kSquare]) {
    Bytes apart_4[4], apart_2[4];  // interleaved: rows i and i + 4; then four rows that are 2 apart
    for (int i = 0; i < 4; ++i)
        apart_4[i] = interleave_bytes<0>(reinterpret_cast<Bytes>(Words{rows[i]}),
                                         reinterpret_cast<Bytes>(Words{rows[i + 4]}));
    const auto interleave_all = [](const Bytes(&from)[4], Bytes(&to)[4]) {
        for (int i = 0; i < 2; ++i) {
            to[2 * i] = interleave_bytes<0>(from[i], from[i + 2]);
            to[2 * i + 1] = interleave_bytes<1>(from[i], from[i + 2]);
        }
    };
    interleave_all(apart_4, apart_2);
    interleave_all(apart_2, columns);
    for (Bytes& bytes : columns) bytes = transpose_bits(bytes);
}

// The bits of 16 rows of up to 64 columns: two bytes for each column.
struct ColumnBytePairs {
    Bytes columns[8];
    ColumnBytePairs(const ColumnBytes& first, const ColumnBytes& second) {
        for (int i = 0; i < 4; ++i) {
            columns[2 * i] = interleave_bytes<0>(first.columns[i], second.columns[i]);
            columns[2 * i + 1] = interleave_bytes<1>(first.columns[i], second.columns[i]);
        }
    }
};

// Reads words of the rows of a mask. Nothing is read beyond the byte that has the last bit of the last row.
class RowWords {
  public:
    RowWords(const uint8_t* bits, const MaskRows& rows)
        : bits_(bits),
          rows_(rows),
          bytes_((rows.first + (rows.rows - 1) * rows.distance + rows.columns + 7) / 8) {}

    // The columns from `column` on, at most 64. What follows the last column of the row may have any values. Rows beyond the last one are zeros.
    uint64_t at(int64_t row, int64_t column) const {
        if (row >= rows_.rows) return 0;
        const int64_t first = rows_.first + row * rows_.distance + column, byte = first / 8;
        const auto shift = static_cast<unsigned>(first % 8);
        constexpr auto kBytes = static_cast<int64_t>(sizeof(uint64_t));
        if (byte + kBytes < bytes_)
            return load_u64(bits_ + byte) >> shift | uint64_t{bits_[byte + kBytes]} << 1
                                                                                    << (63 - shift);
        if (bytes_ >= kBytes)  // the last word of the mask has them all
            return load_u64(bits_ + bytes_ - kBytes) >> (first - 8 * (bytes_ - kBytes));
        uint8_t word[kBytes] = {};
        get_bits(bits_, first, std::min(kWordColumns, rows_.columns - column), word);
        return load_u64(word);
    }

    [[gnu::always_inline]] ColumnBytes square(int64_t row, int64_t column) const {
        uint64_t words[kSquare];
        for (int64_t i = 0; i < kSquare; ++i) words[i] = at(row + i, column);
        return ColumnBytes(words);
    }

  private:
    const uint8_t* bits_;
    const MaskRows& rows_;
    int64_t bytes_;
};

// The bits of 4 rows of up to 64 columns: half a byte for each column.
struct ColumnHalfBytes {
    uint8_t columns[kWordColumns / 2];
    ColumnHalfBytes(const RowWords& words, int64_t column);
};

// The upper halves of the words become 4 more rows, so a byte has columns i and 32 + i.
[[gnu::always_inline]] inline ColumnHalfBytes::ColumnHalfBytes(const RowWords& words,
                                                               int64_t column) {
    using Pairs = Vector<uint16_t>;
    constexpr int64_t kRows = 4, kPairs = 8;
    uint64_t rows[kSquare];
    for (int64_t i = 0; i < kRows; ++i) {
        rows[i] = words.at(i, column);
        rows[i + kRows] = rows[i] >> 32;
    }
    const ColumnBytes bytes(rows);
    const auto store = [&](Pairs halves, int64_t place) {
        const auto joined = __builtin_convertvector(halves, Vector<uint8_t, kPairs>);
        std::memcpy(columns + place * kPairs, &joined, sizeof joined);
    };
    for (int64_t i = 0; i < 2; ++i) {
        const auto pairs = reinterpret_cast<Pairs>(bytes.columns[i]);
        store((pairs & 0x0F) | (pairs >> 4 & 0xF0), i);
        store((pairs >> 4 & 0x0F) | (pairs >> 8 & 0xF0), 2 + i);
    }
}

}  // namespace

void put_bits(uint8_t* bits, int64_t first, int64_t count, const uint8_t* dense) {
    const auto shift = static_cast<unsigned>(first % 8);
    uint8_t* to = bits + first / 8;
    uint64_t left = to[0] & ((1u << shift) - 1);  // the bits before the next ones, fewer than 8
    for (; count >= 64; count -= 64, dense += 8, to += 8) {
        const uint64_t next = load_u64(dense);
        store_u64(to, left | next << shift);
        left = next >> 8 >> (56 - shift);
    }
    for (; count >= 8; count -= 8, ++dense, ++to) {
        left |= uint64_t{*dense} << shift;
        *to = static_cast<uint8_t>(left);
        left >>= 8;
    }
    auto rest = static_cast<unsigned>(count);
    if (rest != 0) left |= (*dense & ((uint64_t{1} << rest) - 1)) << shift;
    for (rest += shift; rest > 0; rest -= std::min(rest, 8u), ++to, left >>= 8) {
        const uint64_t kept = rest < 8 ? ~uint64_t{0} << rest : 0;
        *to = static_cast<uint8_t>((*to & kept) | (left & ~kept));
    }
}

void get_bits(const uint8_t* bits, int64_t first, int64_t count, uint8_t* dense) {
    const auto shift = static_cast<unsigned>(first % 8);
    const uint8_t* from = bits + first / 8;
    // The bits of a word may end in a ninth byte.
    for (; count >= 64 + 8; count -= 64, from += 8, dense += 8)
        store_u64(dense, load_u64(from) >> shift | uint64_t{from[8]} << 1 << (63 - shift));
    for (; count > 0; count -= 8, ++from, ++dense) {
        const bool crosses = shift + std::min<int64_t>(count, 8) > 8;
        *dense = static_cast<uint8_t>((from[0] | (crosses ? from[1] << 8 : 0)) >> shift);
    }
}

void put_rows_of_bits(uint8_t* bits, const MaskRows& rows, const uint8_t* bytes, int64_t step) {
    assert(rows.columns <= kMaxMaskColumns && step % kSquare == 0);
    uint8_t dense[kSquare][kRowBytes];
    for (int64_t row = 0; row < rows.rows; row += kSquare) {
        for (int64_t column = 0; column < rows.columns; column += kSquare) {
            const int64_t count = std::min(kSquare, rows.columns - column);
            uint64_t square = 0;  // a byte per row
            for (int64_t i = 0; i < count; ++i)
                square |= load_u64(bytes + (column + i) * step + row) << i;
            for (int64_t i = 0; i < kSquare; ++i)
                dense[i][column / 8] = static_cast<uint8_t>(square >> (8 * i));
        }
        for (int64_t i = 0; i < std::min(kSquare, rows.rows - row); ++i)
            put_bits(bits, rows.first + (row + i) * rows.distance, rows.columns, dense[i]);
    }
}

void get_rows_of_bits(const uint8_t* bits, const MaskRows& rows, int64_t step, uint8_t* dense) {
    assert(rows.columns <= kMaxMaskColumns && (step == 4 || step % kSquare == 0));
    const RowWords words(bits, rows);
    for (int64_t column = 0; column < rows.columns; column += kWordColumns) {
        const int64_t count = std::min(kWordColumns, rows.columns - column);
        uint8_t* to = dense + column * step / 8;
        // Copies the bits of some rows, from row `row` on: kBytes bytes for each column.
        const auto copy = [&](const auto& columns, int64_t row, auto bytes_of_column) {
            constexpr int64_t kBytes = bytes_of_column;
            if (step == 8 * kBytes) {
                std::memcpy(to, &columns, static_cast<size_t>(kBytes * count));
                return;
            }
            uint8_t all[kBytes * kWordColumns];
            std::memcpy(all, &columns, sizeof all);
            for (int64_t i = 0; i < count; ++i)
                std::memcpy(to + (i * step + row) / 8, all + kBytes * i, kBytes);
        };
        if (step == 4) {
            const ColumnHalfBytes columns(words, column);
            std::memcpy(to, &columns, static_cast<size_t>((count + 1) / 2));
            continue;
        }
        int64_t row = 0;
        for (; row + 2 * kSquare <= step; row += 2 * kSquare)
            copy(ColumnBytePairs(words.square(row, column), words.square(row + kSquare, column)),
                 row, std::integral_constant<int64_t, 2>());
        if (row < step) copy(words.square(row, column), row, std::integral_constant<int64_t, 1>());
    }
}

}  // namespace tombola::impl::cpu
