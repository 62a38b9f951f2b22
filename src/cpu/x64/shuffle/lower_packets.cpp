// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <utility>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/shuffle/packet_plan.hpp"
#include "cpu/x64/vec_traits.hpp"

// Gathers in two levels, for blocks. A lane of 16 bytes of an output takes its units from up to 16 lanes of the source, and neighbouring
// outputs take their units from the same lanes. So the units of a lane are cut into packets of four bytes, in the order of their places in
// the source. Four packets with neighbouring sources share a lane of a register, even if they belong to different outputs:
//
//   packets  = or over the source lanes of permute_lanes(control, source lane)
//   output   = permute_lanes(control, blend of the registers that hold its packets)
//
// A blend does not move packets: each packet stays at its place in the lane, its slot. packet_plan.hpp decides which packets share a
// register, and their slots.
//
// All lanes of a register have the same pattern. They are different pixels, or different pairs of pixels if a block has 8 bytes, and so on.
// With AVX2, units of 4 and 8 bytes are also moved across lanes; the whole register then counts as one lane. With AVX-512, a block of 32
// bytes or more is one lane, or several lanes of 64 bytes. Such a lane has 4 or 8 packets, and the source lanes of a register are permuted
// and then joined by selections instead of `or`.
//
// For example f32 with G = 4, where packets are units (each number is a channel):
//
//   sources     0  1  2  3     4  5  6  7     8  9 10 11    12 13 14 15
//   packets     0  1  2  3     7  4  5  6    10 11  8  9    13 14 15 12
//   outputs     0  4  8 12     1  5  9 13     2  6 10 14     3  7 11 15    three blends and a permute each

namespace tombola::impl::cpu::x64 {
namespace {

class PacketLowering : public Lowering {
  public:
    // `slots`: the number of packets in a lane.
    PacketLowering(const PermuteProgram& program, CpuIsa isa, int lane_bytes, int slots)
        : Lowering(program, shape_of(isa).bytes),
          whole_(shape_of(isa).permutes_pairs && lane_bytes > kLaneBytes),
          index_bytes_(!whole_             ? 4
                       : program.unit == 2 ? shape_of(isa).permutes_from
                                           : program.unit),
          max_kept_(vector_bytes() == kMaxVecBytes ? 20 : 9) {
        shape_.lane_bytes = lane_bytes;
        shape_.packet_bytes = lane_bytes / slots;
        // Then move_units() need not clear anything.
        shape_.from_one_lane = shape_.packet_bytes == program.unit && !whole_;
        shape_.vector_bytes = vector_bytes();
        shape_.distance = std::max<int64_t>(program.loop.granule, lane_bytes);
    }

  private:
    using Output = PacketPlan::Output;
    using Packet = PacketPlan::Packet;

    // The register of a group of packets.
    struct Register {
        int value = kNone;  // kNone while no register holds the group
        int uses = 0;       // how many outputs still need it
    };

    bool lower_section(const PermuteSection& section) override {
        if (vector_bytes() == kMaxVecBytes && shape_.distance > shape_.lane_bytes &&
            shape_.lane_bytes < vector_bytes())
            return false;
        auto plan = plan_packets(program(), section, shape_);
        if (!plan) return false;
        plan_ = std::move(*plan);
        // In addition to the kept registers: an output, a term, the source of the term, and a table.
        use_registers(static_cast<int>(max_kept_) + 4);
        emit_outputs();
        return true;
    }

    // Emits all outputs. The next output is always the one that has to make the fewest registers.
    void emit_outputs() {
        struct Next {
            const Output* output;
            std::vector<int> groups;  // of its packets
        };
        std::vector<Next> left;
        registers_.assign(plan_.groups.size(), {});
        kept_.clear();
        for (const Output& output : plan_.outputs) {
            left.push_back({&output, groups_of(output)});
            for (const int g : left.back().groups) ++registers_[g].uses;
        }
        while (!left.empty()) {
            const auto missing = [&](const Next& next) {
                return std::count_if(next.groups.begin(), next.groups.end(),
                                     [&](int g) { return registers_[g].value == kNone; });
            };
            const auto next = std::min_element(
                left.begin(), left.end(),
                [&](const Next& a, const Next& b) { return missing(a) < missing(b); });
            emit_output(*next->output, next->groups);
            left.erase(next);
        }
    }

