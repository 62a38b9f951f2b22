// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/vec_traits.hpp"

// A transpose of N rows and N columns, where N units fill a lane of 16 bytes. Rows may overlap in memory, and of the
// columns any number may be stored. Register i of N/2 has row i in its low lane and row i + N/2 in its high lane:
//
//   unpack    log2(N/2) times over all: register 2j + h = half h of the registers j and j + N/4, unit by unit
//   permute   the two pieces of 8 bytes in the middle change places: columns 2j and 2j + 1
//
// N = 4 (the letter is the row, the digit the column):
//
//   loads   a0 a1 a2 a3 | c0 c1 c2 c3    unpacked   a0 b0 a1 b1 | c0 d0 c1 d1    permuted   a0 b0 c0 d0 | a1 b1 c1 d1
//           b0 b1 b2 b3 | d0 d1 d2 d3               a2 b2 a3 b3 | c2 d2 c3 d3               a2 b2 c2 d2 | a3 b3 c3 d3
//
// So bytes of 16 rows cost four shuffles for each register, whatever the number of rows and columns.

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kVectorBytes = 32, kWorking = 12;

class UnpackLowering : public Lowering {
  public:
    explicit UnpackLowering(const PermuteProgram& program)
        : Lowering(program, kVectorBytes), N_(kLaneBytes / program.unit) {}

  private:
    bool lower_section(const PermuteSection& section) override {
        tiles_.clear();
        for (const PermuteOutput& output : section.outputs)
            if (!add_output(output)) return false;
        use_registers(kWorking);
        return std::all_of(tiles_.begin(), tiles_.end(),
                           [&](const Tile& tile) { return lower_tile(tile, section.extents); });
    }

    // Some rows of a column, which are stored.
    struct Part {
        int64_t dst;
        int bytes;
        int64_t row, column;  // in the tile
    };
    struct Tile {
        int64_t row, column;  // of the section
        int64_t rows, columns;
        std::vector<Part> parts;
    };

    // Adds the lanes of an output to tiles. The units of a lane are rows of one column, `stride_` bytes apart.
    bool add_output(const PermuteOutput& output) {
        const int64_t* source = program().source(output);
        if (tiles_.empty()) {
            if (output.units < 2) return false;  // no distance of rows
            first_ = source[0];
            stride_ = source[1] - source[0];
        }
        if (first_ < 0 || stride_ < unit()) return false;
        for (int i = 0; i < output.units; i += N_) {
            const int units = std::min(output.units - i, N_);
            int known = 0;
            while (known < units && source[i + known] == source[i] + known * stride_) ++known;
            for (int k = known; k < units; ++k)
                if (source[i + k] != kAnySource) return false;
            if (source[i] < first_) return false;
            const int64_t at = source[i] - first_;
            add_part(at / stride_, at % stride_ / unit(), known,
                     {output.dst_offset + i * unit(), units * unit(), 0, 0});
        }
        return true;
    }

    void add_part(int64_t row, int64_t column, int64_t rows, Part part) {
        auto tile = std::find_if(tiles_.begin(), tiles_.end(), [&](const Tile& t) {
            return t.row <= row && row + rows <= t.row + N_ && t.column <= column &&
                   column < t.column + N_;
        });
        if (tile == tiles_.end()) tile = tiles_.insert(tile, {row, column, 0, 0, {}});
        part.row = row - tile->row;
        part.column = column - tile->column;
        tile->rows = std::max(tile->rows, part.row + rows);
        tile->columns = std::max(tile->columns, part.column + 1);
        tile->parts.push_back(part);
    }

