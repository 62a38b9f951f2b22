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
        std::array<Lane, kLaneBytes> lanes;  // of K registers
        int network = kNone, lane = 0;       // lane: of the network's registers
    };

    const std::vector<Piece>& extents() const { return section_.extents; }

    // ---- places --------------------------------------------------------------------------------------------------

    // Blocks of whole lanes have places as if they lay side by side, so that a row may go on in the next block. For others, a place is
    // the offset of the source. Where a lane has two pixels, the units of the first one have places, and are twice as wide.
    bool has_blocks() const { return block_ >= kLaneBytes; }
    int64_t place_of(int64_t source) const {
        if (source < 0 || !has_blocks()) return source;
        const Piece* const extent = extent_at(extents(), source);
        const int64_t at = source - extent->offset, in_block = at % block_;
        return at / block_ * kPixel + (extent - extents().data()) * block_ +
               (has_two_pixels_ ? 2 * in_block : in_block);
    }
    // The source of the lane at that place, which is a multiple of 16 in blocks.
    int64_t source_of(int64_t place) const {
        const int64_t in_pixel = place % kPixel;
        return extents()[static_cast<size_t>(in_pixel / block_)].offset + in_pixel % block_ +
               place / kPixel * block_;
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
        // Any lane is an output of a tile of its own, with K = N. That gathers.
        const size_t max_tiles = kMaxLoads * lanes_.size() / K_;
        for (const StoredLane& lane : lanes_)
            if (!add_part(lane) || tiles_.size() > max_tiles) return false;
        return true;
    }

    // The lane is a segment of a known tile, or two; or one of a new tile and one of a known one; or one of a new tile.
    // Until make_networks(), a segment has the number of its tile.
    bool add_part(const StoredLane& lane) {
        const int64_t* const places = lane.places.data();
        const auto units = static_cast<int>(lane.places.size());
        Part& part = plan_.parts.emplace_back(Part{lane.dst, units * unit_, {}});
        Segment &a = part.from[0], &b = part.from[1];
        a = find(places, units);
        if (units == N_ && a.units > 0 && a.units < units)
            b = find(places + a.units, units - a.units);
        if (a.units + b.units < units && !add_tile(places, units, a, b)) return false;
        if (a.network >= 0) take(tiles_[a.network], a, places, a.units);
        if (b.network >= 0) take(tiles_[b.network], b, places + a.units, b.units);
        return true;
    }

    // Makes a tile for the first units, or for all. If K = N, a tile would serve any units, so all is the last choice.
    bool add_tile(const int64_t* places, int units, Segment& a, Segment& b) {
        a = {static_cast<int>(tiles_.size()), 0, 0, 0};
        tiles_.emplace_back();
        const int served = matches({}, a, places, units);
        const bool is_whole = served == units;
        if (units == N_ && !(is_whole && K_ < N_))
            for (a.units = std::min(served, N_ - 1); a.units > 0; --a.units) {
                tiles_.back() = {};
                take(tiles_.back(), a, places, a.units);
                b = find(places + a.units, N_ - a.units);
                const bool goes_on = b.network == a.network && b.output == a.output;
                if (a.units + b.units == N_ && !goes_on) return true;
            }
        tiles_.back() = {};
        a.units = served;
        b = {};
        return is_whole;
    }

    // The longest segment of a tile that the first units are.
    Segment find(const int64_t* places, int units) const {
        Segment best;
        if (places[0] == kZeroSource) {
            const auto is_zero = [](int64_t place) { return place == kZeroSource; };
            best.network = UnpackPlan::kZeros;
            best.units =
                static_cast<int>(std::find_if_not(places, places + units, is_zero) - places);
        }
        if (places[0] < 0) return best;
        for (size_t t = 0; t < tiles_.size() && best.units < units; ++t)
            for (int r = 0; r < K_; ++r) {
                const int64_t at = tiles_[t].lanes[r].at;
                if (at == kUnknown) continue;
                const int64_t in_lane = places[0] - at;
                if (in_lane < 0 || in_lane >= kLaneBytes || in_lane % unit_ != 0) continue;
                const int to = unpacked(r * N_ + static_cast<int>(in_lane) / unit_);
                Segment segment{static_cast<int>(t), to / N_, to % N_, 0};
                segment.units = matches(tiles_[t], segment, places, units);
                if (segment.units > best.units) best = segment;
            }
        return best;
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

    // How many of the units are those of the segment.
    int matches(Tile tile, const Segment& segment, const int64_t* places, int units) const {
        return take(tile, segment, places, units);
    }

    // Notes that the segment is needed of the tile, as far as the units are those of the segment, and returns how many are.
    // Lanes that are not known yet begin where they have to.
    int take(Tile& tile, const Segment& segment, const int64_t* places, int units) const {
        int i = 0;
        for (; i < units && segment.skipped + i < N_; ++i) {
            if (places[i] == kAnySource) continue;
            if (places[i] < 0) break;
            const int number = number_at(segment.output * N_ + segment.skipped + i);
            const int64_t at = places[i] - number % N_ * unit_;
            Lane& lane = tile.lanes[number / N_];
            if (lane.at == kUnknown) lane.at = at;
            if (lane.at != at) break;
            lane.first = std::min(lane.first, places[i]);
            lane.end = std::max(lane.end, places[i] + unit_);
        }
        return i;
    }

    // ---- networks ------------------------------------------------------------------------------------------------

    // Of pairs of tiles that are alike, and of single ones. Returns whether all can be loaded, and all parts be stored.
    bool make_networks() {
        for (size_t t = 0; t < tiles_.size(); ++t)
            if (tiles_[t].network == kNone && !make_network(t)) return false;
        return std::all_of(plan_.parts.begin(), plan_.parts.end(),
                           [&](Part& part) { return take_from_networks(part); });
    }

    bool make_network(size_t t) {
        const auto number = static_cast<int>(plan_.networks.size());
        Network& network = plan_.networks.emplace_back();
        Tile& tile = tiles_[t];
        const auto partner = std::find_if(tiles_.begin() + t + 1, tiles_.end(),
                                          [&](const Tile& u) { return may_pair(tile, u); });
        const bool paired = partner != tiles_.end();
        network.folded = !paired && K_ == N_;
        network.levels = network.folded ? levels_ - 1 : levels_;
        tile.network = number;
        if (paired) {
            partner->network = number;
            partner->lane = 1;
        }
        const int registers = network.folded ? K_ / 2 : K_;
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

    // Whether all lanes of the second tile are as far from those of the first.
    bool may_pair(const Tile& a, const Tile& b) const {
        if (K_ > kMaxPaired || b.network != kNone) return false;
        int64_t distance = kUnknown;
        for (int r = 0; r < K_; ++r) {
            const int64_t from = a.lanes[r].at, to = b.lanes[r].at;
            if ((from == kUnknown) != (to == kUnknown)) return false;
            if (from == kUnknown) continue;
            if (distance == kUnknown) distance = to - from;
            if (to - from != distance) return false;
        }
        return !has_blocks() || distance % kPixel == 0;
    }

    // From here on, the segments of the part have the numbers of their networks. All of a part must lie in the same lane.
    bool take_from_networks(Part& part) {
        for (Segment& segment : part.from) {
            if (segment.network < 0) continue;
            const Tile& tile = tiles_[segment.network];
            Network& network = plan_.networks[tile.network];
            const int lane = network.folded ? segment.output % 2 : tile.lane;
            if (part.lane != kNone && part.lane != lane) return false;
            part.lane = lane;
            segment.network = tile.network;
            if (network.folded) segment.output /= 2;
            network.outputs |= uint32_t{1} << segment.output;
        }
        return true;
    }

    // Whether one operation moves both lanes of a register. Two loads are aligned alike in both.
    static bool can_share(const SourceLane& a, const SourceLane& b) {
        return !a.is_used || !b.is_used || a.moved == b.moved ||
               (a.is_one_load() && b.is_one_load());
    }

    // Empty if what is needed of the lane does not lie in a lane of one extent.
    std::optional<SourceLane> source_lane(const Lane& lane) const {
        if (lane.at == kUnknown) return SourceLane{};
        if (has_blocks()) {
            const int64_t low = lane.at & -kLaneBytes, high = low + kLaneBytes;
            const int64_t from = source_of(lane.first < high ? low : high);
            return SourceLane{true, from, lane.end > high ? source_of(high) : from,
                              static_cast<int>(lane.at - low)};
        }
        const Piece* const extent = extent_at(extents(), lane.first);
        const int64_t from =
            std::max(std::min(lane.at, extent->end() - kLaneBytes), extent->offset);
        if (extent->bytes < kLaneBytes || lane.first < from || lane.end > from + kLaneBytes)
            return std::nullopt;
        return SourceLane{true, from, from, static_cast<int>(lane.at - from) & (kLaneBytes - 1)};
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
    UnpackPlan plan_;
};

}  // namespace

std::optional<UnpackPlan> plan_unpacks(const PermuteProgram& program,
                                       const PermuteSection& section) {
    return UnpackPlanner(program, section).plan();
}

}  // namespace tombola::impl::cpu::x64
