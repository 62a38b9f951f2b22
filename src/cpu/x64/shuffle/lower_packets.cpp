// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/vec_traits.hpp"

// Gathers in two levels, for blocks. A lane of 16 bytes of an output takes its units from up to 16 lanes of the source, and
// neighbouring outputs take theirs from the same lanes. So the units of a lane are cut into packets of four bytes, in the order
// of their places in the source. Four packets with neighbouring sources share a lane of a register, whatever their outputs are:
//
//   packets  = or over the source lanes of permute_lanes(control, source lane)
//   output   = permute_lanes(control, blend of the registers that hold its packets)
//
// A blend leaves every packet at its place, its slot. So the four packets of an output need four different slots, and so do
// those of a register: this is an edge colouring of the bipartite graph of registers and outputs, by four colours. It exists,
// as no register and no output has more than four packets (König 1916).
//
// All lanes of a register have the same pattern: they are different pixels, or different pairs of pixels if a block has 8
// bytes, and so on. With AVX2, units of 4 and 8 bytes are also moved across lanes: then the whole register is one lane. With
// AVX-512, a block of 32 bytes or more is one lane, or several of 64 bytes. It has 4 or 8 packets, and the source lanes of a
// register are permuted and joined by selections in place of `or`.
//
// For example f32 with G = 4, where packets are units (each number is a channel):
//
//   sources     0  1  2  3     4  5  6  7     8  9 10 11    12 13 14 15
//   packets     0  1  2  3     7  4  5  6    10 11  8  9    13 14 15 12
//   outputs     0  4  8 12     1  5  9 13     2  6 10 14     3  7 11 15    three blends and a permute each

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kMaxSlots = 8;

// How the outputs of a lowering are cut into packets.
struct PacketShape {
    int lane_bytes, packet_bytes;
    bool by_chunk;  // the packets of all outputs begin at the same lanes of the source
};

class PacketLowering : public Lowering {
  public:
    PacketLowering(const PermuteProgram& program, CpuIsa isa, const PacketShape& shape)
        : Lowering(program, shape_of(isa).bytes),
          by_chunk_(shape.by_chunk),
          lane_bytes_(shape.lane_bytes),
          packet_bytes_(shape.packet_bytes),
          slots_(shape.lane_bytes / shape.packet_bytes),
          whole_(shape_of(isa).permutes_pairs && shape.lane_bytes > kLaneBytes),
          index_bytes_(!whole_             ? 4
                       : program.unit == 2 ? shape_of(isa).permutes_from
                                           : program.unit),
          distance_(std::max<int64_t>(program.loop.granule, shape.lane_bytes)),
          max_kept_(vector_bytes() == kMaxVecBytes ? 20 : 9) {}

  private:
    bool lower_section(const PermuteSection& section) override {
        if (!program().near_sources) return false;
        if (vector_bytes() == kMaxVecBytes && distance_ > lane_bytes_ &&
            lane_bytes_ < vector_bytes())
            return false;
        outputs_.clear();
        packets_.clear();
        groups_.clear();
        if (!add_outputs(section)) return false;
        cut_into_packets();
        group_packets();
        for (size_t p = 0; p < packets_.size(); ++p) colour(static_cast<int>(p));
        // An output, a term, its source and a table in addition to what is kept.
        use_registers(static_cast<int>(max_kept_) + 4);
        emit_outputs();
        return true;
    }

    struct Unit {
        int64_t lane;  // the offset of the lane of the source that holds it
        int byte;      // in that lane
        int to;        // byte in the lane of the output
    };
    // A lane of the destination, and `copies` - 1 more that are the same, each distance_ further on in source and destination.
    struct Output {
        int64_t dst;
        int copies;
        // Of the pixels, from the start of the extent. Only packets of the same pixels share registers.
        int64_t place;
        std::vector<Unit> units;
        std::array<int, kMaxSlots> packets;  // by slot; or kNone
        std::vector<int> groups;             // of its packets
    };
    struct Packet {
        int output;
        // Its place among the packets of the output, or of all outputs if they are cut by chunk.
        int64_t order;
        std::vector<Unit> units;
        int group = kNone, slot = kNone;
    };
    // Packets that share a register.
    struct Group {
        std::array<int, kMaxSlots> packets;  // by slot; or kNone
        int value = kNone;                   // if it is in a register
        int uses = 0;                        // by outputs that are still to come
    };

