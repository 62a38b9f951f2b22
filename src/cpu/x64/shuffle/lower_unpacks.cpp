// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/shuffle/unpack_plan.hpp"

// Transposes and interleaves of rows by networks of unpacks. unpack_plan.hpp says what a network is, and decides which lanes of the source
// each network takes. The operations for each lane that is stored are:
//
//   registers = load, or load and insert, the two lanes of each; where a lane begins within a block, align two of these
//   outputs   = levels of unpacks of the registers
//   lane      = an output, or several outputs whose segments are aligned one after the other
//
// If a lane has two pixels, it is permuted after its load, so that the units of both pixels lie side by side, and permuted back before its
// store.
//
// All outputs of a network are made at once. If they need more registers than there are, values are spilled to the stack frame.

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kYmmBytes = 32;
// The number of registers for values. Of the 16, one more is for a table that is loaded for each use; any others hold tables.
constexpr int kMinLive = 11, kMaxLive = 15;

class UnpackLowering : public Lowering {
  public:
    UnpackLowering(const PermuteProgram& program, UnpackTiles tiles)
        : Lowering(program, kYmmBytes, true), tiles_(tiles) {
        const int each = unit(), half = kLaneBytes / 2;
        const auto place = [&](int i) { return std::tuple{i % kLaneBytes / each, i % each}; };
        side_by_side_ = indices(1, [&](int i) {
            const auto [u, byte] = place(i);
            return u / 2 * each + u % 2 * half + byte;
        });
        one_after_other_ = indices(1, [&](int i) {
            const auto [u, byte] = place(i);
            return u * each % half * 2 + u * each / half * each + byte;
        });
    }

  private:
    using Segment = UnpackPlan::Segment;
    using Part = UnpackPlan::Part;
    using SourceLane = UnpackPlan::SourceLane;
    using Values = std::array<int, kLaneBytes>;  // one for each register of a network

    bool lower_section(const PermuteSection& section) override {
        auto plan = plan_unpacks(program(), section, tiles_);
        if (!plan) return false;
        plan_ = std::move(*plan);
        values_.clear();
        exchanged_.clear();
        Values none;
        none.fill(kNone);
        outputs_.assign(plan_.networks.size(), none);
        store_parts();
        const int live = max_live_values();
        if (live > kMaxLive) limit_live_values(kMaxLive);
        use_registers(std::clamp(live, kMinLive, kMaxLive) + 1);
        return true;
    }

    // Stores all parts. Two lanes that lie side by side in memory are stored together, if at most one operation brings them into one
    // register.
    void store_parts() {
        const std::vector<Part>& parts = plan_.parts;
        for (size_t p = 0; p < parts.size(); ++p) {
            const bool has_next = p + 1 < parts.size() && parts[p].bytes == kLaneBytes &&
                                  parts[p + 1].bytes == kLaneBytes &&
                                  parts[p + 1].dst == parts[p].dst + kLaneBytes;
            if (has_next && store_two(parts[p], parts[p + 1]))
                ++p;
            else
                store_one(parts[p]);
        }
    }

    bool store_two(const Part& a, const Part& b) {
        const int low = lane_of(a), high = lane_of(b);
        const Piece both{a.dst, kYmmBytes};
        if (low == high && a.lane == 0 && b.lane == 1)
            store(low, both);
        else if (a.lane == b.lane || a.lane == kNone || b.lane == kNone)
            store(unpack(kLaneBytes, low, high, std::max({a.lane, b.lane, 0})), both);
        else
            return false;
        return true;
    }

    void store_one(const Part& part) {
        const int value = lane_of(part), lane = std::max(part.lane, 0);
        if (part.bytes == kLaneBytes) return store(value, {part.dst, kLaneBytes}, lane);
        const int low = lane == 0 ? value : permute_quads(value, {2, 3, 0, 1});
        store(low, {part.dst, part.bytes});
    }

    // Parts with equal segments share a value: one part is in one of its lanes, the other part in the other lane.
    int lane_of(const Part& part) {
        const auto [known, is_new] = values_.try_emplace(part.from, kNone);
        if (is_new) known->second = in_order(join(part.from), true);
        return known->second;
    }

    // Joins the segments, one after the other, from the first byte of the lane on. While segments are added, the segments so far are the
    // last bytes of the lane, because align() appends after them.
    int join(const std::array<Segment, UnpackPlan::kMaxSegments>& from) {
        if (from[1].units == 0) return rotated(from[0], from[0].skipped);
        int value = rotated(from[0], from[0].skipped + from[0].units), units = from[0].units;
        for (size_t i = 1; i < from.size() && from[i].units > 0; ++i) {
            value = align(value, rotated(from[i], from[i].skipped), from[i].units * plan_.unit);
            units += from[i].units;
        }
        return align(value, value, kLaneBytes - units * plan_.unit);
    }

    // The output of a segment, from that unit on.
    int rotated(const Segment& segment, int units) {
        const int value = value_of(segment);
        return segment.network < 0 ? value : align(value, value, units * plan_.unit);
    }

