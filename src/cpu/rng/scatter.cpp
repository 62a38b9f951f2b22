// SPDX-License-Identifier: Apache-2.0
#include "cpu/rng/scatter.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

#include "common/types.hpp"
#include "cpu/rng/vectors.hpp"

namespace tombola::impl::cpu {
namespace {

// Copies a run to a row of the tensor, or a row to a run. `stride` counts elements.
template <class T>
void copy(T* row, int64_t stride, const T* run, int64_t count) {
    if (stride == 1) {
        std::memcpy(row, run, static_cast<size_t>(count) * sizeof(T));
        return;
    }
    for (int64_t i = 0; i < count; ++i) row[i * stride] = run[i];
}
template <class T>
void copy(const T* row, int64_t stride, T* run, int64_t count) {
    if (stride == 1) {
        std::memcpy(run, row, static_cast<size_t>(count) * sizeof(T));
        return;
    }
    for (int64_t i = 0; i < count; ++i) run[i] = row[i * stride];
}

// Copies iterations [begin, end) of the fastest loop, to or from `run`. The type of the source, T or RunT, is const.
// `row` points to bytes.
template <class T, class RunT, class Byte>
void copy_row(const AxisStride& axis, Byte* row, int64_t begin, int64_t end, RunT* run) {
    const auto at = [&](int64_t i) { return reinterpret_cast<T*>(row + axis.offset(i)); };
    if (axis.is_plain())
        return copy(at(begin), axis.stride / static_cast<int64_t>(sizeof(T)), run, end - begin);
    while (begin < end) {
        const int64_t count = std::min(end - begin, axis.block - begin % axis.block);
        copy(at(begin), 1, run, count);
        begin += count;
        run += count;
    }
}

// A tile in a tensor or in a buffer. Steps count elements.
template <class T>
struct Matrix {
    T* data;
    int64_t row_step, column_step;
    T* at(int64_t row, int64_t column) const {
        return data + row * row_step + column * column_step;
    }
};

constexpr int64_t kLineBytes = 64;
// Eight rows of bytes, as in nChw8c, are copied by half vectors.
constexpr int64_t kHalfVectorRows = 8;
// The fewest rows that are copied by vectors.
int64_t min_rows(size_t element) {
    return std::min(kVectorBytes / static_cast<int64_t>(element), kHalfVectorRows);
}

// Reads a square of `count` vectors, `from_step` elements apart, and writes its transpose.
template <class T, int count>
[[gnu::always_inline]] inline void transpose_square(const T* from, int64_t from_step, T* to,
                                                    int64_t to_step) {
    Vector<T, count> rows[count];
    for (int i = 0; i < count; ++i) std::memcpy(&rows[i], from + i * from_step, sizeof rows[i]);
    transpose_vectors<T, count>(rows);
    for (int i = 0; i < count; ++i) std::memcpy(to + i * to_step, &rows[i], sizeof rows[i]);
}

// Copies a tile. In one matrix, which is part of a tensor, the rows lie side by side; in the other matrix, the columns do. The lines of the
// tensor that lie `ahead` elements further on are prefetched.
template <class T, int64_t kBytes = kVectorBytes>
[[gnu::always_inline]] inline void copy_tile(const Matrix<const T>& from, const Matrix<T>& to,
                                             int64_t rows, int64_t columns, int64_t ahead) {
    constexpr int kCount = kBytes / sizeof(T);
    const int64_t whole_rows = rows / kCount * kCount, whole_columns = columns / kCount * kCount;
    const bool gathers = from.row_step == 1;
    const int64_t from_step = gathers ? from.column_step : from.row_step;
    const int64_t to_step = gathers ? to.row_step : to.column_step;
    // Where 2 or 4 columns share a line, one of them is prefetched. `shared`: the bits of a column's number in the line.
    const int64_t column_bytes =
        (gathers ? from.column_step : to.column_step) * static_cast<int64_t>(sizeof(T));
    const int64_t shared = column_bytes * 4 <= kLineBytes   ? 3
                           : column_bytes * 2 <= kLineBytes ? 1
                                                            : 0;
    for (int64_t column = 0; column < whole_columns; column += kCount) {
        for (int64_t i = 0; i < kCount; ++i) {
            if ((i & shared) != 0) continue;
            if (gathers)
                __builtin_prefetch(from.at(0, column + i) + ahead, 0, 2);
            else
                __builtin_prefetch(to.at(0, column + i) + ahead, 1, 2);
        }
        for (int64_t row = 0; row < whole_rows; row += kCount)
            transpose_square<T, kCount>(from.at(row, column), from_step, to.at(row, column),
                                        to_step);
    }
    // 8 to 15 rows of bytes are left.
    if constexpr (kCount > kHalfVectorRows)
        if (rows - whole_rows >= kHalfVectorRows) {
            copy_tile<T, kBytes / 2>({from.at(whole_rows, 0), from.row_step, from.column_step},
                                     {to.at(whole_rows, 0), to.row_step, to.column_step},
                                     rows - whole_rows, columns, ahead);
            rows = whole_rows;
        }
    for (int64_t column = 0; column < columns; ++column)
        for (int64_t row = column < whole_columns ? whole_rows : 0; row < rows; ++row)
            *to.at(row, column) = *from.at(row, column);
}

// Writes a tile, whose rows lie densely in a buffer, to columns of a tensor that are `step` bytes apart. Not inlined: copy_tile() is, so
// that it knows which matrix is dense, and would be there twice.
template <class T>
[[gnu::noinline]] void write_tile(const T* from, char* to, int64_t step, int64_t rows,
                                  int64_t columns, int64_t ahead) {
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    copy_tile<T>({from, columns, 1}, {reinterpret_cast<T*>(to), 1, step / kSize}, rows, columns,
                 ahead / kSize);
}
// Reads a tile of the tensor into a buffer.
template <class T>
[[gnu::noinline]] void read_tile(const char* from, T* to, int64_t step, int64_t rows,
                                 int64_t columns, int64_t ahead) {
    constexpr auto kSize = static_cast<int64_t>(sizeof(T));
    copy_tile<T>({reinterpret_cast<const T*>(from), 1, step / kSize}, {to, columns, 1}, rows,
                 columns, ahead / kSize);
}

// Calls body(T{}) with an unsigned type of the element's size.
template <class Body>
void with_element_size(size_t size, const Body& body) {
    switch (size) {
        case 1:
            return body(uint8_t{});
        case 2:
            return body(uint16_t{});
        case 4:
            return body(uint32_t{});
        case 8:
            return body(uint64_t{});
    }
    assert(false && "an element has 1, 2, 4 or 8 bytes");
}

}  // namespace

RunCopier::RunCopier(const MemoryDesc& desc)
    : outer_(make_row_major_nest(desc)),
      row_(outer_.pop()),
      rows_(outer_.pop()),
      element_(size_of(desc.data_type)) {}

// A source computes a run in less time than several tiles. Rows at once gain more, but not in bands of so few elements (16 channels of 2 x 2
// pixels). Measured on Zen 4 alone.
TileLimits RunCopier::limits(int64_t capacity, const RowsAtOnce& at_once,
                             int64_t whole_rows) const {
    constexpr int64_t kMinBandAtOnce = 200;
    const bool rows_at_once = serves(at_once);
    TileLimits limits{capacity};
    limits.joined_below = rows_at_once ? kMinBandAtOnce : capacity;
    limits.whole_rows = rows_at_once ? 0 : whole_rows;
    return limits;
}

bool RunCopier::serves(const RowsAtOnce& at_once) const {
    return at_once.serves_rows_of(row_.count) && has_tiles() &&
           rows_side_by_side() >= at_once.min_rows;
}

bool RunCopier::has_tiles() const {
    const auto element = static_cast<int64_t>(element_);
    const AxisStride& rows = rows_.dst;
    return row_.dst.is_plain() && row_.dst.stride > element &&
           (rows.is_plain() ? rows.stride : rows.neighbour) == element &&
           rows_side_by_side() >= min_rows(element_);
}

// The number of neighbouring rows that lie side by side, from row `row` on.
int64_t RunCopier::rows_side_by_side(int64_t row) const {
    const int64_t left = rows_.count - row;
    return rows_.dst.is_plain() ? left : std::min(left, rows_.dst.block - row % rows_.dst.block);
}

int64_t RunCopier::rows_of_line(size_t element_bytes) {
    return kLineBytes / static_cast<int64_t>(element_bytes);
}

int64_t RunCopier::end_of_runs(int64_t multiple, int64_t capacity) const {
    if (!has_tiles()) return multiple;
    for (const int64_t bytes : {kLineBytes, kVectorBytes}) {
        const int64_t rows = bytes / static_cast<int64_t>(element_);
        if (row_.count > capacity / rows) continue;
        const int64_t elements = std::lcm(rows * row_.count, multiple);
        if (elements <= capacity) return elements;
    }
    return multiple;
}

// The number of rows of a tile: as many as a cache line has elements, a multiple of that if rows are short, or fewer whole rows.
int64_t RunCopier::rows_of_tile(const TileLimits& limits) const {
    const int64_t line = rows_of_line(element_), whole = limits.capacity / row_.count;
    const int64_t multiple = limits.whole_rows;
    if (multiple > 0 && whole < line && whole >= multiple) return whole / multiple * multiple;
    return std::max(line, whole / line * line);
}

int64_t RunCopier::columns_of_tile(int64_t rows, int64_t columns, int64_t capacity) {
    constexpr int64_t kMultiple = 32;  // whole blocks of the streams
    if (rows * columns <= capacity) return columns;
    assert(rows * kMultiple <= capacity);
    return capacity / rows / kMultiple * kMultiple;
}

// The band of the next rows that lie side by side. If they are too few, or if the range does not begin with a row, the next run instead.
Tile RunCopier::band_at(int64_t first, int64_t left, int64_t capacity) const {
    const int64_t length = row_.count, column = first % length;
    const auto run = [&](int64_t limit) {
        const int64_t count = std::min({left, capacity, limit});
        return Tile{first, 1, count, count, first};
    };
    if (!has_tiles()) return run(left);
    if (column != 0) return run(length - column);
    const int64_t rows = std::min(left / length, rows_side_by_side(first / length % rows_.count));
    if (rows < min_rows(element_)) return run(rows > 0 ? rows * length : left);
    return {first, rows, length, length, first};
}

// The run of whole bands from this one on, to the end of its image or over whole images, as far as it fits into `capacity` elements. The
// first band may be the rest of a block.
Tile RunCopier::joined(const Tile& band, int64_t left, int64_t capacity) const {
    const int64_t image = row_.count * rows_.count, at = band.first % image;
    const int64_t whole = rows_.dst.is_plain() ? image : row_.count * rows_.dst.block;
    const int64_t count =
        at == 0 && image <= capacity
            ? capacity / image * image
            : std::min((capacity - band.elements()) / whole * whole + band.elements(), image - at);
    return {band.first, 1, std::min(count, left), std::min(count, left), band.first};
}

bool RunCopier::is_side_by_side(const Tile& tile) const {
    if (!has_tiles() || tile.rows == 1 || tile.distance != row_.count) return false;
    const int64_t row = tile.first / row_.count % rows_.count;
    return tile.first % row_.count + tile.columns <= row_.count &&
           tile.rows <= rows_side_by_side(row);
}

// The address of an element.
template <class Byte>
Byte* RunCopier::address(Byte* data, int64_t number) const {
    const int64_t row = number / row_.count;
    return data + LoopCursor(outer_, row / rows_.count).dst() +
           rows_.dst.offset(row % rows_.count) + row_.dst.offset(number % row_.count);
}

Columns<char> RunCopier::columns(void* data, const Tile& tile) const {
    auto* bytes = static_cast<char*>(data);
    char* at = address(bytes, tile.first);
    return {at, row_.dst.stride, address(bytes, tile.next) - at};
}

Columns<const char> RunCopier::columns(const void* data, const Tile& tile) const {
    const auto* bytes = static_cast<const char*>(data);
    const char* at = address(bytes, tile.first);
    return {at, row_.dst.stride, address(bytes, tile.next) - at};
}

// Splits a run. Calls on_rows(place, rows, at) for whole rows that lie side by side, from the byte `place` of the tensor on, and
// on_row(place, begin, end, at) for the columns from `begin` to `end` of any other row. `at` counts elements from the start of the run.
template <class OnRows, class OnRow>
void RunCopier::for_each_row(int64_t first, int64_t count, const OnRows& on_rows,
                             const OnRow& on_row) const {
    const bool tiles = has_tiles();
    const int64_t fewest = min_rows(element_);
    const Division row = divide(first, row_.count), image = divide(row.quotient, rows_.count);
    LoopCursor cursor(outer_, image.quotient);
    int64_t number = image.rest, column = row.rest;
    for (int64_t at = 0; at < count; number = 0, cursor.next())
        while (number < rows_.count && at < count) {
            const int64_t place = cursor.dst() + rows_.dst.offset(number);
            if (tiles && column == 0) {
                const int64_t rows = std::min((count - at) / row_.count, rows_side_by_side(number));
                if (rows >= fewest) {
                    on_rows(place, rows, at);
                    at += rows * row_.count;
                    number += rows;
                    continue;
                }
            }
            const int64_t end = std::min(row_.count, column + count - at);
            on_row(place, column, end, at);
            at += end - column;
            column = 0;
            ++number;
        }
}

void RunCopier::scatter(void* data, int64_t first, int64_t count, const void* from) const {
    with_element_size(element_, [&](auto type) {
        using T = decltype(type);
        const auto* run = static_cast<const T*>(from);
        auto* const bytes = static_cast<char*>(data);
        for_each_row(
            first, count,
            [&](int64_t place, int64_t rows, int64_t at) {
                write_tile(run + at, bytes + place, row_.dst.stride, rows, row_.count, 0);
            },
            [&](int64_t place, int64_t begin, int64_t end, int64_t at) {
                copy_row<T>(row_.dst, bytes + place, begin, end, run + at);
            });
    });
}

void RunCopier::gather(const void* data, int64_t first, int64_t count, void* to) const {
    with_element_size(element_, [&](auto type) {
        using T = decltype(type);
        auto* run = static_cast<T*>(to);
        const auto* const bytes = static_cast<const char*>(data);
        for_each_row(
            first, count,
            [&](int64_t place, int64_t rows, int64_t at) {
                read_tile(bytes + place, run + at, row_.dst.stride, rows, row_.count, 0);
            },
            [&](int64_t place, int64_t begin, int64_t end, int64_t at) {
                copy_row<const T>(row_.dst, bytes + place, begin, end, run + at);
            });
    });
}

void RunCopier::scatter(void* data, const Tile& tile, const void* from) const {
    if (!is_side_by_side(tile))
        return for_each_run(tile, [&](int64_t first, int64_t count, int64_t at) {
            scatter(data, first, count,
                    static_cast<const char*>(from) + static_cast<size_t>(at) * element_);
        });
    const Columns<char> to = columns(data, tile);
    with_element_size(element_, [&](auto type) {
        write_tile(static_cast<const decltype(type)*>(from), to.at, to.step, tile.rows,
                   tile.columns, to.ahead);
    });
}

void RunCopier::gather(const void* data, const Tile& tile, void* to) const {
    if (!is_side_by_side(tile))
        return for_each_run(tile, [&](int64_t first, int64_t count, int64_t at) {
            gather(data, first, count, static_cast<char*>(to) + static_cast<size_t>(at) * element_);
        });
    const Columns<const char> from = columns(data, tile);
    with_element_size(element_, [&](auto type) {
        read_tile(from.at, static_cast<decltype(type)*>(to), from.step, tile.rows, tile.columns,
                  from.ahead);
    });
}

}  // namespace tombola::impl::cpu