    static constexpr std::array<int, kMaxSlots> kEmpty = {kNone, kNone, kNone, kNone,
                                                          kNone, kNone, kNone, kNone};

    // ---- outputs -------------------------------------------------------------------------------------------------

    bool add_outputs(const PermuteSection& section) {
        const int lane_units = lane_bytes_ / unit();
        // The sources of each lane of the destination, by its offset.
        std::map<int64_t, const int64_t*> lanes;
        for (const PermuteOutput& output : section.outputs) {
            if (output.units % lane_units != 0) return false;
            for (int i = 0; i < output.units; i += lane_units)
                lanes[output.dst_offset + i * unit()] = program().source(output) + i;
        }
        while (!lanes.empty()) {
            const auto [dst, source] = *lanes.begin();
            lanes.erase(lanes.begin());
            Output output{dst, 1, 0, {}, kEmpty, {}};
            while (output.copies < vector_bytes() / lane_bytes_ &&
                   are_moved(lanes, dst, source, output.copies))
                output.copies *= 2;
            for (int copy = 1; copy < output.copies; ++copy) lanes.erase(dst + copy * distance_);
            for (int i = 0; i < lane_units; ++i)
                if (source[i] >= 0 && !add_unit(output, source[i], i, section.extents))
                    return false;
            outputs_.push_back(std::move(output));
        }
        return true;
    }

    // Whether the copies from `first` to 2 * first - 1 are there.
    bool are_moved(const std::map<int64_t, const int64_t*>& lanes, int64_t dst,
                   const int64_t* source, int first) const {
        for (int copy = first; copy < 2 * first; ++copy) {
            const auto lane = lanes.find(dst + copy * distance_);
            if (lane == lanes.end()) return false;
            for (int i = 0; i < lane_bytes_ / unit(); ++i) {
                const int64_t moved = source[i] < 0 ? source[i] : source[i] + copy * distance_;
                if (lane->second[i] != moved) return false;
            }
        }
        return true;
    }

    // Lanes of the source are counted from the start of their extent. Extents are in ascending order.
    bool add_unit(Output& output, int64_t source, int i, const std::vector<Piece>& extents) {
        const Piece& extent =
            *std::prev(std::upper_bound(extents.begin(), extents.end(), source,
                                        [](int64_t at, const Piece& e) { return at < e.offset; }));
        const int64_t in_extent = source - extent.offset, in_lane = in_extent % lane_bytes_;
        const int64_t lane = source - in_lane;
        if (lane + (output.copies - 1) * distance_ + lane_bytes_ > extent.end()) return false;
        output.place = in_extent / (output.copies * distance_);
        output.units.push_back({lane, static_cast<int>(in_lane), i * unit()});
        return true;
    }

    // ---- packets -------------------------------------------------------------------------------------------------

    void cut_into_packets() {
        const auto count = static_cast<size_t>(packet_bytes_ / unit());
        std::vector<int64_t> lanes;  // of the source
        for (Output& output : outputs_) {
            std::sort(output.units.begin(), output.units.end(), [](const Unit& a, const Unit& b) {
                return std::tie(a.lane, a.byte) < std::tie(b.lane, b.byte);
            });
            for (const Unit& unit : output.units) lanes.push_back(unit.lane);
        }
        std::sort(lanes.begin(), lanes.end());
        lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
        for (size_t o = 0; o < outputs_.size(); ++o) {
            const std::vector<Unit>& units = outputs_[o].units;
            if (by_chunk_) {
                cut_by_chunk(static_cast<int>(o), lanes, count);
                continue;
            }
            for (size_t first = 0; first < units.size(); first += count) {
                const size_t end = std::min(first + count, units.size());
                packets_.push_back({static_cast<int>(o),
                                    static_cast<int64_t>(first / count),
                                    {units.begin() + static_cast<std::ptrdiff_t>(first),
                                     units.begin() + static_cast<std::ptrdiff_t>(end)}});
            }
        }
    }

