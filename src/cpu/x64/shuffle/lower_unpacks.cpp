// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>

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
// A lane of blocks may begin within a block and end in the next one: then it is aligned from two loads. A lane that is stored
// may consist of the end of one output and the begin of another one, which are aligned likewise.
//
// Where a block has 8 bytes, a lane has two pixels. It is permuted, so that their units lie side by side, and count as units of twice
// the size; and again before it is stored.
//
// The two lanes of a register belong to two tiles, mostly of two pixels. A tile with K = N that has no such partner has in its
// registers the lanes i and i + N/2: the level that would join them comes last, and is a permute of pieces of 8 bytes, after which a
// register has the outputs 2j and 2j + 1.

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kVectorBytes = 32, kWorking = 12, kRegisters = 16;
constexpr int kMaxLoads = 4;   // for each lane that is stored, on average
constexpr int kMaxPaired = 8;  // registers of a pair of tiles
constexpr int64_t kUnknown = INT64_MIN;
constexpr int64_t kPixel = int64_t{1} << 40;  // between the places of two pixels
constexpr int kZeros = -2;                    // in place of a tile: units that are zero

class UnpackLowering : public Lowering {
  public:
    explicit UnpackLowering(const PermuteProgram& program)
        : Lowering(program, kVectorBytes),
          has_two_pixels_(program.loop.granule == kLaneBytes / 2),
          block_(has_two_pixels_ ? kLaneBytes : program.loop.granule),
          unit_(has_two_pixels_ ? 2 * program.unit : program.unit),
          N_(kLaneBytes / unit_) {}

  private:
    // So many units of output j of a tile, from the place `skipped` on.
    struct Segment {
        int tile = kNone, j = 0, skipped = 0, units = 0;
        auto fields() const { return std::tie(tile, j, skipped, units); }
        bool operator<(const Segment& other) const { return fields() < other.fields(); }
        bool operator==(const Segment& other) const { return fields() == other.fields(); }
    };
    // A lane that is stored, and the places of its units.
    struct StoredLane {
        int64_t dst;
        int units;
        std::array<int64_t, kLaneBytes> places;
    };
    // Where it comes from.
    struct Part {
        int64_t dst;
        int bytes;
        std::array<Segment, 2> from;  // one behind the other; the second may have no units
        int lane = kNone;             // of the registers of pairs; kNone: either
    };
    // Where the lane of each register begins, and the bytes that are needed of it: all as places.
    struct Tile {
        std::array<int64_t, kLaneBytes> at, first, end;
        int pair = kNone, lane = 0;  // of the pairs
    };
    struct Pair {
        int low, high;  // tiles; the second one may be kNone
        bool folded;
        std::map<int, int> outputs;  // that are there
    };

    bool lower_section(const PermuteSection& section) override {
        extents_ = &section.extents;
        if (!list_lanes(section)) return false;
        for (levels_ = 1; 1 << levels_ <= N_; ++levels_)
            for (K_ = 2; K_ <= 1 << levels_; K_ *= 2)
                if (find_parts() && pair_tiles()) return lower_parts();
        return false;
    }

    // ---- places --------------------------------------------------------------------------------------------------

    // Blocks of whole lanes have places as if they lay side by side, so that a row may go on in the next block. For others, a place is
    // the offset of the source. Where a lane has two pixels, the units of the first one have places, and are twice as wide.
    bool has_blocks() const { return block_ >= kLaneBytes; }
    int64_t place_of(int64_t source) const {
        if (!has_blocks()) return source;
        const Piece* const extent = extent_at(*extents_, source);
        const int64_t at = source - extent->offset, in_block = at % block_;
        return at / block_ * kPixel + (extent - extents_->data()) * block_ +
               (has_two_pixels_ ? 2 * in_block : in_block);
    }
    // The source of the lane at that place, which is a multiple of 16 in blocks.
    int64_t source_of(int64_t place) const {
        if (!has_blocks()) return place;
        const int64_t in_pixel = place % kPixel;
        return (*extents_)[static_cast<size_t>(in_pixel / block_)].offset + in_pixel % block_ +
               place / kPixel * block_;
    }

    // ---- tiles ---------------------------------------------------------------------------------------------------

