// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies dense runs of elements, in logical row-major order, to their places in a tensor of any layout, and back.
//
// In a transposed layout, neighbouring elements of a run are far apart. In nhwc, the pixels of a channel are far apart, and channels lie
// side by side. A tile has the same columns of several rows, for example the same pixels of 16 channels. So it fills whole cache lines.
//
// A row is the fastest loop of make_row_major_nest(), for example the pixels of a channel. A band is a set of neighbouring rows that lie
// side by side.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "common/memory_desc.hpp"
#include "common/parallel.hpp"
#include "cpu/loop_nest.hpp"

namespace tombola::impl::cpu {

// Some columns of neighbouring rows. In a buffer the rows lie densely, one after the other.
struct Tile {
    int64_t first;     // the number of its first element
    int64_t rows;      // 1: a run of elements, which may go on in further rows
    int64_t columns;   // of each row
    int64_t distance;  // from row to row, in numbers of elements
    int64_t next;      // the first element of the next tile, whose lines are prefetched

    int64_t elements() const { return rows * columns; }
    void skip_rows(int64_t count) {
        first += count * distance;
        rows -= count;
    }
};

// Calls body(first, count, at) for each run of a tile. Element 0 of the run is element `at` of the tile.
template <class Body>
void for_each_run(const Tile& tile, const Body& body) {
    if (tile.rows == 1 || tile.distance == tile.columns)
        return body(tile.first, tile.elements(), int64_t{0});
    for (int64_t row = 0; row < tile.rows; ++row)
        body(tile.first + row * tile.distance, tile.columns, row * tile.columns);
}

// How many rows a source computes at once, column by column: `min_rows` or `max_rows`. It then writes a tile where the tile lies.
struct RowsAtOnce {
    int64_t min_rows = 1, max_rows = 1;  // 1: it computes no more than one row at once
    // Each row of a tile begins at a multiple of this many elements, and its length is a multiple of it too.
    int64_t columns = 1;

    bool serves_rows_of(int64_t elements) const { return min_rows > 1 && elements % columns == 0; }
    bool serves(const Tile& tile) const {
        return serves_rows_of(tile.columns) && tile.rows >= min_rows &&
               tile.distance % columns == 0 && tile.first % columns == 0;
    }
    // How many of the next `rows` rows it computes at once. 0: they are too few.
    int64_t next_of(int64_t rows) const {
        return rows >= max_rows ? max_rows : rows >= min_rows ? min_rows : 0;
    }
};

// The place of a tile whose rows lie side by side in a tensor. Byte is char or const char.
template <class Byte>
struct Columns {
    Byte* at = nullptr;  // the first element of the first row
    int64_t step = 0;    // bytes from column to column
    int64_t ahead = 0;   // distance in bytes to the next tile, whose lines are prefetched

    Columns row(int64_t number, int64_t element_bytes) const {
        return {at + number * element_bytes, step, ahead};
    }
};

// What bounds the tiles of a range.
struct TileLimits {
    int64_t capacity;                                    // the maximum number of elements of a tile
    int64_t rows = std::numeric_limits<int64_t>::max();  // the maximum number of its rows
    // Whole bands of fewer elements than this are joined to a run, which is a tile of one row. 0: none are.
    int64_t joined_below = 0;
    // Tiles have whole rows if at least this many fit, even if these do not fill a cache line. Then a tile is a single run of its source.
    // 0: never.
    int64_t whole_rows = 0;
};

// Copies many runs of one tensor. The tensor must have elements.
class RunCopier {
  public:
    explicit RunCopier(const MemoryDesc& desc);
    // Writes elements [first, first + count), which lie densely at `from`, into the tensor at `data`.
    void scatter(void* data, int64_t first, int64_t count, const void* from) const;
    // Reads elements [first, first + count) of the tensor at `data` into a dense run at `to`.
    void gather(const void* data, int64_t first, int64_t count, void* to) const;

    // The same for a tile. The tile may come from another tensor of the same dimensions.
    void scatter(void* data, const Tile& tile, const void* from) const;
    void gather(const void* data, const Tile& tile, void* to) const;