    // Packets of all outputs begin at the same lanes of the source: a chunk is so many neighbouring lanes that an output has
    // about `count` units in each chunk. What does not fit the packets of the largest chunks fills the others.
    void cut_by_chunk(int o, const std::vector<int64_t>& lanes, size_t count) {
        const std::vector<Unit>& units = outputs_[o].units;
        if (units.empty()) return;
        size_t different = 0;
        for (size_t i = 0; i < units.size(); ++i)
            different += i == 0 || units[i].lane != units[i - 1].lane ? 1 : 0;
        std::vector<Packet> chunks;
        for (const Unit& unit : units) {
            const auto lane =
                std::lower_bound(lanes.begin(), lanes.end(), unit.lane) - lanes.begin();
            const auto chunk = static_cast<int64_t>(
                static_cast<size_t>(lane) / std::max<size_t>(count * different / units.size(), 1));
            if (chunks.empty() || chunks.back().order != chunk) chunks.push_back({o, chunk, {}});
            chunks.back().units.push_back(unit);
        }
        std::stable_sort(chunks.begin(), chunks.end(), [](const Packet& a, const Packet& b) {
            return a.units.size() > b.units.size();
        });
        std::vector<Unit> rest;
        for (size_t i = 0; i < chunks.size(); ++i) {
            std::vector<Unit>& from = chunks[i].units;
            const size_t kept = i < static_cast<size_t>(slots_) ? std::min(from.size(), count) : 0;
            rest.insert(rest.end(), from.begin() + static_cast<std::ptrdiff_t>(kept), from.end());
            from.resize(kept);
        }
        chunks.resize(static_cast<size_t>(slots_), {o, chunks[0].order, {}});
        for (Packet& packet : chunks) {
            while (packet.units.size() < count && !rest.empty()) {
                packet.units.push_back(rest.back());
                rest.pop_back();
            }
            if (!packet.units.empty()) packets_.push_back(std::move(packet));
        }
    }

    // Packets of the same pixels share a register if they follow one another in the order of their sources.
    void group_packets() {
        const auto kind = [&](const Packet& p) {
            return std::make_pair(outputs_[p.output].copies, outputs_[p.output].place);
        };
        std::vector<size_t> order(packets_.size());
        std::iota(order.begin(), order.end(), size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) {
            const auto key = [&](const Packet& p) {
                return std::make_tuple(kind(p), by_chunk_ ? p.order : p.units[0].lane,
                                       p.units[0].byte);
            };
            return key(packets_[i]) < key(packets_[j]);
        });
        int used = slots_;
        for (size_t i = 0; i < order.size(); ++i) {
            Packet& packet = packets_[order[i]];
            // If packets are units of AVX2, a register takes all from one lane, so that move_units() need not clear anything.
            if (used == slots_ || kind(packet) != kind(packets_[order[i - 1]]) ||
                (packet_bytes_ == unit() && !whole_ &&
                 packet.units[0].lane != packets_[order[i - 1]].units[0].lane)) {
                groups_.push_back({kEmpty});
                used = 0;
            }
            packet.group = static_cast<int>(groups_.size()) - 1;
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
        Packet& packet = packets_[p];
        const int a = free_slot(groups_[packet.group].packets);
        const int b = free_slot(outputs_[packet.output].packets);
        std::vector<int> path;
        int next = outputs_[packet.output].packets[a];
        for (bool to_group = true; next != kNone; to_group = !to_group) {
            path.push_back(next);
            const Packet& at = packets_[next];
            next = to_group ? groups_[at.group].packets[b] : outputs_[at.output].packets[a];
        }
        for (const int q : path) place(q, kNone);
        for (const int q : path) place(q, a + b - packets_[q].slot);
        place(p, a);
    }

    // Puts a packet into a slot, or takes it out of its slot, which it remembers.
    void place(int p, int slot) {
        Packet& packet = packets_[p];
        const int at = slot == kNone ? packet.slot : slot;
        groups_[packet.group].packets[at] = slot == kNone ? kNone : p;
        outputs_[packet.output].packets[at] = slot == kNone ? kNone : p;
        packet.slot = at;
    }

