// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which units of a blocked shuffle share a register on their way, and at which places of it. This decides, and emits nothing;
// lower_packets.cpp says what packets are for, and emits the operations.
//
//   section --> outputs (lanes of the destination) --> packets --> groups (registers) --> slots
//
// A packet keeps its slot from the register that gathers it to the output that it belongs to. So the packets of an output need
// different slots, and so do those of a register: this is an edge colouring of the bipartite graph of registers and outputs,
// with one colour for each slot. It exists, as no register and no output has more packets than there are slots (König 1916).

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cpu/x64/shuffle/operations.hpp"

namespace tombola::impl::cpu::x64 {

constexpr int kMaxSlots = 8;

// How outputs are cut into packets.
struct PacketShape {
    int lane_bytes, packet_bytes;
    bool from_one_lane;  // all packets of a register come from one lane of the source
    int vector_bytes;
    int64_t distance;  // of the lanes of a register, in the source and in the destination

    int slots() const { return lane_bytes / packet_bytes; }
};

struct PacketPlan {
    using Slots = std::array<int, kMaxSlots>;  // of each slot, its packet; or kNone

    struct Unit {
        int64_t lane;  // the offset of the lane of the source that holds it
        int byte;      // in that lane
        int to;        // byte in the lane of the output
    };
    // A lane of the destination, and `copies` - 1 more that are the same, each `distance` further on in source and destination.
    struct Output {
        int64_t dst;
        int copies;
        // Of the pixels, from the start of the extent. Only packets of the same pixels share registers.
        int64_t place;
        std::vector<Unit> units;
        Slots packets;
    };
    struct Packet {
        int output;
        std::vector<Unit> units;
        int group = kNone, slot = kNone;
    };
    std::vector<Output> outputs;
    std::vector<Packet> packets;
    std::vector<Slots> groups;  // packets that share a register
};

// Empty if an output has units that are no whole lane, or if a load would leave its extent.
std::optional<PacketPlan> plan_packets(const PermuteProgram& program, const PermuteSection& section,
                                       const PacketShape& shape);

}  // namespace tombola::impl::cpu::x64