    // The groups of an output's packets. The last slot comes first, and no blend takes its packet, so there are fewer different masks.
    std::vector<int> groups_of(const Output& output) const {
        std::vector<int> groups;
        for (int slot = shape_.slots() - 1; slot >= 0; --slot) {
            const int p = output.packets[slot];
            if (p != kNone && !contains(groups, plan_.packets[p].group))
                groups.push_back(plan_.packets[p].group);
        }
        return groups;
    }

    void emit_output(const Output& output, const std::vector<int>& groups) {
        for (const int g : groups) keep(g, groups);
        int value = groups.empty() ? zero() : registers_[groups[0]].value;
        for (size_t i = 1; i < groups.size(); ++i)
            value = blend(4, value, registers_[groups[i]].value, slots_of(output, groups[i]));
        Table control;
        control.fill(kZeroByte);
        for (const int p : output.packets)
            if (p != kNone)
                for (size_t i = 0; i < plan_.packets[p].units.size(); ++i)
                    set(control, plan_.packets[p].units[i].to, byte_of(plan_.packets[p], i));
        value = move_units(value, control, true);
        store_copies(output, value);
        for (const int g : groups)
            if (--registers_[g].uses == 0) drop(g);
    }

    // The mask, in units of 4 bytes, of those packets of an output that are in a group.
    uint64_t slots_of(const Output& output, int group) const {
        uint64_t mask = 0;
        for (int at = 0; at < vector_bytes(); at += 4) {
            const int p = output.packets[at % shape_.lane_bytes / shape_.packet_bytes];
            if (p != kNone && plan_.packets[p].group == group) mask |= uint64_t{1} << at / 4;
        }
        return mask;
    }

    void store_copies(const Output& output, int value) {
        if (shape_.distance == shape_.lane_bytes)
            return store(value, {output.dst, output.copies * shape_.lane_bytes});
        for (int copy = 0; copy < output.copies; ++copy)
            store(value, {output.dst + copy * shape_.distance, shape_.lane_bytes}, copy);
    }

    // Makes the register of a group, unless it exists. If there are too many registers, the one that was used least recently is dropped,
    // and is made again when it is needed. Groups in `needed` are not dropped.
    void keep(int g, const std::vector<int>& needed) {
        const auto known = std::find(kept_.begin(), kept_.end(), g);
        if (known != kept_.end()) {
            std::rotate(known, known + 1, kept_.end());
            return;
        }
        if (kept_.size() == max_kept_)
            drop(*std::find_if(kept_.begin(), kept_.end(),
                               [&](int other) { return !contains(needed, other); }));
        registers_[g].value = emit_group(plan_.groups[g]);
        kept_.push_back(g);
    }

    void drop(int g) {
        registers_[g].value = kNone;
        kept_.erase(std::find(kept_.begin(), kept_.end(), g));
    }

    int emit_group(const PacketPlan::Slots& group) {
        std::map<int64_t, Table> terms;  // by the lane of the source
        int copies = 1;
        for (const int p : group) {
            if (p == kNone) continue;
            const Packet& packet = plan_.packets[p];
            copies = plan_.outputs[packet.output].copies;
            for (size_t i = 0; i < packet.units.size(); ++i) {
                const auto [term, is_new] = terms.try_emplace(packet.units[i].lane);
                if (is_new) term->second.fill(kZeroByte);
                set(term->second, byte_of(packet, i), packet.units[i].byte);
            }
        }
        if (whole_ && terms.size() > 1) return emit_selections(terms, copies);
        int value = kNone;
        for (const auto& [lane, control] : terms) {
            const int term = move_units(load_copies(lane, copies), control, false);
            value = value == kNone ? term : or_bits(value, term, vector_bytes());
        }
        return value;
    }