    // ---- operations ----------------------------------------------------------------------------------------------

    // The next output is always the one that needs the fewest registers that are not there.
    void emit_outputs() {
        std::vector<const Output*> left;
        for (Output& output : outputs_) {
            output.groups = groups_of(output);
            for (const int g : output.groups) ++groups_[g].uses;
            left.push_back(&output);
        }
        kept_.clear();
        while (!left.empty()) {
            const auto missing = [&](const Output* output) {
                int count = 0;
                for (const int g : output->groups) count += groups_[g].value == kNone ? 1 : 0;
                return count;
            };
            const auto next = std::min_element(
                left.begin(), left.end(),
                [&](const Output* a, const Output* b) { return missing(a) < missing(b); });
            emit_output(**next);
            left.erase(next);
        }
    }

    // The last slot comes first, and no blend takes it. So there are fewer different masks.
    std::vector<int> groups_of(const Output& output) const {
        std::vector<int> groups;
        for (int slot = slots_ - 1; slot >= 0; --slot) {
            const int p = output.packets[slot];
            if (p != kNone &&
                std::find(groups.begin(), groups.end(), packets_[p].group) == groups.end())
                groups.push_back(packets_[p].group);
        }
        return groups;
    }

    void emit_output(const Output& output) {
        const std::vector<int>& groups = output.groups;
        for (const int g : groups) keep(g, groups);
        int value = groups.empty() ? zero() : groups_[groups[0]].value;
        for (size_t i = 1; i < groups.size(); ++i) {
            uint64_t mask = 0;
            for (int slot = 0; slot < slots_; ++slot) {
                const int p = output.packets[slot];
                const uint64_t bits = low_bits(packet_bytes_ / 4) << slot * packet_bytes_ / 4;
                if (p != kNone && packets_[p].group == groups[i])
                    for (int lane = 0; lane < vector_bytes(); lane += lane_bytes_)
                        mask |= bits << lane / 4;
            }
            value = blend(4, value, groups_[groups[i]].value, mask);
        }
        Table control;
        control.fill(kZeroByte);
        for (const int p : output.packets)
            if (p != kNone)
                for (size_t i = 0; i < packets_[p].units.size(); ++i)
                    set(control, packets_[p].units[i].to, byte_of(packets_[p], i));
        value = move_units(value, control, true);
        store_copies(output, value);
        for (const int g : groups)
            if (--groups_[g].uses == 0) drop(g);
    }

    void store_copies(const Output& output, int value) {
        if (distance_ == lane_bytes_)
            return store(value, {output.dst, output.copies * lane_bytes_});
        for (int copy = 0; copy < output.copies; ++copy)
            store(value, {output.dst + copy * distance_, lane_bytes_}, copy);
    }

    // Makes the register of a group, unless it is there. If too many are, the one that was used longest ago goes, and will be
    // made again. `needed`: they stay.
    void keep(int g, const std::vector<int>& needed) {
        const auto known = std::find(kept_.begin(), kept_.end(), g);
        if (known != kept_.end()) {
            std::rotate(known, known + 1, kept_.end());
            return;
        }
        if (kept_.size() == max_kept_)
            drop(*std::find_if(kept_.begin(), kept_.end(), [&](int k) {
                return std::find(needed.begin(), needed.end(), k) == needed.end();
            }));
        groups_[g].value = emit_group(groups_[g]);
        kept_.push_back(g);
    }

    void drop(int g) {
        groups_[g].value = kNone;
        kept_.erase(std::find(kept_.begin(), kept_.end(), g));
    }

