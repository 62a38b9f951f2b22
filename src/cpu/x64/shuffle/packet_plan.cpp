// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/packet_plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tombola::impl::cpu::x64 {
namespace {

using Slots = PacketPlan::Slots;

constexpr Slots kEmpty = {kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone};

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
        const auto pixels = [&](const Packet* p) {
            return std::make_pair(plan_.outputs[p->output].copies, plan_.outputs[p->output].place);
        };
        const auto source = [&](const Packet* p) {
            return std::make_tuple(pixels(p), p->units[0].lane, p->units[0].byte);
        };
        std::vector<Packet*> order;
        for (Packet& packet : plan_.packets) order.push_back(&packet);
        std::stable_sort(order.begin(), order.end(),
                         [&](const Packet* a, const Packet* b) { return source(a) < source(b); });
        int used = shape_.slots();
        const Packet* before = nullptr;
        for (Packet* const packet : order) {
            if (used == shape_.slots() || pixels(packet) != pixels(before) ||
                (shape_.from_one_lane && packet->units[0].lane != before->units[0].lane)) {
                plan_.groups.push_back(kEmpty);
                used = 0;
            }
            packet->group = static_cast<int>(plan_.groups.size()) - 1;
            ++used;
            before = packet;
        }
    }

    // Gives packet p the slot `a`, which is free in its group. If another packet of its output has that slot, that packet moves to a slot
    // `b` that is free in the output. If another packet of that packet's group has slot `b`, it moves to `a`, and so on, in outputs and
    // groups in turn. The chain ends, because it cannot come back to the group of p: it would enter a group by a packet of slot `a`, and
    // the group of p had none.
    void colour(int p) {
        const auto free_slot = [](const Slots& slots) {
            return static_cast<int>(std::find(slots.begin(), slots.end(), kNone) - slots.begin());
        };
        const int a = free_slot(plan_.groups[plan_.packets[p].group]);
        const int b = free_slot(plan_.outputs[plan_.packets[p].output].packets);
        int slot = a;
        for (bool at_output = true; p != kNone; at_output = !at_output, slot = a + b - slot) {
            Packet& packet = plan_.packets[p];
            Slots& output = plan_.outputs[packet.output].packets;
            Slots& group = plan_.groups[packet.group];
            Slots& here = at_output ? output : group;  // in the other one, the slot is free
            if (packet.slot != kNone) here[packet.slot] = kNone;
            const int moved = here[slot];
            output[slot] = group[slot] = p;
            packet.slot = slot;
            p = moved;
        }
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
