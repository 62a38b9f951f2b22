// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/shuffle/unpack_plan.hpp"
#include "cpu/x64/vec_traits.hpp"

// Transposes and interleaves of rows by networks of unpacks. unpack_plan.hpp says what a network is, and decides which lanes of
// the source it takes. For each lane that is stored, the operations are:
//
//   registers = load, or load and insert, the two lanes of each; where a lane begins within a block, align two of these
//   outputs   = levels of unpacks of the registers
//   lane      = an output, or align the end of one and the begin of another
//
// Where a lane has two pixels, it is permuted behind its load, so that their units lie side by side, and again before it is stored.
//
// All outputs of a network at once may need more registers than there are. Then it is computed in several passes, which make
// fewer outputs each.

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kVectorBytes = 32, kWorking = 12, kRegisters = 16;

class UnpackLowering : public Lowering {
  public:
    explicit UnpackLowering(const PermuteProgram& program) : Lowering(program, kVectorBytes) {
        const int each = unit(), half = kLaneBytes / 2;
        const auto place = [&](int i) { return std::tuple{i % kLaneBytes / each, i % each}; };
        side_by_side_ = indices(1, [&](int i) {
            const auto [u, byte] = place(i);
            return u / 2 * each + u % 2 * half + byte;
        });
        one_behind_other_ = indices(1, [&](int i) {
            const auto [u, byte] = place(i);
            return u * each % half * 2 + u * each / half * each + byte;
        });
    }

  private:
    using Segment = UnpackPlan::Segment;
    using Part = UnpackPlan::Part;
    using SourceLane = UnpackPlan::SourceLane;
    using Values = std::array<int, kLaneBytes>;  // one for each register of a network

    // In one pass or, to keep fewer outputs in registers, in several.
    bool lower_section(const PermuteSection& section) override {
        auto plan = plan_unpacks(program(), section);
        if (!plan) return false;
        plan_ = std::move(*plan);
        size_t most = 1;
        for (const auto& network : plan_.networks) most = std::max(most, network.registers.size());
        for (size_t passes = 1; passes <= most; passes *= 2) {
            restart_section();
            values_.clear();
            Values none;
            none.fill(kNone);
            outputs_.assign(plan_.networks.size(), none);
            passes_ = static_cast<int>(passes);
            store_parts();
            const int live = most_live();
            use_registers(std::max(live + 1, kWorking));
            if (live < kRegisters) return true;
        }
        return false;
    }

    // Two lanes that lie side by side are stored together, if at most one operation brings them into a register.
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
        const int low = value_of(a), high = value_of(b);
        const Piece both{a.dst, kVectorBytes};
        if (low == high && a.lane == 0 && b.lane == 1)
            store(low, both);
        else if (a.lane == b.lane || a.lane == kNone || b.lane == kNone)
            store(unpack(kLaneBytes, low, high, std::max({a.lane, b.lane, 0})), both);
        else
            return false;
        return true;
    }

    void store_one(const Part& part) {
        const int value = value_of(part), lane = std::max(part.lane, 0);
        if (part.bytes == kLaneBytes) return store(value, {part.dst, kLaneBytes}, lane);
        const int low = lane == 0 ? value : permute_quads(value, {2, 3, 0, 1});
        store(align(low, low, part.from[0].skipped * plan_.unit), {part.dst, part.bytes});
    }

    int value_of(const Part& part) {
        const auto [known, is_new] = values_.try_emplace(part.from, kNone);
        if (is_new) known->second = in_order(join(part.from), true);
        return known->second;
    }

    // A lane of one output, or of the end of one and the begin of another.
    int join(const std::array<Segment, 2>& from) {
        const int unit = plan_.unit;
        int a = value_of(from[0]);
        if (from[1].units == 0) return a;
        int b = value_of(from[1]);
        if (from[0].network >= 0) a = align(a, a, (from[0].skipped + from[0].units) * unit);
        if (from[1].network >= 0) b = align(b, b, from[1].skipped * unit);
        return align(a, b, kLaneBytes - from[0].units * unit);
    }

    int value_of(const Segment& segment) {
        return segment.network == UnpackPlan::kZeros ? zero()
                                                     : output(segment.network, segment.output);
    }

    // Output j of a network. Those of the same pass are made with it.
    int output(int n, int j) {
        const UnpackPlan::Network& network = plan_.networks[n];
        Values& known = outputs_[n];
        if (known[j] != kNone) return known[j];
        const int registers = static_cast<int>(network.registers.size());
        Values values{};
        for (int r = 0; r < registers; ++r) values[r] = load_register(network.registers[r]);
        const int batch = std::max(registers / passes_, 1);
        const auto in_pass = static_cast<uint32_t>(low_bits(batch)) << (j / batch * batch);
        const uint32_t wanted = network.outputs & in_pass;
        unpack_levels(values, registers, network.levels, wanted);
        for (int i = 0; i < registers; ++i)
            if (has(wanted, i))
                known[i] = network.folded ? permute_quads(values[i], {0, 2, 1, 3}) : values[i];
        return known[j];
    }

    static bool has(uint32_t set, int i) { return (set >> i & 1) != 0; }

    // Replaces the registers by those after so many levels. Only the wanted ones are made.
    void unpack_levels(Values& values, int count, int levels, uint32_t wanted) {
        if (levels == 0) return;
        uint32_t before = 0;  // the last level
        for (int j = 0; j < count; ++j)
            if (has(wanted, j)) before |= (1U | 1U << count / 2) << j / 2;
        unpack_levels(values, count, levels - 1, before);
        const Values from = values;
        for (int j = 0; j < count; ++j)
            if (has(wanted, j))
                values[j] = unpack(plan_.unit, from[j / 2], from[j / 2 + count / 2], j % 2);
    }

    int load_register(const std::array<SourceLane, 2>& lanes) {
        const auto [low, high] = lanes;
        if (!low.is_used && !high.is_used) return zero();
        // A lane that is not used may be the same as the other one.
        const SourceLane &a = low.is_used ? low : high, &b = high.is_used ? high : low;
        const int value = load_two(a.first, b.first, high.is_used);
        const bool is_one_load = a.is_one_load() && b.is_one_load();
        if (a.moved != b.moved) return rotate_lanes(value, {a.moved, b.moved});
        return align(value, is_one_load ? value : load_two(a.next, b.next, high.is_used), a.moved);
    }

    // Lanes of memory. The second one may be left out unless `both`.
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
        if (!plan_.has_two_pixels) return value;
        return permute_lanes(value, stored ? one_behind_other_ : side_by_side_, kVectorBytes);
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

    Table side_by_side_, one_behind_other_;  // see in_order()
    UnpackPlan plan_;
    int passes_ = 1;
    std::vector<Values> outputs_;                   // of each network; kNone while it is not there
    std::map<std::array<Segment, 2>, int> values_;  // of parts
};

}  // namespace

std::optional<Operations> lower_to_unpacks(const PermuteProgram& program) {
    return UnpackLowering(program).lower();
}

}  // namespace tombola::impl::cpu::x64