    // Returns whether all lanes are such that tiles may serve them.
    bool list_lanes(const PermuteSection& section) {
        lanes_.clear();
        const int units = kLaneBytes / program().unit;  // in a lane of memory
        for (const PermuteOutput& output : section.outputs)
            for (int i = 0; i < output.units; i += units) {
                const int64_t* const source = program().source(output) + i;
                const int here = std::min(output.units - i, units);
                if (has_two_pixels_ && (here < units || !are_two_pixels(source))) return false;
                StoredLane lane{output.place(i * program().unit), std::min(here, N_), {}};
                std::transform(source, source + lane.units, lane.places.begin(),
                               [&](int64_t at) { return at < 0 ? at : place_of(at); });
                lanes_.push_back(lane);
            }
        return true;
    }

    // Whether the second half of a lane takes the units of the second of two pixels, in the order of the first half.
    bool are_two_pixels(const int64_t* source) const {
        for (int i = 0; i < N_; ++i) {
            if (source[i] < 0 && source[i + N_] != source[i]) return false;
            if (source[i] < 0) continue;
            const int64_t at = source[i] - extent_at(*extents_, source[i])->offset;
            if (at % block_ >= block_ / 2 || source[i + N_] != source[i] + block_ / 2) return false;
        }
        return true;
    }

    bool find_parts() {
        tiles_.clear();
        parts_.clear();
        for (const StoredLane& lane : lanes_)
            if (!add_part(lane)) return false;
        // Any lane is an output of a tile of its own, with K = N. That gathers.
        return static_cast<int>(tiles_.size()) * K_ <= kMaxLoads * static_cast<int>(parts_.size());
    }

    // The lane is a segment of a known tile, or two; or one of a new tile and one of a known one; or one of a new tile.
    bool add_part(const StoredLane& lane) {
        const int64_t* const places = lane.places.data();
        const int units = lane.units;
        Part& part = parts_.emplace_back(Part{lane.dst, units * unit_, {}});
        Segment &a = part.from[0], &b = part.from[1];
        a = find(places, units);
        if (units == N_ && a.units > 0 && a.units < units)
            b = find(places + a.units, units - a.units);
        if (a.units + b.units < units && !add_tile(lane, a, b)) return false;
        take(a, places);
        take(b, places + a.units);
        return true;
    }

    // Makes a tile for the first units, or for all. If K = N, a tile would serve any units, so all is the last choice.
    bool add_tile(const StoredLane& lane, Segment& a, Segment& b) {
        const int64_t* const places = lane.places.data();
        const size_t t = tiles_.size();
        tiles_.emplace_back().at.fill(kUnknown);
        const Segment whole{static_cast<int>(t), 0, 0, 0};
        const int units = matches(tiles_[t], whole, places, lane.units);
        const bool is_whole = units == lane.units;
        if (lane.units == N_ && !(is_whole && K_ < N_))
            for (int cut = std::min(units, N_ - 1); cut > 0; --cut) {
                a = whole;
                a.units = cut;
                tiles_[t].at.fill(kUnknown);
                take(a, places);
                b = find(places + cut, N_ - cut);
                const bool goes_on = b.tile == a.tile && b.j == a.j;
                if (cut + b.units == N_ && !goes_on) return true;
            }
        tiles_[t].at.fill(kUnknown);
        a = whole;
        a.units = units;
        b = {};
        return is_whole;
    }

    // The longest segment of a tile that the first units are.
    Segment find(const int64_t* places, int units) const {
        Segment best;
        if (places[0] == kZeroSource) {
            best.tile = kZeros;
            best.units =
                static_cast<int>(std::find_if(places, places + units,
                                              [](int64_t place) { return place != kZeroSource; }) -
                                 places);
        }
        if (places[0] < 0) return best;
        for (size_t t = 0; t < tiles_.size() && best.units < units; ++t)
            for (int r = 0; r < K_; ++r) {
                const int64_t in_lane = places[0] - tiles_[t].at[r];
                if (tiles_[t].at[r] == kUnknown || in_lane < 0 || in_lane >= kLaneBytes ||
                    in_lane % unit_ != 0)
                    continue;
                const int number = r * N_ + static_cast<int>(in_lane) / unit_, all = K_ * N_;
                const int to = (number << levels_) % all + (number << levels_) / all;
                Segment segment{static_cast<int>(t), to / N_, to % N_, 0};
                segment.units = matches(tiles_[t], segment, places, units);
                if (segment.units > best.units) best = segment;
            }
        return best;
    }

