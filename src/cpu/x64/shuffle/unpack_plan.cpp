// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/unpack_plan.hpp"

#include <algorithm>
#include <utility>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kMaxLoads = 4;   // for each lane that is stored, on average
constexpr int kMaxPaired = 8;  // registers of a pair of tiles
constexpr int64_t kUnknown = INT64_MIN;
constexpr int64_t kPixel = int64_t{1} << 40;  // between the places of two pixels

class UnpackPlanner {
  public:
    UnpackPlanner(const PermuteProgram& program, const PermuteSection& section)
        : program_(program),
          section_(section),
          has_two_pixels_(program.loop.granule == kLaneBytes / 2),
          block_(has_two_pixels_ ? kLaneBytes : program.loop.granule),
          unit_(has_two_pixels_ ? 2 * program.unit : program.unit),
          N_(kLaneBytes / unit_) {}

    std::optional<UnpackPlan> plan() {
        if (!list_lanes()) return std::nullopt;
        for (levels_ = 1; 1 << levels_ <= N_; ++levels_)
            for (K_ = 2; K_ <= 1 << levels_; K_ *= 2)
                if (find_parts() && pair_tiles()) return whole_plan();
        return std::nullopt;
    }

  private:
    using Segment = UnpackPlan::Segment;
    using Part = UnpackPlan::Part;
    using SourceLane = UnpackPlan::SourceLane;

    // A lane that is stored, and the places of its units.
    struct StoredLane {
        int64_t dst;
        int units;
        std::array<int64_t, kLaneBytes> places;
    };
    // Where the lane of each register begins, and the bytes that are needed of it: all as places.
    struct Tile {
        std::array<int64_t, kLaneBytes> at, first, end;
        int pair = kNone, lane = 0;  // of the pairs
    };
    struct Pair {
        int low, high;  // tiles; the second one may be kNone
        bool folded;
    };

    const std::vector<Piece>& extents() const { return section_.extents; }

    // ---- places --------------------------------------------------------------------------------------------------

    // Blocks of whole lanes have places as if they lay side by side, so that a row may go on in the next block. For others, a place is
    // the offset of the source. Where a lane has two pixels, the units of the first one have places, and are twice as wide.
    bool has_blocks() const { return block_ >= kLaneBytes; }
    int64_t place_of(int64_t source) const {
        if (!has_blocks()) return source;
        const Piece* const extent = extent_at(extents(), source);
        const int64_t at = source - extent->offset, in_block = at % block_;
        return at / block_ * kPixel + (extent - extents().data()) * block_ +
               (has_two_pixels_ ? 2 * in_block : in_block);
    }
    // The source of the lane at that place, which is a multiple of 16 in blocks.
    int64_t source_of(int64_t place) const {
        if (!has_blocks()) return place;
        const int64_t in_pixel = place % kPixel;
        return extents()[static_cast<size_t>(in_pixel / block_)].offset + in_pixel % block_ +
               place / kPixel * block_;
    }

    // ---- tiles ---------------------------------------------------------------------------------------------------

    // Returns whether all lanes are such that tiles may serve them.
    bool list_lanes() {
        const int units = kLaneBytes / program_.unit;  // in a lane of memory
        for (const PermuteOutput& output : section_.outputs)
            for (int i = 0; i < output.units; i += units) {
                const int64_t* const source = program_.source(output) + i;
                const int here = std::min(output.units - i, units);
                if (has_two_pixels_ && (here < units || !are_two_pixels(source))) return false;
                StoredLane lane{output.place(i * program_.unit), std::min(here, N_), {}};
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
            const int64_t at = source[i] - extent_at(extents(), source[i])->offset;
            if (at % block_ >= block_ / 2 || source[i + N_] != source[i] + block_ / 2) return false;
        }
        return true;
    }