    // Permutes of whole registers, joined by selections. All permutes take their indices from one table, because each unit comes from one
    // term. Units of 4 bytes and more are permuted from two registers at a time. Units that no term moves may have any value.
    int emit_selections(const std::map<int64_t, Table>& terms, int copies) {
        const size_t each = unit() >= 4 ? 2 : 1;
        Table indices{};
        size_t count = 0;
        for (const auto& [lane, control] : terms)
            set_indices(indices, control, count++ % each == 0 ? 0 : vector_bytes());
        int value = kNone;
        for (auto term = terms.begin(); term != terms.end();) {
            Table taken{};
            std::array<int, 2> from = {kNone, kNone};
            for (size_t i = 0; i < each && term != terms.end(); ++i, ++term) {
                from[i] = load_copies(term->first, copies);
                for (int at = 0; at < vector_bytes(); ++at)
                    if (term->second[at] != kZeroByte) taken[at] = 0xFF;
            }
            const int part = from[1] == kNone ? permute(index_bytes_, from[0], indices)
                                              : permute2(index_bytes_, from[0], from[1], indices);
            value = value == kNone ? part : select(value, part, taken);
        }
        return value;
    }

    int load_copies(int64_t lane, int copies) {
        if (shape_.distance == shape_.lane_bytes) return load({lane, copies * shape_.lane_bytes});
        int value = load({lane, shape_.lane_bytes});
        for (int copy = 1; copy < copies; ++copy)
            value = insert(value, {lane + copy * shape_.distance, shape_.lane_bytes}, copy);
        return value;
    }

    // The byte of the register at which unit i of a packet lies.
    int byte_of(const Packet& packet, size_t i) const {
        return packet.slot * shape_.packet_bytes + static_cast<int>(i) * unit();
    }

    // In all lanes, the unit at byte `to` comes from byte `from`.
    void set(Table& control, int to, int from) const {
        for (int lane = 0; lane < vector_bytes(); lane += shape_.lane_bytes)
            for (int byte = 0; byte < unit(); ++byte)
                control[lane + to + byte] = static_cast<uint8_t>(from + byte);
    }

    // `clears`: bytes of the result to which no byte is moved become zero. Otherwise they may have any value.
    int move_units(int value, const Table& control, bool clears) {
        if (!moves(control, 1, shape_.lane_bytes, vector_bytes())) return value;
        if (shape_.lane_bytes > kLaneBytes) return permute_whole(value, control, clears);
        return permute_lanes(value, control, vector_bytes());
    }

    // Sets the indices of the units that the control moves, and returns which units these are. Indices count from byte `first` on; controls
    // count from the start of a lane.
    uint64_t set_indices(Table& indices, const Table& control, int first) const {
        uint64_t units = 0;
        for (int at = 0; at < vector_bytes(); at += index_bytes_) {
            if (control[at] == kZeroByte) continue;
            const int lane = at - at % shape_.lane_bytes;
            indices[at] = static_cast<uint8_t>((first + lane + control[at]) / index_bytes_);
            units |= uint64_t{1} << at / index_bytes_;
        }
        return units;
    }

    int permute_whole(int value, const Table& control, bool clears) {
        Table indices{};
        const uint64_t units = set_indices(indices, control, 0);
        if (!clears || units == low_bits(vector_bytes() / index_bytes_))
            return permute(index_bytes_, value, indices);
        if (whole_) return permute(index_bytes_, value, indices, units);
        return blend(4, zero(), permute(index_bytes_, value, indices), units);
    }

    PacketShape shape_{};
    bool whole_;       // AVX-512 permutes whole registers
    int index_bytes_;  // size in bytes of what an index counts, in a permute of a whole register
    size_t max_kept_;  // registers of packets that are kept for further outputs
    PacketPlan plan_;
    std::vector<Register> registers_;  // of the groups
    // The groups that have a register, the least recently used one first.
    std::vector<int> kept_;
};

}  // namespace

std::vector<Operations> lower_to_packets(const PermuteProgram& program, CpuIsa isa,
                                         double max_cycles) {
    const int unit = program.unit, least = std::max(unit, 4);
    std::vector<Operations> all;
    if (!program.near_sources) return all;
    const auto add = [&](int lane_bytes, int slots) {
        PacketLowering(program, isa, lane_bytes, slots).add_to(all, max_cycles);
    };
    add(kLaneBytes, kLaneBytes / least);
    if (unit >= 4 && isa == CpuIsa::avx2) add(2 * kLaneBytes, 2 * kLaneBytes / least);
    if (unit >= 2 && isa != CpuIsa::avx2 && program.loop.granule > kLaneBytes) {
        const int lane = static_cast<int>(std::min<int64_t>(program.loop.granule, kMaxVecBytes));
        for (const int slots : {4, 8})
            if (lane >= slots * least) add(lane, slots);
    }
    return all;
}

}  // namespace tombola::impl::cpu::x64
