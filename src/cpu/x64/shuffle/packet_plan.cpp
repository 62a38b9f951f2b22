// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/packet_plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr std::array<int, kMaxSlots> kEmpty = {kNone, kNone, kNone, kNone,
                                               kNone, kNone, kNone, kNone};

class PacketPlanner {
  public:
    PacketPlanner(const PermuteProgram& program, const PacketShape& shape)
        : program_(program), shape_(shape) {}

    std::optional<PacketPlan> plan(const PermuteSection& section) {
        if (!add_outputs(section)) return std::nullopt;
        cut_into_packets();
        group_packets();
        for (size_t p = 0; p < plan_.packets.size(); ++p) colour(static_cast<int>(p));
        return std::move(plan_);
    }

  private:
    using Unit = PacketPlan::Unit;
    using Output = PacketPlan::Output;
    using Packet = PacketPlan::Packet;

    int unit() const { return program_.unit; }

    // ---- outputs -------------------------------------------------------------------------------------------------

    bool add_outputs(const PermuteSection& section) {
        const int lane_units = shape_.lane_bytes / unit();
        // The sources of each lane of the destination, by its offset.
        std::map<int64_t, const int64_t*> lanes;
        for (const PermuteOutput& output : section.outputs) {
            if (output.units % lane_units != 0) return false;
            for (int i = 0; i < output.units; i += lane_units)
                lanes[output.place(i * unit())] = program_.source(output) + i;
        }
        while (!lanes.empty()) {
            const auto [dst, source] = *lanes.begin();
            lanes.erase(lanes.begin());
            Output output{dst, 1, 0, {}, kEmpty};
            while (output.copies < shape_.vector_bytes / shape_.lane_bytes &&
                   are_moved(lanes, dst, source, output.copies))
                output.copies *= 2;
            for (int copy = 1; copy < output.copies; ++copy)
                lanes.erase(dst + copy * shape_.distance);
            for (int i = 0; i < lane_units; ++i)
                if (source[i] >= 0 && !add_unit(output, source[i], i, section.extents))
                    return false;
            plan_.outputs.push_back(std::move(output));
        }
        return true;
    }

    // Whether the copies from `first` to 2 * first - 1 are there.
    bool are_moved(const std::map<int64_t, const int64_t*>& lanes, int64_t dst,
                   const int64_t* source, int first) const {
        for (int copy = first; copy < 2 * first; ++copy) {
            const auto lane = lanes.find(dst + copy * shape_.distance);
            if (lane == lanes.end()) return false;
            for (int i = 0; i < shape_.lane_bytes / unit(); ++i) {
                const int64_t moved =
                    source[i] < 0 ? source[i] : source[i] + copy * shape_.distance;
                if (lane->second[i] != moved) return false;
            }
        }
        return true;
    }

    // Lanes of the source are counted from the start of their extent.
    bool add_unit(Output& output, int64_t source, int i, const std::vector<Piece>& extents) {
        const Piece& extent = *extent_at(extents, source);
        const int64_t in_extent = source - extent.offset, in_lane = in_extent % shape_.lane_bytes;
        const int64_t lane = source - in_lane;
        if (lane + (output.copies - 1) * shape_.distance + shape_.lane_bytes > extent.end())
            return false;
        output.place = in_extent / (output.copies * shape_.distance);
        output.units.push_back({lane, static_cast<int>(in_lane), i * unit()});
        return true;
    }

    // ---- packets -------------------------------------------------------------------------------------------------

    void cut_into_packets() {
        const auto count = static_cast<size_t>(shape_.packet_bytes / unit());
        for (size_t o = 0; o < plan_.outputs.size(); ++o) {
            std::vector<Unit>& units = plan_.outputs[o].units;
            std::sort(units.begin(), units.end(), [](const Unit& a, const Unit& b) {
                return std::tie(a.lane, a.byte) < std::tie(b.lane, b.byte);
            });
            for (size_t first = 0; first < units.size(); first += count) {
                const size_t end = std::min(first + count, units.size());
                plan_.packets.push_back({static_cast<int>(o),
                                         {units.begin() + static_cast<std::ptrdiff_t>(first),
                                          units.begin() + static_cast<std::ptrdiff_t>(end)}});
            }
        }
    }

    // Packets of the same pixels share a register if they follow one another in the order of their sources.
    void group_packets() {
        const auto kind = [&](const Packet& p) {
            return std::make_pair(plan_.outputs[p.output].copies, plan_.outputs[p.output].place);
        };
        std::vector<size_t> order(plan_.packets.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) {
            const auto key = [&](const Packet& p) {
                return std::make_tuple(kind(p), p.units[0].lane, p.units[0].byte);
            };
            return key(plan_.packets[i]) < key(plan_.packets[j]);
        });
        int used = shape_.slots();
        for (size_t i = 0; i < order.size(); ++i) {
            Packet& packet = plan_.packets[order[i]];
            const bool other_lane =
                i > 0 && packet.units[0].lane != plan_.packets[order[i - 1]].units[0].lane;
            if (used == shape_.slots() || kind(packet) != kind(plan_.packets[order[i - 1]]) ||
                (shape_.from_one_lane && other_lane)) {
                plan_.groups.push_back({kEmpty});
                used = 0;
            }
            packet.group = static_cast<int>(plan_.groups.size()) - 1;
            ++used;
        }
    }

    // Gives packet p the slot `a`, which is free in its group. If a packet of its output has that slot, take a slot `b` that is
    // free in the output. The packets of the slots a and b in turn form a path that begins at the output. All packets of the
    // path change from a to b or from b to a; then `a` is free in the output too. The path does not reach the group of p: it
    // enters a group by a packet of slot a, and that group has none.
    void colour(int p) {
        const auto free_slot = [](const std::array<int, kMaxSlots>& packets) {
            return static_cast<int>(std::find(packets.begin(), packets.end(), kNone) -
                                    packets.begin());
        };
        Packet& packet = plan_.packets[p];
        const int a = free_slot(plan_.groups[packet.group].packets);
        const int b = free_slot(plan_.outputs[packet.output].packets);
        std::vector<int> path;
        int next = plan_.outputs[packet.output].packets[a];
        for (bool to_group = true; next != kNone; to_group = !to_group) {
            path.push_back(next);
            const Packet& at = plan_.packets[next];
            next =
                to_group ? plan_.groups[at.group].packets[b] : plan_.outputs[at.output].packets[a];
        }
        for (const int q : path) place(q, kNone);
        for (const int q : path) place(q, a + b - plan_.packets[q].slot);
        place(p, a);
    }

    // Puts a packet into a slot, or takes it out of its slot, which it remembers.
    void place(int p, int slot) {
        Packet& packet = plan_.packets[p];
        const int at = slot == kNone ? packet.slot : slot;
        plan_.groups[packet.group].packets[at] = slot == kNone ? kNone : p;
        plan_.outputs[packet.output].packets[at] = slot == kNone ? kNone : p;
        packet.slot = at;
    }

    const PermuteProgram& program_;
    PacketShape shape_;
    PacketPlan plan_;
};

}  // namespace

std::optional<PacketPlan> plan_packets(const PermuteProgram& program, const PermuteSection& section,
                                       const PacketShape& shape) {
    return PacketPlanner(program, shape).plan(section);
}

}  // namespace tombola::impl::cpu::x64
