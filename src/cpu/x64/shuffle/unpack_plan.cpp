// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/unpack_plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tombola::impl::cpu::x64 {
namespace {

// Loads per lane that is stored, on average. The limits bound the time of planning; the cost decides among plans. A section may store few
// lanes of each tile that it cuts from the matrix.
constexpr int kMaxLoads = 4, kMaxLoadsOfCuts = 16;
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
          N_(kLaneBytes / unit_),
          row_(has_two_pixels_ ? 2 * program.row_bytes : program.row_bytes) {}

    std::optional<UnpackPlan> plan(UnpackTiles tiles) {
        if (!list_lanes()) return std::nullopt;
        if (tiles != UnpackTiles::found) {
            pairs_large_ = tiles == UnpackTiles::paired;
            if (!has_pixels() || !cut_matrix()) return std::nullopt;
            // Without large tiles, `folded` and `paired` give the same result.
            const bool has_large = std::any_of(tiles_.begin(), tiles_.end(), is_large);
            if ((pairs_large_ && !has_large) || !make_networks()) return std::nullopt;
            return std::move(plan_);
        }
        for (levels_ = 1; 1 << levels_ <= N_; ++levels_)
            for (K_ = 2; K_ <= 1 << levels_ && K_ < N_; K_ *= 2)
                if (find_parts() && make_networks()) return std::move(plan_);
        return std::nullopt;
    }

  private:
    using Segment = UnpackPlan::Segment;
    using Part = UnpackPlan::Part;
    using SourceLane = UnpackPlan::SourceLane;
    using Network = UnpackPlan::Network;

    // A lane that is stored, and the places of its units.
    struct StoredLane {
        int64_t dst;
        std::vector<int64_t> places;
    };
    // Where the lane of a register begins, and the bytes that are needed of it: all as places.
    struct Lane {
        int64_t at = kUnknown, first = INT64_MAX, end = INT64_MIN;
    };
    struct Tile {
        int K = 0, levels = 0;
        std::array<Lane, kLaneBytes> lanes{};  // of K registers
        int network = kNone, lane = 0;         // lane: which lane of the network's registers it is
    };
    // A pair of such tiles needs more registers than there are.
    static bool is_large(const Tile& tile) { return tile.K > kMaxPaired; }

    const std::vector<Piece>& extents() const { return section_.extents; }

    // ---- places --------------------------------------------------------------------------------------------------

    // The place of a unit: its offset if the channels of a pixel lay side by side, and the pixels were kPixel apart. A row may go on in the
    // next block, but no lane goes on in the next pixel. If a lane has two pixels, only the units of the first pixel have places, and count
    // as twice as wide. If blocks are shorter than a lane, places are the offsets of the source.
    bool has_blocks() const { return block_ >= kLaneBytes; }
    bool has_pixels() const { return has_blocks() || program_.pixel_bytes > 0; }
    int64_t place_of(int64_t source) const {
        if (source < 0 || !has_pixels()) return source;
        if (!has_blocks())
            return source / program_.pixel_bytes * kPixel + source % program_.pixel_bytes;
        const int64_t extent = extent_at(extents(), source)->offset;
        const int64_t at = source - extent, in_block = at % block_;
        return at / block_ * kPixel + extent / program_.block_stride * block_ +
               (has_two_pixels_ ? 2 * in_block : in_block);
    }
    // The source of the unit at that place.
    int64_t source_of(int64_t place) const {
        const int64_t pixel = place / kPixel, at = place % kPixel;
        if (!has_pixels()) return place;
        if (!has_blocks()) return pixel * program_.pixel_bytes + at;
        return at / block_ * program_.block_stride + at % block_ + pixel * block_;
    }

    // ---- parts and tiles -----------------------------------------------------------------------------------------