    bool lower_tile(const Tile& tile, const std::vector<Piece>& extents) {
        const int registers = N_ / 2;
        std::vector<int> values;
        for (int i = 0; i < registers; ++i) {
            values.push_back(i < tile.rows ? load_rows(tile, i, extents) : values[0]);
            if (values.back() == kNone) return false;
        }
        // Which registers are used, of each stage.
        std::vector<uint32_t> used(1);
        for (const Part& part : tile.parts) used[0] |= 1u << part.column / 2;
        for (int n = registers; n > 1; n /= 2) {
            uint32_t before = 0;
            for (int j = 0; j < registers; ++j)
                if ((used.back() >> j & 1) != 0)
                    before |= 1u << j / 2 | 1u << (j / 2 + registers / 2);
            used.push_back(before);
        }
        for (size_t stage = used.size() - 1; stage-- > 0;) {
            std::vector<int> next(static_cast<size_t>(registers), kNone);
            for (int j = 0; j < registers; ++j)
                if ((used[stage] >> j & 1) != 0)
                    next[j] = unpack(unit(), values[j / 2], values[j / 2 + registers / 2], j % 2);
            values = std::move(next);
        }
        store_parts(tile, values);
        return true;
    }

    // Rows i and i + N/2. A row that would pass the end of its extent is loaded from before its place, and moved.
    int load_rows(const Tile& tile, int i, const std::vector<Piece>& extents) {
        std::array<int64_t, 2> moved{};  // by how many bytes
        int value = kNone;
        for (int lane = 0; lane < 2 && i + lane * N_ / 2 < tile.rows; ++lane) {
            const int64_t at =
                first_ + (tile.row + i + lane * N_ / 2) * stride_ + tile.column * unit();
            const Piece* extent = extent_at(extents, at);
            if (extent == nullptr || extent->bytes < kLaneBytes ||
                extent->end() < at + tile.columns * unit())
                return kNone;
            const Piece piece{std::min(at, extent->end() - kLaneBytes), kLaneBytes};
            value = lane == 0 ? load(piece) : insert(value, piece, 1);
            moved[lane] = at - piece.offset;
        }
        return rotate_lanes(value, moved);
    }

    // Byte i of a lane becomes byte i + bytes[lane] mod 16.
    int rotate_lanes(int value, const std::array<int64_t, 2>& bytes) {
        const auto from = [&](int i) { return (i + bytes[i / kLaneBytes]) % kLaneBytes; };
        return permute_lanes(value, indices(1, from), kVectorBytes);
    }

    void store_parts(const Tile& tile, std::vector<int>& values) {
        std::vector<bool> joined(values.size());
        for (size_t p = 0; p < tile.parts.size(); ++p) {
            const Part& part = tile.parts[p];
            const auto j = static_cast<size_t>(part.column / 2);
            const auto lane = static_cast<int>(part.column % 2);
            if (!joined[j]) values[j] = permute_quads(values[j], {0, 2, 1, 3});
            joined[j] = true;
            if (part.bytes < kLaneBytes) {
                store_short(part, lane == 0 ? values[j] : permute_quads(values[j], {2, 3, 0, 1}));
                continue;
            }
            const bool both = lane == 0 && p + 1 < tile.parts.size() &&
                              tile.parts[p + 1].column == part.column + 1 &&
                              tile.parts[p + 1].bytes == kLaneBytes &&
                              tile.parts[p + 1].dst == part.dst + kLaneBytes;
            store(values[j], {part.dst, both ? kVectorBytes : kLaneBytes}, lane);
            if (both) ++p;
        }
    }

    // A part whose column is in the low lane.
    void store_short(const Part& part, int value) {
        const int64_t skipped = part.row * unit();
        store(rotate_lanes(value, {skipped, skipped}), {part.dst, part.bytes});
    }

    // Permutes pieces of 8 bytes.
    int permute_quads(int value, const std::array<int, 4>& order) {
        return permute(4, value, indices(4, [&](int i) { return 2 * order[i / 2] + i % 2; }));
    }

    int N_;
    int64_t first_ = 0, stride_ = 0;  // of the rows of a section, in bytes
    std::vector<Tile> tiles_;
};

}  // namespace

std::optional<Operations> lower_to_unpacks(const PermuteProgram& program) {
    return UnpackLowering(program).lower();
}

}  // namespace tombola::impl::cpu::x64