    int emit_group(const Group& group) {
        std::map<int64_t, Table> terms;  // by the lane of the source
        int copies = 1;
        for (const int p : group.packets) {
            if (p == kNone) continue;
            const Packet& packet = packets_[p];
            copies = outputs_[packet.output].copies;
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

    // Permutes of whole registers, joined by selections. All take their indices from one table, as each unit comes from one
    // term. Units of 4 bytes and more come from two registers at a time. What no term moves may become anything.
    int emit_selections(const std::map<int64_t, Table>& terms, int copies) {
        const size_t each = unit() >= 4 ? 2 : 1;
        Table indices{};
        size_t count = 0;
        for (const auto& [lane, control] : terms) {
            const int first = count++ % each == 0 ? 0 : vector_bytes();
            for (int at = 0; at < vector_bytes(); at += index_bytes_)
                if (control[at] != kZeroByte)
                    indices[at] =
                        static_cast<uint8_t>((first + source_byte(control, at)) / index_bytes_);
        }
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
        if (distance_ == lane_bytes_) return load({lane, copies * lane_bytes_});
        int value = load({lane, lane_bytes_});
        for (int copy = 1; copy < copies; ++copy)
            value = insert(value, {lane + copy * distance_, lane_bytes_}, copy);
        return value;
    }

    // Where unit i of a packet lies in its register.
    int byte_of(const Packet& packet, size_t i) const {
        return packet.slot * packet_bytes_ + static_cast<int>(i) * unit();
    }

    // In all lanes, the unit at byte `to` comes from byte `from`.
    void set(Table& control, int to, int from) const {
        for (int lane = 0; lane < vector_bytes(); lane += lane_bytes_)
            for (int byte = 0; byte < unit(); ++byte)
                control[lane + to + byte] = static_cast<uint8_t>(from + byte);
    }

    // `clears`: what no byte is moved to becomes zero. Otherwise it may be anything.
    int move_units(int value, const Table& control, bool clears) {
        if (!moves(control, 1, lane_bytes_, vector_bytes())) return value;
        if (lane_bytes_ > kLaneBytes) return permute_whole(value, control, clears);
        return permute_lanes(value, control, vector_bytes());
    }

    // Where the byte `at` of a register comes from. Controls count from the start of a lane.
    int source_byte(const Table& control, int at) const {
        return at - at % lane_bytes_ + control[at];
    }

    int permute_whole(int value, const Table& control, bool clears) {
        Table indices{};
        uint64_t units = 0;  // that come from `value`
        for (int at = 0; at < vector_bytes(); at += index_bytes_) {
            if (control[at] == kZeroByte) continue;
            units |= uint64_t{1} << at / index_bytes_;
            indices[at] = static_cast<uint8_t>(source_byte(control, at) / index_bytes_);
        }
        if (!clears || units == low_bits(vector_bytes() / index_bytes_))
            return permute(index_bytes_, value, indices);
        if (whole_) return permute(index_bytes_, value, indices, units);
        return blend(4, zero(), permute(index_bytes_, value, indices), units);
    }

    bool by_chunk_;
    int lane_bytes_, packet_bytes_, slots_;
    bool whole_;        // AVX-512 permutes whole registers
    int index_bytes_;   // what the indices of a permute of a whole register count
    int64_t distance_;  // of the lanes of a register, in the source and in the destination
    size_t max_kept_;   // registers of packets that are kept for further outputs
    std::vector<Output> outputs_;
    std::vector<Packet> packets_;
    std::vector<Group> groups_;
    // The groups whose registers are there. The one that was used longest ago is the first.
    std::vector<int> kept_;
};

}  // namespace

std::vector<Operations> lower_to_packets(const PermuteProgram& program, CpuIsa isa) {
    const int unit = program.unit, least = std::max(unit, 4);
    std::vector<PacketShape> shapes = {{kLaneBytes, least, false}};
    if (unit < 4) shapes.push_back({kLaneBytes, least, true});
    if (unit >= 4 && isa == CpuIsa::avx2) shapes.push_back({2 * kLaneBytes, least, false});
    if (unit >= 2 && isa != CpuIsa::avx2 && program.loop.granule > kLaneBytes) {
        const int lane = static_cast<int>(std::min<int64_t>(program.loop.granule, kMaxVecBytes));
        for (const int slots : {4, 8})
            if (lane >= slots * least) shapes.push_back({lane, lane / slots, false});
    }
    std::vector<Operations> all;
    for (const PacketShape& shape : shapes)
        if (auto lowered = PacketLowering(program, isa, shape).lower())
            all.push_back(std::move(*lowered));
    return all;
}

}  // namespace tombola::impl::cpu::x64