    int value_of(const Segment& segment) {
        if (segment.network == UnpackPlan::kZeros) return zero();
        const int value = output(segment.network, segment.output);
        if (!segment.is_other) return value;
        const auto [known, is_new] = exchanged_.try_emplace(value, kNone);
        if (is_new) known->second = permute_quads(value, {2, 3, 0, 1});
        return known->second;
    }

    // Output j of a network. The first call makes all outputs of the network.
    int output(int n, int j) {
        const UnpackPlan::Network& network = plan_.networks[n];
        Values& known = outputs_[n];
        if (known[j] != kNone) return known[j];
        const int registers = static_cast<int>(network.registers.size());
        Values values{};
        for (int r = 0; r < registers; ++r) values[r] = load_register(network.registers[r]);
        unpack_levels(values, registers, network.levels, network.outputs);
        for (int i = 0; i < registers; ++i)
            if (has(network.outputs, i))
                known[i] = network.folded ? permute_quads(values[i], {0, 2, 1, 3}) : values[i];
        return known[j];
    }

    static bool has(uint32_t set, int i) { return (set >> i & 1) != 0; }

    // Replaces the registers by those after `levels` levels of unpacks. After the last level, only the registers in `wanted` are made.
    void unpack_levels(Values& values, int count, int levels, uint32_t wanted) {
        if (levels == 0) return;
        uint32_t before = 0;  // the last level
        for (int j = 0; j < count; ++j)
            if (has(wanted, j)) before |= (1U | 1U << count / 2) << j / 2;
        unpack_levels(values, count, levels - 1, before);
        const Values from = values;
        for (int j = 0; j < count; ++j)
            if (has(wanted, j)) values[j] = unpack_two(from[j / 2], from[j / 2 + count / 2], j % 2);
    }

    // Of registers that are not used, there is none.
    int unpack_two(int a, int b, int half) {
        if (a == kNone && b == kNone) return kNone;
        return unpack(plan_.unit, a == kNone ? b : a, b == kNone ? a : b, half);
    }

    int load_register(const std::array<SourceLane, 2>& lanes) {
        const auto [low, high] = lanes;
        if (!low.is_used && !high.is_used) return kNone;
        // A lane that is not used may be the same as the other one.
        const SourceLane &a = low.is_used ? low : high, &b = high.is_used ? high : low;
        const int value = load_two(a.first, b.first, high.is_used);
        const bool is_one_load = a.is_one_load() && b.is_one_load();
        if (a.moved != b.moved) return rotate_lanes(value, {a.moved, b.moved});
        return align(value, is_one_load ? value : load_two(a.next, b.next, high.is_used), a.moved);
    }

    // Loads two lanes of memory into one register. Unless `both`, the second lane may be left out.
    int load_two(int64_t a, int64_t b, bool both) {
        int value = kNone;
        if (b == a + kLaneBytes)
            value = load({a, kYmmBytes});
        else if (a == b && both)
            value = broadcast_lane({a, kLaneBytes});
        else {
            value = load({a, kLaneBytes});
            if (both) value = insert(value, {b, kLaneBytes}, 1);
        }
        return in_order(value, false);
    }

    // For a lane with two pixels: interleaves their units or, if `stored`, puts one pixel after the other.
    int in_order(int value, bool stored) {
        if (!plan_.has_two_pixels) return value;
        return permute_lanes(value, stored ? one_after_other_ : side_by_side_, kYmmBytes);
    }

    // In each lane, 16 consecutive bytes, from byte `from` on, of the bytes of `a` followed by the bytes of `b`.
    int align(int a, int b, int from) {
        return from == 0 ? a : from == kLaneBytes ? b : align_lanes(a, b, from);
    }

    // Byte i of a lane becomes byte i + bytes[lane] mod 16.
    int rotate_lanes(int value, const std::array<int, 2>& bytes) {
        const auto from = [&](int i) { return (i + bytes[i / kLaneBytes]) % kLaneBytes; };
        return permute_lanes(value, indices(1, from), kYmmBytes);
    }

    // Permutes pieces of 8 bytes.
    int permute_quads(int value, const std::array<int, 4>& order) {
        return permute(4, value, indices(4, [&](int i) { return 2 * order[i / 2] + i % 2; }));
    }

    UnpackTiles tiles_;
    Table side_by_side_, one_after_other_;  // see in_order()
    UnpackPlan plan_;
    std::vector<Values> outputs_;  // the outputs of each network; kNone before they are made
    // The value of each list of segments.
    std::map<std::array<Segment, UnpackPlan::kMaxSegments>, int> values_;
    std::map<int, int> exchanged_;  // for each value: the value with its two lanes exchanged
};

}  // namespace

std::vector<Operations> lower_to_unpacks(const PermuteProgram& program, CpuIsa isa,
                                         double max_cycles) {
    std::vector<Operations> all;
    if (isa != CpuIsa::avx2 || program.unit > 2) return all;
    for (const UnpackTiles tiles : {UnpackTiles::found, UnpackTiles::folded, UnpackTiles::paired})
        UnpackLowering(program, tiles).add_to(all, max_cycles);
    return all;
}

}  // namespace tombola::impl::cpu::x64