    // The limits for a source that may compute several rows at once. If it does not, tiles have whole rows if `whole_rows` rows or more fit.
    TileLimits limits(int64_t capacity, const RowsAtOnce& at_once, int64_t whole_rows) const;
    // Whether a source that computes several rows at once serves the tensor's rows: enough lie side by side, and they are whole columns().
    bool serves(const RowsAtOnce& at_once) const;
    // Whether the rows of a tile lie side by side in this tensor. If so, columns() has their place.
    bool is_side_by_side(const Tile& tile) const;
    Columns<char> columns(void* data, const Tile& tile) const;
    Columns<const char> columns(const void* data, const Tile& tile) const;

    // Whether neighbouring rows lie side by side, so that tiles of several rows are faster than runs.
    bool has_tiles() const;
    // How many rows lie side by side, at most.
    int64_t rows_side_by_side() const { return rows_side_by_side(0); }
    int64_t row_elements() const { return row_.count; }
    // Whether a tile of whole rows that fill a cache line has more elements than this.
    bool has_long_rows(int64_t capacity) const {
        return has_tiles() &&
               row_.count * std::min(rows_of_line(element_), rows_side_by_side()) > capacity;
    }
    // How many rows that lie side by side fill a cache line.
    static int64_t rows_of_line(size_t element_bytes);
    // Runs should end at multiples of this many elements, which is itself a multiple of `multiple`: after as many neighbouring rows as fill
    // a cache line, or else a vector. A run that ended elsewhere would write lines in parts. Returns `multiple` if that many rows exceed
    // `capacity`.
    int64_t end_of_runs(int64_t multiple, int64_t capacity) const;
    // Calls body(tile) for tiles which together cover the range. Tiles are in the order of the tensor in memory, not in ascending order of
    // their elements: all rows of some columns, but at most `limits.rows` rows, come before the next columns.
    template <class Body>
    void for_each_tile(Range range, const TileLimits& limits, const Body& body) const {
        const int64_t capacity = limits.capacity;
        for (int64_t at = range.begin; at < range.end;) {
            Tile band = band_at(at, range.end - at, capacity);
            if (band.rows > 1 && band.elements() < limits.joined_below)
                band = joined(band, range.end - at, capacity);
            band.rows = std::min(band.rows, limits.rows);
            const int64_t rows = std::min(band.rows, rows_of_tile(limits));
            const int64_t columns = columns_of_tile(rows, band.columns, capacity);
            for (int64_t column = 0; column < band.columns; column += columns)
                for (int64_t row = 0; row < band.rows; row += rows) {
                    const int64_t first = at + row * band.distance + column;
                    const int64_t next = row + rows < band.rows ? first + rows * band.distance
                                         : column + columns < band.columns
                                             ? at + column + columns
                                             : std::min(at + band.elements(), range.end - 1);
                    body(Tile{first, std::min(rows, band.rows - row),
                              std::min(columns, band.columns - column), band.distance, next});
                }
            at += band.elements();
        }
    }

  private:
    int64_t rows_side_by_side(int64_t row) const;
    int64_t rows_of_tile(const TileLimits& limits) const;
    static int64_t columns_of_tile(int64_t rows, int64_t columns, int64_t capacity);
    Tile band_at(int64_t first, int64_t left, int64_t capacity) const;
    Tile joined(const Tile& band, int64_t left, int64_t capacity) const;
    template <class Byte>
    Byte* address(Byte* data, int64_t number) const;
    template <class OnRows, class OnRow>
    void for_each_row(int64_t first, int64_t count, const OnRows& on_rows,
                      const OnRow& on_row) const;

    LoopNest outer_;   // all loops but the two fastest, whose steps would cost more than short rows
    Loop row_, rows_;  // the fastest loop and the next one
    size_t element_;
};

// The maximum number of rows of the tensor's tiles. 1: it has no tiles of several rows.
inline int64_t rows_of_tiles(const MemoryDesc& desc) {
    if (desc.nelems() == 0) return 1;
    const RunCopier copier(desc);
    return copier.has_tiles() ? copier.rows_side_by_side() : 1;
}

// Like the functions of RunCopier, for a single run.
inline void scatter(const MemoryDesc& desc, void* data, int64_t first, int64_t count,
                    const void* from) {
    RunCopier(desc).scatter(data, first, count, from);
}
inline void gather(const MemoryDesc& desc, const void* data, int64_t first, int64_t count,
                   void* to) {
    RunCopier(desc).gather(data, first, count, to);
}

}  // namespace tombola::impl::cpu