    // Returns whether all lanes are such that tiles may serve them.
    bool list_lanes() {
        const int units = kLaneBytes / program_.unit;  // in a lane of memory
        for (const PermuteOutput& output : section_.outputs)
            for (int i = 0; i < output.units; i += units) {
                const int64_t* const source = program_.source(output) + i;
                const int here = std::min(output.units - i, units);
                if (has_two_pixels_ && (here < units || !are_two_pixels(source))) return false;
                StoredLane& lane = lanes_.emplace_back();
                lane.dst = output.place(i * program_.unit);
                for (int u = 0; u < std::min(here, N_); ++u)
                    lane.places.push_back(place_of(source[u]));
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
        plan_ = {unit_, has_two_pixels_, {}, {}};
        const size_t max_tiles = kMaxLoads * lanes_.size() / K_;
        for (const StoredLane& lane : lanes_)
            if (!add_part(lane) || tiles_.size() > max_tiles) return false;
        return true;
    }

    // Adds a lane, which is one of these: one or two segments of known tiles; a segment of a new tile and one of a known tile; a segment of
    // a new tile. Until make_networks(), a segment holds the number of its tile.
    bool add_part(const StoredLane& lane) {
        const int64_t* const places = lane.places.data();
        const auto units = static_cast<int>(lane.places.size());
        Part& part = plan_.parts.emplace_back(Part{lane.dst, units * unit_, {}});
        Segment &a = part.from[0], &b = part.from[1];
        a = find(places, units);
        if (units == N_ && a.units > 0 && a.units < units)
            b = find(places + a.units, units - a.units);
        if (a.units + b.units < units && !add_tile(places, units, a, b)) return false;
        // Both segments may need the same lane of a tile, which was not known yet, at different places.
        return take(a, places) && take(b, places + a.units);
    }

    // Records that the units are those of the segment. Returns false if this contradicts what is recorded.
    bool take(const Segment& segment, const int64_t* places) {
        return segment.network < 0 ||
               take(tiles_[segment.network], segment, places, segment.units) == segment.units;
    }

    // Makes a tile for all units. If it cannot have all of them, it gets as many of the first units as possible, such that one segment of a
    // known tile, or of zeros, has the others. Returns false if that is impossible.
    bool add_tile(const int64_t* places, int units, Segment& a, Segment& b) {
        const auto number = static_cast<int>(tiles_.size());
        Tile& tile = tiles_.emplace_back();
        // Makes the tile anew, for as many of the first `count` units as it can have.
        const auto begin_with = [&](int count) {
            tile = Tile{K_, levels_};
            a = {number, 0, 0, 0};
            a.units = take(tile, a, places, count);
        };
        b = {};
        begin_with(units);
        if (a.units == units) return true;
        if (units < N_) return false;
        for (int first = a.units; first > 0; --first) {
            begin_with(first);
            b = find(places + first, units - first);
            const bool goes_on = b.network == a.network && b.output == a.output;
            if (first + b.units == units && !goes_on) return true;
        }
        return false;
    }

    // The longest segment of a known tile, or of zeros, whose units are the first of these units.
    Segment find(const int64_t* places, int units) const {
        if (places[0] == kZeroSource) return zeros(places, units);
        Segment best;
        if (places[0] < 0) return best;
        for (size_t t = 0; t < tiles_.size() && best.units < units; ++t)
            for (int r = 0; r < K_; ++r) {
                const Segment segment = segment_of(static_cast<int>(t), r, places, units);
                if (segment.units > best.units) best = segment;
            }
        return best;
    }

    static Segment zeros(const int64_t* places, int units) {
        const auto is_zero = [](int64_t place) { return place == kZeroSource; };
        const int64_t* const end = std::find_if_not(places, places + units, is_zero);
        return {UnpackPlan::kZeros, 0, 0, static_cast<int>(end - places)};
    }

    // The segment of tile t that begins with the first of these units, if lane r of the tile has this unit; otherwise a segment of no units.
    Segment segment_of(int t, int r, const int64_t* places, int units) const {
        const int64_t begin = tiles_[t].lanes[r].at;
        if (begin == kUnknown) return {};
        const int64_t in_lane = places[0] - begin;
        if (in_lane < 0 || in_lane >= kLaneBytes || in_lane % unit_ != 0) return {};
        const int to = unpacked(r * N_ + static_cast<int>(in_lane) / unit_);
        Segment segment{t, to / N_, to % N_, 0};
        Tile tried = tiles_[t];
        segment.units = take(tried, segment, places, units);
        return segment;
    }

    // Where the levels bring the unit of that number, and the number of the unit that they bring to a place.
    int unpacked(int number) const {
        const int all = K_ * N_;
        return (number << levels_) % all + (number << levels_) / all;
    }
    int number_at(int unpacked) const {
        const int low = unpacked & ((1 << levels_) - 1);
        return low * (K_ * N_ >> levels_) + (unpacked >> levels_);
    }

    // Records that the segment is needed of the tile, as far as its units agree with `places`. Returns how many units agree. A lane that is
    // not known yet is made to begin where the segment needs it.
    int take(Tile& tile, const Segment& segment, const int64_t* places, int units) const {
        int i = 0;
        for (; i < units && segment.skipped + i < N_; ++i) {
            if (places[i] == kAnySource) continue;
            if (places[i] < 0) break;
            const int number = number_at(segment.output * N_ + segment.skipped + i);
            if (!take(tile.lanes[number / N_], places[i], number % N_)) break;
        }
        return i;
    }

    // Records that unit `i` of the lane has to be the one at that place. Returns false if this contradicts what is recorded.
    bool take(Lane& lane, int64_t place, int i) const {
        const int64_t at = place - i * unit_;
        if (lane.at == kUnknown) lane.at = at;
        if (lane.at != at) return false;
        lane.first = std::min(lane.first, place);
        lane.end = std::max(lane.end, place + unit_);
        return true;
    }

    // ---- tiles of the matrix -------------------------------------------------------------------------------------

    // Every N rows and N columns are a tile. If the last rows are fewer, K is the next power of two.
    bool cut_matrix() {
        plan_ = {unit_, has_two_pixels_, {}, {}};
        for (const StoredLane& lane : lanes_)
            for (const int64_t place : lane.places)
                if (place >= 0) rows_ = std::max(rows_, place % kPixel / row_ + 1);
        const size_t max_loads = kMaxLoadsOfCuts * lanes_.size() + static_cast<size_t>(N_);
        size_t loads = 0;
        return std::all_of(lanes_.begin(), lanes_.end(), [&](const StoredLane& lane) {
            const size_t known = tiles_.size();
            if (!cut_lane(lane)) return false;
            for (size_t t = known; t < tiles_.size(); ++t)
                loads += static_cast<size_t>(tiles_[t].K);
            return loads <= max_loads;
        });
    }

    // Cuts a lane into segments: parts of columns of tiles, and zeros. Returns whether they are few enough.
    bool cut_lane(const StoredLane& lane) {
        const auto units = static_cast<int>(lane.places.size());
        Part& part = plan_.parts.emplace_back(Part{lane.dst, units * unit_, {}});
        int done = 0;
        for (Segment& segment : part.from) {
            if (done == units) break;
            const int64_t* const places = &lane.places[done];
            segment = *places < 0 ? find(places, units - done) : cut_column(places, units - done);
            done += segment.units;
        }
        return done == units;
    }

    // A segment of as many of the units as follow one another in a column of a tile, and of the units after them that may have any value.
    Segment cut_column(const int64_t* places, int units) {
        const int64_t in_pixel = *places % kPixel, row = in_pixel / row_;
        const auto column = static_cast<int>(in_pixel % row_ / unit_);
        const auto [known, is_new] = tile_of_.try_emplace({*places / kPixel, row / N_, column / N_},
                                                          static_cast<int>(tiles_.size()));
        if (is_new) {
            int levels = 0;
            while (1 << levels < std::min<int64_t>(rows_ - row / N_ * N_, N_)) ++levels;
            tiles_.push_back({1 << levels, levels});
        }
        Tile& tile = tiles_[known->second];
        const auto first = static_cast<int>(row % N_);
        // As K = 2^levels, the levels bring the unit of a row r and a column c to c * K + r.
        const int to = column % N_ * tile.K + first;
        Segment segment{known->second, to / N_, to % N_, 0};
        const auto goes_on = [&](int i) {
            return i < units && first + i < tile.K && places[i] == *places + i * row_;
        };
        for (int i = 0; goes_on(i); ++i) {
            take(tile.lanes[first + i], places[i], column % N_);
            ++segment.units;
        }
        while (segment.units < units && places[segment.units] == kAnySource) ++segment.units;
        return segment;
    }

    // ---- networks ------------------------------------------------------------------------------------------------

    // Makes networks from pairs of tiles that are alike, and from single tiles. Returns whether all their lanes can be loaded.
    bool make_networks() {
        for (size_t t = 0; t < tiles_.size(); ++t)
            if (tiles_[t].network == kNone && !make_network(t)) return false;
        for (Part& part : plan_.parts) take_from_networks(part);
        return true;
    }

    bool make_network(size_t t) {
        const auto number = static_cast<int>(plan_.networks.size());
        Network& network = plan_.networks.emplace_back();
        Tile& tile = tiles_[t];
        const auto partner = std::find_if(tiles_.begin() + t + 1, tiles_.end(),
                                          [&](const Tile& u) { return may_pair(tile, u); });
        const bool paired = partner != tiles_.end();
        network.folded = !paired && tile.K == N_;
        network.levels = network.folded ? tile.levels - 1 : tile.levels;
        tile.network = number;
        if (paired) {
            partner->network = number;
            partner->lane = 1;
        }
        const int registers = network.folded ? tile.K / 2 : tile.K;
        for (int r = 0; r < registers; ++r) {
            const auto low = source_lane(tile.lanes[r]);
            const auto high = source_lane(network.folded ? tile.lanes[r + registers]
                                          : paired       ? partner->lanes[r]
                                                         : Lane{});
            if (!low || !high || !can_share(*low, *high)) return false;
            network.registers.push_back({*low, *high});
        }
        return true;
    }

    // Whether all lanes of the second tile have the same distance from those of the first.
    bool may_pair(const Tile& a, const Tile& b) const {
        if (b.network != kNone || a.K != b.K || (is_large(a) && !pairs_large_)) return false;
        int64_t distance = kUnknown;
        for (int r = 0; r < a.K; ++r) {
            const int64_t from = a.lanes[r].at, to = b.lanes[r].at;
            if ((from == kUnknown) != (to == kUnknown)) return false;
            if (from == kUnknown) continue;
            if (distance == kUnknown) distance = to - from;
            if (to - from != distance) return false;
        }
        return !has_blocks() || distance % kPixel == 0;
    }

    // Replaces the numbers of tiles in the segments of a part by the numbers of their networks.
    void take_from_networks(Part& part) {
        for (Segment& segment : part.from) {
            if (segment.network < 0) continue;
            const Tile& tile = tiles_[segment.network];
            Network& network = plan_.networks[tile.network];
            const int lane = network.folded ? segment.output % 2 : tile.lane;
            if (part.lane == kNone) part.lane = lane;
            segment.is_other = lane != part.lane;
            segment.network = tile.network;
            if (network.folded) segment.output /= 2;
            network.outputs |= uint32_t{1} << segment.output;
        }
    }

    // Whether one operation moves both lanes of a register. Two loads are aligned alike in both.
    static bool can_share(const SourceLane& a, const SourceLane& b) {
        return !a.is_used || !b.is_used || a.moved == b.moved ||
               (a.is_one_load() && b.is_one_load());
    }

    // Returns nothing if the bytes that are needed of the lane do not lie in a lane of one extent.
    std::optional<SourceLane> source_lane(const Lane& lane) const {
        if (lane.at == kUnknown) return SourceLane{};
        if (has_blocks()) {
            const int64_t low = lane.at & -kLaneBytes, high = low + kLaneBytes;
            const int64_t from = source_of(lane.first < high ? low : high);
            return SourceLane{true, from, lane.end > high ? source_of(high) : from,
                              static_cast<int>(lane.at - low)};
        }
        const int64_t first = source_of(lane.first), at = first - (lane.first - lane.at);
        const Piece* const extent = extent_at(extents(), first);
        const int64_t from = std::max(std::min(at, extent->end() - kLaneBytes), extent->offset);
        if (extent->bytes < kLaneBytes || first < from ||
            first + lane.end - lane.first > from + kLaneBytes)
            return std::nullopt;
        return SourceLane{true, from, from, static_cast<int>(at - from) & (kLaneBytes - 1)};
    }

    const PermuteProgram& program_;
    const PermuteSection& section_;
    // A lane of memory has two pixels, and each place stands for the units of both.
    bool has_two_pixels_;
    int64_t block_;  // size of a block, in places
    int unit_;
    int N_;
    int64_t row_;       // size of a row of the matrix, in places
    int64_t rows_ = 0;  // rows of the matrix, up to the last one that an output takes from
    bool pairs_large_ = false;
    int K_ = 0, levels_ = 0;
    std::vector<StoredLane> lanes_;
    std::vector<Tile> tiles_;
    // The tiles of the matrix, by pixel, number of the N rows and number of the N columns.
    std::map<std::tuple<int64_t, int64_t, int>, int> tile_of_;
    UnpackPlan plan_;
};

}  // namespace

std::optional<UnpackPlan> plan_unpacks(const PermuteProgram& program, const PermuteSection& section,
                                       UnpackTiles tiles) {
    return UnpackPlanner(program, section).plan(tiles);
}

}  // namespace tombola::impl::cpu::x64