    bool find_parts() {
        tiles_.clear();
        parts_.clear();
        // Any lane is an output of a tile of its own, with K = N. That gathers.
        const size_t max_tiles = kMaxLoads * lanes_.size() / K_;
        for (const StoredLane& lane : lanes_)
            if (!add_part(lane) || tiles_.size() > max_tiles) return false;
        return true;
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
                const bool goes_on = b.network == a.network && b.output == a.output;
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
            best.network = UnpackPlan::kZeros;
            best.units =
                static_cast<int>(std::find_if(places, places + units,
                                              [](int64_t place) { return place != kZeroSource; }) -
                                 places);
        }
        if (places[0] < 0) return best;
        for (size_t t = 0; t < tiles_.size() && best.units < units; ++t)
            for (int r = 0; r < K_; ++r) {
                if (tiles_[t].at[r] == kUnknown) continue;
                const int64_t in_lane = places[0] - tiles_[t].at[r];
                if (in_lane < 0 || in_lane >= kLaneBytes || in_lane % unit_ != 0) continue;
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
        if (segment.network < 0) return;
        Tile& tile = tiles_[segment.network];
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
            low * K_ * (N_ >> levels_) + segment.output * (N_ >> levels_) + (p >> levels_);
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
            pairs_.push_back({static_cast<int>(t), partner, folded});
        }
        return std::all_of(parts_.begin(), parts_.end(),
                           [&](Part& part) { return take_from_pairs(part); });
    }

    // From here on, the segments of parts are those of pairs. All of a part must lie in the same lane.
    bool take_from_pairs(Part& part) const {
        for (Segment& segment : part.from) {
            if (segment.network < 0) continue;
            const Tile& tile = tiles_[segment.network];
            const bool folded = pairs_[tile.pair].folded;
            const int lane = folded ? segment.output % 2 : tile.lane;
            if (part.lane != kNone && part.lane != lane) return false;
            part.lane = lane;
            segment.network = tile.pair;
            if (folded) segment.output /= 2;
        }
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

    // ---- the plan ------------------------------------------------------------------------------------------------

    // Empty if registers cannot be loaded.
    std::optional<UnpackPlan> whole_plan() {
        UnpackPlan plan{unit_, has_two_pixels_, {}, {}};
        for (const Pair& pair : pairs_) {
            UnpackPlan::Network& network = plan.networks.emplace_back();
            network.folded = pair.folded;
            network.levels = pair.folded ? levels_ - 1 : levels_;
            const int registers = pair.folded ? K_ / 2 : K_;
            for (int r = 0; r < registers; ++r) {
                const auto low = lane_of(pair.low, r);
                const auto high =
                    pair.folded ? lane_of(pair.low, r + registers) : lane_of(pair.high, r);
                if (!low || !high || !can_share(*low, *high)) return std::nullopt;
                network.registers.push_back({*low, *high});
            }
        }
        for (const Part& part : parts_)
            for (const Segment& segment : part.from)
                if (segment.network >= 0 && segment.units > 0)
                    plan.networks[segment.network].outputs |= uint32_t{1} << segment.output;
        plan.parts = std::move(parts_);
        return plan;
    }

    // Whether one operation moves both lanes of a register. Two loads are aligned alike in both.
    static bool can_share(const SourceLane& a, const SourceLane& b) {
        return !a.is_used || !b.is_used || a.moved == b.moved ||
               (a.is_one_load() && b.is_one_load());
    }

    // Register r of a tile, or of none. Empty if what is needed of it does not lie in a lane of one extent.
    std::optional<SourceLane> lane_of(int t, int r) const {
        if (t == kNone || tiles_[t].at[r] == kUnknown) return SourceLane{};
        const int64_t at = tiles_[t].at[r], first = tiles_[t].first[r], end = tiles_[t].end[r];
        if (has_blocks()) {
            const int64_t low = at & -kLaneBytes, high = low + kLaneBytes;
            const int64_t from = source_of(first < high ? low : high);
            return SourceLane{true, from, end > high ? source_of(high) : from,
                              static_cast<int>(at - low)};
        }
        const Piece* const extent = extent_at(extents(), first);
        const int64_t from = std::max(std::min(at, extent->end() - kLaneBytes), extent->offset);
        if (extent->bytes < kLaneBytes || first < from || end > from + kLaneBytes)
            return std::nullopt;
        return SourceLane{true, from, from, static_cast<int>(at - from) & (kLaneBytes - 1)};
    }

    const PermuteProgram& program_;
    const PermuteSection& section_;
    bool has_two_pixels_;  // a lane of memory has; and places have units of both
    int64_t block_;        // bytes of places
    int unit_;
    int N_;
    int K_ = 0, levels_ = 0;
    std::vector<StoredLane> lanes_;
    std::vector<Tile> tiles_;
    std::vector<Part> parts_;
    std::vector<Pair> pairs_;
};

}  // namespace

std::optional<UnpackPlan> plan_unpacks(const PermuteProgram& program,
                                       const PermuteSection& section) {
    return UnpackPlanner(program, section).plan();
}

}  // namespace tombola::impl::cpu::x64
