// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/vec_traits.hpp"

// Networks of unpacks. A lane of 16 bytes has N = 2^n units, and K = 2^k registers hold one lane each:
//
//   level     register 2i + h = half h of the registers i and i + K/2, unit by unit
//
// A unit is numbered by its register and its place in the lane, the register's bits first. A level rotates the bits of the
// number to the left by one. So after L levels, k <= L <= n, the output j has at its place p the unit whose number is
//
//   the low L bits of p, then the k bits of j, then the other bits of p
//
// N = 4, K = 4 (the letter is the register, the digit the place):
//
//   loads   a0 a1 a2 a3    L = 1   a0 c0 a1 c1    L = 2   a0 b0 c0 d0
//           b0 b1 b2 b3            a2 c2 a3 c3            a1 b1 c1 d1
//           c0 c1 c2 c3            b0 d0 b1 d1            a2 b2 c2 d2
//           d0 d1 d2 d3            b2 d2 b3 d3            a3 b3 c3 d3
//
// So L = n transposes. With fewer registers than a lane has units, a lane of the source then has several rows. With L = k < n,
// outputs interleave rows: of two rows L = 1, of four L = 2. What an output needs says where the lanes of the registers begin.
// Outputs whose lanes are the same make a tile.
//
// The two lanes of a register belong to two tiles. With K = N they are the registers i and i + N/2 of one tile: the level that
// would join them comes last, and is a permute of pieces of 8 bytes, after which a register has the outputs 2j and 2j + 1.

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kVectorBytes = 32, kWorking = 12;
constexpr int kMaxLoads = 4;  // for each lane that is stored, on average
constexpr int64_t kUnknown = INT64_MIN;

class UnpackLowering : public Lowering {
  public:
    explicit UnpackLowering(const PermuteProgram& program)
        : Lowering(program, kVectorBytes), N_(kLaneBytes / program.unit) {}

  private:
    // Some units of output j of a tile, which are stored. Its first unit is at the place `skipped`.
    struct Part {
        int64_t dst;
        int bytes;
        int skipped, j;
        size_t order;  // of the stores of a section
        int lane;      // of the register
    };
    struct Tile {
        // Where the lane of each register begins, and the bytes that are needed of it.
        std::array<int64_t, kLaneBytes> at, first, end;
        std::vector<Part> parts;
    };

    bool lower_section(const PermuteSection& section) override {
        use_registers(kWorking);
        for (levels_ = 1; 1 << levels_ <= N_; ++levels_)
            for (K_ = 2; K_ <= 1 << levels_; K_ *= 2)
                if (find_tiles(section)) return lower_tiles(section.extents);
        return false;
    }

    // ---- tiles ---------------------------------------------------------------------------------------------------

    bool find_tiles(const PermuteSection& section) {
        tiles_.clear();
        stores_ = 0;
        for (const PermuteOutput& output : section.outputs)
            for (int i = 0; i < output.units; i += N_)
                if (!add_lane(program().source(output) + i, std::min(output.units - i, N_),
                              output.place(i * unit())))
                    return false;
        // Any lane is an output of a tile of its own, with K = N. That gathers.
        return static_cast<int>(tiles_.size()) * K_ <= kMaxLoads * static_cast<int>(stores_);
    }

    bool add_lane(const int64_t* source, int units, int64_t dst) {
        const Part part{dst, units * unit(), 0, 0, stores_++, 0};
        for (Tile& tile : tiles_)
            for (int skipped = 0; skipped <= N_ - units; ++skipped)
                if (add_to(tile, source, units, skipped, part)) return true;
        Tile tile;
        tile.at.fill(kUnknown);
        if (!add_to(tile, source, units, 0, part)) return false;
        tiles_.push_back(std::move(tile));
        return true;
    }