    // How many of the units are those of the segment. Lanes that are not known yet begin where they have to.
    int matches(const Tile& tile, const Segment& segment, const int64_t* places, int units) const {
        std::array<int64_t, kLaneBytes> at = tile.at;
        int i = 0;
        for (; i < units && segment.skipped + i < N_; ++i) {
            if (places[i] == kAnySource) continue;
            if (places[i] < 0) break;
            const auto [r, place] = origin(segment, i);
            const int64_t begin = places[i] - place * unit_;
            if (at[r] == kUnknown) at[r] = begin;
            if (at[r] != begin) break;
        }
        return i;
    }

    // Notes that the segment is needed of its tile.
    void take(const Segment& segment, const int64_t* places) {
        if (segment.tile < 0) return;
        Tile& tile = tiles_[segment.tile];
        for (int i = 0; i < segment.units; ++i) {
            if (places[i] == kAnySource) continue;
            const auto [r, place] = origin(segment, i);
            const bool is_new = tile.at[r] == kUnknown;
            tile.at[r] = places[i] - place * unit_;
            tile.first[r] = is_new ? places[i] : std::min(tile.first[r], places[i]);
            tile.end[r] = std::max(is_new ? 0 : tile.end[r], places[i] + unit_);
        }
    }

    // The register, and the place in it, of unit i of a segment.
    std::pair<int, int> origin(const Segment& segment, int i) const {
        const int p = segment.skipped + i, low = p & ((1 << levels_) - 1);
        const int number =
            low * K_ * (N_ >> levels_) + segment.j * (N_ >> levels_) + (p >> levels_);
        return {number / N_, number % N_};
    }

    // ---- pairs ---------------------------------------------------------------------------------------------------

    bool pair_tiles() {
        pairs_.clear();
        for (size_t t = 0; t < tiles_.size(); ++t) {
            if (tiles_[t].pair != kNone) continue;
            int partner = kNone;
            for (size_t u = t + 1; u < tiles_.size() && partner == kNone && K_ <= kMaxPaired; ++u)
                if (tiles_[u].pair == kNone && are_alike(tiles_[t], tiles_[u]))
                    partner = static_cast<int>(u);
            const bool folded = partner == kNone && K_ == N_;
            if (K_ > kMaxPaired && !folded) return false;
            tiles_[t].pair = static_cast<int>(pairs_.size());
            if (partner != kNone) {
                tiles_[partner].pair = tiles_[t].pair;
                tiles_[partner].lane = 1;
            }
            pairs_.push_back({static_cast<int>(t), partner, folded, {}});
        }
        return std::all_of(parts_.begin(), parts_.end(),
                           [&](Part& part) { return take_from_pairs(part); });
    }

    // From here on, the segments of parts are those of pairs. All of a part must lie in the same lane.
    bool take_from_pairs(Part& part) const {
        int lane = kNone;
        for (Segment& segment : part.from) {
            if (segment.tile < 0) continue;
            const Tile& tile = tiles_[segment.tile];
            const bool folded = pairs_[tile.pair].folded;
            const int in = folded ? segment.j % 2 : tile.lane;
            if (lane != kNone && lane != in) return false;
            lane = in;
            segment.tile = tile.pair;
            if (folded) segment.j /= 2;
        }
        part.lane = lane;
        return true;
    }

