// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides which units of a blocked shuffle share a register on their way, and at which places in the register. It emits nothing:
// lower_packets.cpp says what packets are for, and emits the operations.
//
//   section --> outputs (lanes of the destination) --> packets --> groups (registers) --> slots
//
// A packet keeps its slot from the register that gathers it to its output. So all packets of an output need different slots, and so do all
// packets of a register. This is an edge colouring of the bipartite graph of registers and outputs, with one colour for each slot. A
// colouring exists, because no register and no output has more packets than there are slots (König 1916).

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
    int64_t distance;  // in bytes, between the lanes of a register, in source and destination

    int slots() const { return lane_bytes / packet_bytes; }
};

struct PacketPlan {
    using Slots = std::array<int, kMaxSlots>;  // for each slot: its packet, or kNone

    struct Unit {
        int64_t lane;  // the offset of the lane of the source that holds it
        int byte;      // first byte in that lane
        int to;        // first byte in the lane of the output
    };
    // A lane of the destination, and `copies` - 1 further lanes with the same pattern, each `distance` bytes after the one before in source
    // and destination.
    struct Output {
        int64_t dst;
        int copies;
        // The offset in bytes of its pixels from the start of the extent. Only packets of the same pixels share a register.
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

// Returns nothing if an output has units that do not form whole lanes, or if a load would leave its extent.
std::optional<PacketPlan> plan_packets(const PermuteProgram& program, const PermuteSection& section,
                                       const PacketShape& shape);

}  // namespace tombola::impl::cpu::x64