    // Whether the units are those of an output of the tile, from its place `skipped` on. Lanes that are not known yet begin where
    // they have to.
    bool add_to(Tile& tile, const int64_t* source, int units, int skipped, Part part) {
        const int step = N_ >> levels_;  // places from an output's units to those of the next
        std::array<int64_t, kLaneBytes> at = tile.at;
        const bool is_new = tile.parts.empty();
        int64_t distance = is_new ? 0 : kUnknown;  // from the units of output 0
        for (const bool is_known : {true, false})
            for (int i = 0; i < units; ++i) {
                if (source[i] == kAnySource) continue;
                if (source[i] < 0) return false;
                const auto [r, place] = origin(i + skipped);
                const int64_t begin = source[i] - place * unit();
                if ((tile.at[r] != kUnknown) != is_known) continue;
                if (distance == kUnknown) {
                    if (!is_known) return false;
                    distance = begin - at[r];
                }
                if (at[r] == kUnknown) at[r] = begin - distance;
                if (begin - at[r] != distance) return false;
            }
        const int64_t step_bytes = step * unit();
        if (distance < 0 || distance % step_bytes != 0 || distance >= K_ * step_bytes) return false;
        for (int i = 0; i < units; ++i) {
            if (source[i] == kAnySource) continue;
            const int r = origin(i + skipped).first;
            const bool known = tile.at[r] != kUnknown;
            tile.first[r] = known ? std::min(tile.first[r], source[i]) : source[i];
            tile.end[r] = std::max(known ? tile.end[r] : 0, source[i] + unit());
            tile.at[r] = at[r];
        }
        part.skipped = skipped;
        part.j = static_cast<int>(distance / step_bytes);
        tile.parts.push_back(part);
        return true;
    }