    // Whether all lanes of the second tile are as far from those of the first.
    bool are_alike(const Tile& a, const Tile& b) const {
        int64_t distance = kUnknown;
        for (int r = 0; r < K_; ++r) {
            if ((a.at[r] == kUnknown) != (b.at[r] == kUnknown)) return false;
            if (a.at[r] == kUnknown) continue;
            if (distance == kUnknown) distance = b.at[r] - a.at[r];
            if (b.at[r] - a.at[r] != distance) return false;
        }
        return !has_blocks() || distance % kPixel == 0;
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    // In one pass over the outputs of each pair or, to keep fewer of them in registers, in several.
    bool lower_parts() {
        for (passes_ = 1; passes_ <= K_; passes_ *= 2) {
            restart_section();
            values_.clear();
            for (Pair& pair : pairs_) pair.outputs.clear();
            if (!store_parts()) return false;
            const int live = most_live();
            use_registers(std::max(live + 1, kWorking));
            if (live < kRegisters) return true;
        }
        return false;
    }

    bool store_parts() {
        for (size_t p = 0; p < parts_.size(); ++p) {
            const Part& part = parts_[p];
            const int value = value_of(part);
            if (value == kNone) return false;
            if (part.bytes < kLaneBytes) {
                store_short(part, part.lane < 1 ? value : permute_quads(value, {2, 3, 0, 1}));
                continue;
            }
            const Part* const next = p + 1 < parts_.size() ? &parts_[p + 1] : nullptr;
            if (next == nullptr || next->dst != part.dst + kLaneBytes || next->bytes < kLaneBytes) {
                store(value, {part.dst, kLaneBytes}, std::max(part.lane, 0));
                continue;
            }
            const int behind = value_of(*next);
            if (behind == kNone) return false;
            if (value == behind && part.lane == 0 && next->lane == 1)
                store(value, {part.dst, kVectorBytes});
            else if (part.lane == next->lane || part.lane == kNone || next->lane == kNone)
                store(unpack(kLaneBytes, value, behind, std::max({part.lane, next->lane, 0})),
                      {part.dst, kVectorBytes});
            else {
                store(value, {part.dst, kLaneBytes}, std::max(part.lane, 0));
                continue;
            }
            ++p;
        }
        return true;
    }

    // A part that lies in the low lane.
    void store_short(const Part& part, int value) {
        const int skipped = part.from[0].skipped * unit_;
        store(align(value, value, skipped), {part.dst, part.bytes});
    }

    int value_of(const Part& part) {
        const auto [known, is_new] = values_.try_emplace({part.from[0], part.from[1]}, kNone);
        if (is_new) known->second = in_order(join(part.from), true);
        return known->second;
    }

    // A lane of one output, or of the end of one and the begin of another.
    int join(const std::array<Segment, 2>& from) {
        const auto value_of = [&](const Segment& s) {
            return s.tile == kZeros ? zero() : output(s.tile, s.j);
        };
        int a = value_of(from[0]);
        if (from[1].units == 0 || a == kNone) return a;
        int b = value_of(from[1]);
        if (b == kNone) return kNone;
        const int end = from[0].skipped + from[0].units;
        if (end != N_ && from[0].tile != kZeros) a = align(a, a, end * unit_);
        if (from[1].skipped != 0 && from[1].tile != kZeros)
            b = align(b, b, from[1].skipped * unit_);
        return align(a, b, kLaneBytes - from[0].units * unit_);
    }

    // Output j of a pair of tiles. Some that are next to it are made with it.
    int output(int p, int j) {
        Pair& pair = pairs_[p];
        const auto known = pair.outputs.find(j);
        if (known != pair.outputs.end()) return known->second;
        const int registers = pair.folded ? K_ / 2 : K_;
        const int batch = std::max(registers / passes_, 1);
        std::vector<int> values;
        for (int r = 0; r < registers; ++r) {
            values.push_back(pair.folded ? load_pair(pair.low, r, pair.low, r + K_ / 2)
                                         : load_pair(pair.low, r, pair.high, r));
            if (values.back() == kNone) return kNone;
        }
        std::vector<bool> wanted(static_cast<size_t>(registers));
        for (const Part& part : parts_)
            for (const Segment& s : part.from)
                if (s.units > 0 && s.tile == p && s.j / batch == j / batch) wanted[s.j] = true;
        values = unpacked(values, pair.folded ? levels_ - 1 : levels_, wanted);
        for (int i = 0; i < registers; ++i)
            if (wanted[i])
                pair.outputs[i] = pair.folded ? permute_quads(values[i], {0, 2, 1, 3}) : values[i];
        return pair.outputs[j];
    }

    // The wanted registers after so many levels.
    std::vector<int> unpacked(std::vector<int> values, int levels,
                              const std::vector<bool>& wanted) {
        const size_t count = values.size();
        // Which registers are used, before each level and behind the last one.
        std::vector<std::vector<bool>> used(static_cast<size_t>(levels) + 1, wanted);
        for (int level = levels; level-- > 0;) {
            used[level].assign(count, false);
            for (size_t j = 0; j < count; ++j)
                if (used[level + 1][j]) used[level][j / 2] = used[level][j / 2 + count / 2] = true;
        }
        for (int level = 0; level < levels; ++level) {
            std::vector<int> next(count, kNone);
            for (size_t j = 0; j < count; ++j)
                if (used[level + 1][j])
                    next[j] = unpack(unit_, values[j / 2], values[j / 2 + count / 2],
                                     static_cast<int>(j % 2));
            values = std::move(next);
        }
        return values;
    }

    // What a register's lane consists of: the bytes from `moved` on of the lane at `first`, and as many as are missing of the one at
    // `next`, which may be the same. Whether it `fits`: all that is needed lies there.
    struct Lane {
        int64_t first, next;
        int moved;
        bool fits;
    };
    Lane lane_of(int t, int r) const {
        const Tile& tile = tiles_[t];
        const int64_t at = tile.at[r];
        if (has_blocks()) {
            const int64_t low = at & -kLaneBytes, high = low + kLaneBytes;
            const int64_t first = source_of(tile.first[r] < high ? low : high);
            return {first, tile.end[r] > high ? source_of(high) : first, static_cast<int>(at - low),
                    true};
        }
        const Piece* const extent = extent_at(*extents_, tile.first[r]);
        if (extent->bytes < kLaneBytes) return {0, 0, 0, false};
        const int64_t from = std::max(std::min(at, extent->end() - kLaneBytes), extent->offset);
        return {from, from, static_cast<int>(at - from) & (kLaneBytes - 1),
                from <= tile.first[r] && tile.end[r] <= from + kLaneBytes};
    }

    // Register r of one tile beside register s of another one, if there is one. Of what is not needed, anything will do.
    int load_pair(int low, int r, int high, int s) {
        const bool has_low = tiles_[low].at[r] != kUnknown;
        const bool has_high = high != kNone && tiles_[high].at[s] != kUnknown;
        if (!has_low && !has_high) return zero();
        const Lane a = has_low ? lane_of(low, r) : lane_of(high, s);
        const Lane b = has_high ? lane_of(high, s) : a;
        if (!a.fits || !b.fits) return kNone;
        const int value = load_two(a.first, b.first, has_high);
        const bool one = a.first == a.next && b.first == b.next;
        if (one && a.moved != b.moved) return rotate_lanes(value, {a.moved, b.moved});
        if (a.moved != b.moved) return kNone;
        return align(value, one ? value : load_two(a.next, b.next, has_high), a.moved);
    }

    int load_two(int64_t a, int64_t b, bool both) {
        int value = kNone;
        if (b == a + kLaneBytes)
            value = load({a, kVectorBytes});
        else if (a == b && both)
            value = load_lanes({a, kLaneBytes});
        else {
            value = load({a, kLaneBytes});
            if (both) value = insert(value, {b, kLaneBytes}, 1);
        }
        return in_order(value, false);
    }

    // Of two pixels in a lane: their units side by side, or, as they are stored, one pixel behind the other.
    int in_order(int value, bool stored) {
        if (!has_two_pixels_ || value == kNone) return value;
        const int half = kLaneBytes / 2, each = unit_ / 2;
        const auto from = [&](int i) {
            const int in_lane = i % kLaneBytes;
            return stored ? in_lane % half / each * unit_ + in_lane / half * each + in_lane % each
                          : in_lane % unit_ / each * half + in_lane / unit_ * each + in_lane % each;
        };
        return permute_lanes(value, indices(1, from), kVectorBytes);
    }

    // Of each lane, the bytes of `a` and those of `b` behind them, from byte `from` on.
    int align(int a, int b, int from) {
        return from == 0 ? a : from == kLaneBytes ? b : align_lanes(a, b, from);
    }

    // Byte i of a lane becomes byte i + bytes[lane] mod 16.
    int rotate_lanes(int value, const std::array<int, 2>& bytes) {
        const auto from = [&](int i) { return (i + bytes[i / kLaneBytes]) % kLaneBytes; };
        return permute_lanes(value, indices(1, from), kVectorBytes);
    }

    // Permutes pieces of 8 bytes.
    int permute_quads(int value, const std::array<int, 4>& order) {
        return permute(4, value, indices(4, [&](int i) { return 2 * order[i / 2] + i % 2; }));
    }

    bool has_two_pixels_;  // a lane of memory has; and places have units of both
    int64_t block_;        // bytes of places
    int unit_;
    int N_;
    int K_ = 0, levels_ = 0;
    const std::vector<Piece>* extents_ = nullptr;
    std::vector<StoredLane> lanes_;
    std::vector<Tile> tiles_;
    std::vector<Part> parts_;
    std::vector<Pair> pairs_;
    int passes_ = 1;
    std::map<std::pair<Segment, Segment>, int> values_;  // of parts
};

}  // namespace

std::optional<Operations> lower_to_unpacks(const PermuteProgram& program) {
    return UnpackLowering(program).lower();
}

}  // namespace tombola::impl::cpu::x64
