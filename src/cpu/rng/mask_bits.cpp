// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/mask_bits.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>

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

// Transposes 8 x 8 bits: bit 8i + j becomes bit 8j + i. Each step exchanges two halves of squares of bits.
uint64_t transpose_bits(uint64_t x) {
    const auto exchange = [&](int distance, uint64_t lower) {
        const uint64_t differences = (x ^ (x >> distance)) & lower;
        x ^= differences ^ (differences << distance);
    };
    exchange(7, 0x00AA00AA00AA00AA);
    exchange(14, 0x0000CCCC0000CCCC);
    exchange(28, 0x00000000F0F0F0F0);
    return x;
}

// Moves bit i of 16 bits to bit 4i. Each step moves the upper half of every group of bits.
uint64_t spread_by_4(uint64_t x) {
    x = (x | x << 24) & 0x000000FF000000FF;
    x = (x | x << 12) & 0x000F000F000F000F;
    x = (x | x << 6) & 0x0303030303030303;
    return (x | x << 3) & 0x1111111111111111;
}

// get_rows_of_bits() with columns of 4 bits.
void get_rows_of_4(const uint8_t* bits, const MaskRows& rows, uint8_t* dense) {
    constexpr int64_t kRows = 4, kColumns = 16;
    uint8_t row_bits[kRows][kRowBytes] = {};
    for (int64_t i = 0; i < rows.rows; ++i)
        get_bits(bits, rows.first + i * rows.distance, rows.columns, row_bits[i]);
    for (int64_t column = 0; column < rows.columns; column += kColumns) {
        uint64_t columns = 0;
        for (int64_t i = 0; i < kRows; ++i) {
            uint16_t row;
            std::memcpy(&row, row_bits[i] + column / 8, sizeof row);
            columns |= spread_by_4(row) << i;
        }
        const int64_t bytes = (std::min(rows.columns - column, kColumns) + 1) / 2;
        std::memcpy(dense + column / 2, &columns, static_cast<size_t>(bytes));
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
    if (step == 4) return get_rows_of_4(bits, rows, dense);
    uint8_t row_bits[kSquare][kRowBytes];
    for (int64_t row = 0; row < step; row += kSquare) {
        const int64_t count = std::clamp(rows.rows - row, int64_t{0}, kSquare);
        if (count < kSquare) std::memset(row_bits, 0, sizeof row_bits);
        for (int64_t i = 0; i < count; ++i)
            get_bits(bits, rows.first + (row + i) * rows.distance, rows.columns, row_bits[i]);
        for (int64_t column = 0; column < rows.columns; column += kSquare) {
            uint64_t square = 0;
            for (int64_t i = 0; i < kSquare; ++i)
                square |= uint64_t{row_bits[i][column / 8]} << (8 * i);
            square = transpose_bits(square);
            uint8_t* to = dense + (column * step + row) / 8;
            const auto store_bytes = [&](int64_t count) {
                for (int64_t i = 0; i < count; ++i)
                    to[i * step / 8] = static_cast<uint8_t>(square >> (8 * i));
            };
            // A constant count makes straight code.
            rows.columns - column >= kSquare ? store_bytes(kSquare)
                                             : store_bytes(rows.columns - column);
        }
    }
}

}  // namespace tombola::impl::cpu