    // The register, and the place in it, of the unit that comes to place p of output 0.
    std::pair<int, int> origin(int p) const {
        const int low = p & ((1 << levels_) - 1);
        const int number = low * K_ * (N_ >> levels_) + (p >> levels_);
        return {number / N_, number % N_};
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    bool lower_tiles(const std::vector<Piece>& extents) {
        if (K_ == N_)
            return std::all_of(tiles_.begin(), tiles_.end(),
                               [&](Tile& tile) { return lower_folded(tile, extents); });
        for (size_t t = 0; t < tiles_.size(); t += 2) {
            std::vector<Part> parts = tiles_[t].parts;
            const Tile* const high = t + 1 < tiles_.size() ? &tiles_[t + 1] : nullptr;
            if (high != nullptr)
                for (Part part : high->parts) {
                    part.lane = 1;
                    parts.push_back(part);
                }
            std::vector<int> values;
            for (int r = 0; r < K_; ++r) {
                values.push_back(load_pair(tiles_[t], r, high, r, extents));
                if (values.back() == kNone) return false;
            }
            std::sort(parts.begin(), parts.end(),
                      [](const Part& a, const Part& b) { return a.order < b.order; });
            values = unpacked(values, levels_, parts);
            store_parts(parts, values);
        }
        return true;
    }

    bool lower_folded(Tile& tile, const std::vector<Piece>& extents) {
        std::vector<int> values;
        for (int r = 0; r < K_ / 2; ++r) {
            values.push_back(load_pair(tile, r, &tile, r + K_ / 2, extents));
            if (values.back() == kNone) return false;
        }
        for (Part& part : tile.parts) {
            part.lane = part.j % 2;
            part.j /= 2;
        }
        values = unpacked(values, levels_ - 1, tile.parts);
        for (int& value : values)
            if (value != kNone) value = permute_quads(value, {0, 2, 1, 3});
        store_parts(tile.parts, values);
        return true;
    }

    // What the parts need after so many levels.
    std::vector<int> unpacked(std::vector<int> values, int levels, const std::vector<Part>& parts) {
        const auto count = static_cast<int>(values.size());
        // Which registers are used, before each level and behind the last one.
        std::vector<uint32_t> used(static_cast<size_t>(levels) + 1);
        for (const Part& part : parts) used.back() |= 1u << part.j;
        for (int level = levels; level-- > 0;)
            for (int j = 0; j < count; ++j)
                if ((used[level + 1] >> j & 1) != 0)
                    used[level] |= 1u << j / 2 | 1u << (j / 2 + count / 2);
        for (int level = 0; level < levels; ++level) {
            std::vector<int> next(values.size(), kNone);
            for (int j = 0; j < count; ++j)
                if ((used[level + 1] >> j & 1) != 0)
                    next[j] = unpack(unit(), values[j / 2], values[j / 2 + count / 2], j % 2);
            values = std::move(next);
        }
        return values;
    }

    // The lane of a register that lies within its extent, although it may begin before its place or behind it.
    struct Lane {
        Piece piece;
        int moved;  // by how many bytes
        bool fits;
    };
    Lane lane_of(const Tile& tile, int r, const std::vector<Piece>& extents) const {
        const Piece* const extent = extent_at(extents, tile.first[r]);
        if (extent == nullptr || extent->bytes < kLaneBytes) return {{}, 0, false};
        const int64_t at =
            std::max(std::min(tile.at[r], extent->end() - kLaneBytes), extent->offset);
        return {{at, kLaneBytes},
                static_cast<int>(tile.at[r] - at),
                at <= tile.first[r] && tile.end[r] <= at + kLaneBytes};
    }

    // Register r of one tile beside register s of another one. If nothing is needed of one of them, anything will do.
    int load_pair(const Tile& low, int r, const Tile* high, int s,
                  const std::vector<Piece>& extents) {
        const bool has_high = high != nullptr && high->at[s] != kUnknown;
        if (low.at[r] == kUnknown && !has_high) return zero();
        const Lane a =
            low.at[r] == kUnknown ? lane_of(*high, s, extents) : lane_of(low, r, extents);
        const Lane b = has_high ? lane_of(*high, s, extents) : a;
        if (!a.fits || !b.fits) return kNone;
        int value = kNone;
        if (b.piece.offset == a.piece.offset + kLaneBytes)
            value = load({a.piece.offset, kVectorBytes});
        else if (has_high && b.piece == a.piece)
            value = load_lanes(a.piece);
        else {
            value = load(a.piece);
            if (has_high) value = insert(value, b.piece, 1);
        }
        return rotate_lanes(value, {a.moved, b.moved});
    }

    // Byte i of a lane becomes byte i + bytes[lane] mod 16.
    int rotate_lanes(int value, const std::array<int, 2>& bytes) {
        const auto from = [&](int i) { return (i + bytes[i / kLaneBytes]) & (kLaneBytes - 1); };
        return permute_lanes(value, indices(1, from), kVectorBytes);
    }

    void store_parts(const std::vector<Part>& parts, const std::vector<int>& values) {
        for (size_t p = 0; p < parts.size(); ++p) {
            const Part& part = parts[p];
            const int value = values[part.j];
            if (part.bytes < kLaneBytes) {
                store_short(part, part.lane == 0 ? value : permute_quads(value, {2, 3, 0, 1}));
                continue;
            }
            const bool both = part.lane == 0 && p + 1 < parts.size() && parts[p + 1].lane == 1 &&
                              parts[p + 1].j == part.j && parts[p + 1].bytes == kLaneBytes &&
                              parts[p + 1].dst == part.dst + kLaneBytes;
            store(value, {part.dst, both ? kVectorBytes : kLaneBytes}, part.lane);
            if (both) ++p;
        }
    }

    // A part whose output is in the low lane.
    void store_short(const Part& part, int value) {
        const int skipped = part.skipped * unit();
        store(rotate_lanes(value, {skipped, skipped}), {part.dst, part.bytes});
    }

    // Permutes pieces of 8 bytes.
    int permute_quads(int value, const std::array<int, 4>& order) {
        return permute(4, value, indices(4, [&](int i) { return 2 * order[i / 2] + i % 2; }));
    }

    int N_;
    int K_ = 0, levels_ = 0;
    std::vector<Tile> tiles_;
    size_t stores_ = 0;
};

}  // namespace

std::optional<Operations> lower_to_unpacks(const PermuteProgram& program) {
    return UnpackLowering(program).lower();
}

}  // namespace tombola::impl::cpu::x64
