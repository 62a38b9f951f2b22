// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/operations.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "cpu/x64/machine.hpp"
#include "cpu/x64/vec_traits.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using Kind = Operation::Kind;

constexpr size_t kNever = std::numeric_limits<size_t>::max();

// Whether windows serve units of this size. AVX2 has no permute of two registers, and AVX-512 without VBMI has no permute of bytes; these
// cases use lanes instead.
bool has_windows(CpuIsa isa, int unit) {
    return shape_of(isa).permutes_pairs && unit >= shape_of(isa).permutes_from;
}

// What an operation occupies: the ports that move units across lanes, any vector port, the load ports, the store ports, slots of the front
// end, and the ports that move units within lanes.
struct Work {
    double permutes, vectors, loads, stores, front, lane_shuffles = 0;
};

Work work_of(const Operation& o, const VectorRates& rates) {
    switch (o.kind) {
        case Kind::load:
        case Kind::broadcast_lane:
            return {0, 0, 1, 0, 1};
        case Kind::insert:
            return o.b == kNone ? Work{1, 0, 1, 0, 2} : Work{1, 0, 0, 0, 1};
        case Kind::zero:
            return {0, 0, 0, 0, 1};
        case Kind::permute:
        case Kind::masked_permute:
            return {1, 0, 1, 0, 1};  // the load is that of its table of indices
        case Kind::permute2: {
            const double slots = o.unit == 2 ? rates.permute2w_slots : 1;
            return {slots, 0, slots, 0, slots};
        }
        case Kind::permute_lanes:
        case Kind::align:
            return {0, 1, 0, 0, 1, 1};
        case Kind::unpack:
            if (o.unit == kLaneBytes) return {1, 0, 0, 0, 1};
            return {0, 1, 0, 0, 1, rates.unpack_slots};
        case Kind::blend:
        case Kind::or_bits:
            return {0, 1, 0, 0, 1};
        case Kind::select:
            // It is one instruction, but counts as none: the other costs of packets were fitted so, and packets are chosen better.
            return {};
        case Kind::store:
            return o.position > 0 ? Work{1, 0, 0, 1, 2} : Work{0, 0, 0, 1, 1};
        case Kind::store_line:
            // A copy keeps the value for the next step, and the distance to the line is loaded.
            return {1, 0, 1, 1, 5};
        case Kind::spill:
            return {0, 0, 0, 1, 1};
        case Kind::reload:
            return {0, 0, 1, 0, 1};
    }
    return {};
}

// The load of a mask register also takes a port that permutes.
constexpr Work kMaskLoad{1, 0, 1, 0, 2};

// The cycles to begin and to end a run of cache lines (permute_lines.hpp). A run looks its alignment up, and begins and ends with stores
// under masks. These take the ports that permute and the front end. They wait for one another, so both times are added. `kFront` is more
// than the number of instructions, which is about 20: it was fitted to the 8 cycles that a run takes on Sapphire Rapids.
double run_cycles(const VectorRates& rates) {
    constexpr double kPermutes = 4, kFront = 24;
    return kPermutes / rates.permutes + kFront / rates.front;
}

// How many loads of a section cross a cache line in one step: an average over the steps, for a source that is aligned to a line.
double split_loads(const PermuteProgram& program, const Operations::Section& section) {
    const StepLoop& loop = program.loop;
    // The steps of a section begin `origin` bytes after a multiple of `alignment`. The steps of sections that store lines are not moved to
    // an alignment.
    const bool aligns = loop.aligns() && section.runs == 0;
    const int64_t origin = aligns ? -section.first_store : 0;
    int64_t alignment = std::gcd(kLineBytes, aligns             ? loop.dst_step
                                             : loop.granule > 0 ? program.dst_alignment
                                                                : loop.src_step);
    if (section.loop.repeats > 1)
        alignment =
            std::gcd(alignment, section.loop.src_repeat - (aligns ? section.loop.dst_repeat : 0));
    const int64_t places = kLineBytes / alignment;
    double splits = 0;
    for (const Operation& o : section.list) {
        if (!o.is_load()) continue;
        const int64_t first = (o.offset + origin) & (alignment - 1);
        // At so many of the places where the load may begin, it ends within the line.
        const int64_t unsplit = (kLineBytes - o.accessed_bytes() - first + alignment) / alignment;
        splits += static_cast<double>((places - unsplit) * alignment) / kLineBytes;
    }
    return splits;
}

// A line of the source or of the destination. Both tensors are taken to begin at the same place of a page.
struct Line {
    bool stored;     // of the destination
    int64_t number;  // its offset divided by its size
    friend bool operator==(const Line& a, const Line& b) {
        return a.stored == b.stored && a.number == b.number;
    }
    friend bool operator<(const Line& a, const Line& b) {
        return std::tie(a.stored, a.number) < std::tie(b.stored, b.number);
    }
};

void sort_unique(std::vector<Line>& lines) {
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
}

// Calls `body` with each line that an operation accesses in a step that begins at the offsets `src` and `dst`, in order. Only lines that
// may crowd a set count.
template <class Body>
void each_access(const PermuteProgram& program, const Operations::Section& section, int64_t src,
                 int64_t dst, const Body& body) {
    for (const Operation& o : section.list) {
        if (!(o.is_load() && program.crowds_src) && !(o.is_store() && program.crowds_dst)) continue;
        const int64_t first = (o.is_store() ? dst : src) + o.offset, last = first + o.bytes - 1;
        for (int64_t at = first / kLineBytes; at <= last / kLineBytes; ++at)
            body(Line{o.is_store(), at});
    }
}

// The part of a line that a step takes from each line that it accesses. A step shorter than a line continues the lines of the step before.
double part_of_line(const PermuteProgram& program) {
    return std::min(1.0, static_cast<double>(program.loop.dst_step) / kLineBytes);
}

// A simulation of the sets of the first-level cache. A set holds the lines that were accessed last, as many as it has ways.
class CacheSets {
  public:
    // Accesses a line. Returns whether its set had lost it after an earlier access.
    bool access(const Line& line) {
        std::vector<Line>& set = sets_[line.number % kSetsOfL1];
        const auto found = std::find(set.rbegin(), set.rend(), line);
        if (found == set.rend()) {
            set.push_back(line);
            return false;
        }
        std::rotate(set.rbegin(), found, found + 1);
        return found - set.rbegin() >= ways_;
    }

  private:
    std::ptrdiff_t ways_ = machine().ways_of_l1();
    // For each set: all lines that were ever accessed, the last access at the end. The last ways_ of them are in the cache.
    std::array<std::vector<Line>, kSetsOfL1> sets_;
};

// How many times per step a line is accessed that was in the first-level cache before, and was evicted because its set was full.
double evicted_lines(const PermuteProgram& program, const Operations::Section& section) {
    const int64_t step_bytes = program.loop.dst_step;
    CacheSets sets;
    int64_t evicted = 0;
    // As many steps as two lines have. Those of the second line count, because the first ones evict less.
    const int64_t counted = std::max<int64_t>(kLineBytes / step_bytes, 1), steps = 2 * counted;
    for (int64_t step = 0; step < steps; ++step)
        each_access(program, section, step * step_bytes, step * step_bytes, [&](const Line& line) {
            if (sets.access(line) && step >= counted) ++evicted;
        });
    return static_cast<double>(evicted) / static_cast<double>(counted);
}

// See Operations::reloaded_lines. Programs of very many sections are not compared (with_fewer_channels()), so theirs are not counted.
double reloaded_lines(const PermuteProgram& program,
                      const std::vector<Operations::Section>& sections) {
    int64_t runs = 0;
    for (const Operations::Section& section : sections) runs += section.loop.repeats;
    if (runs > 2 * kManyBlocks) return 0;
    CacheSets sets;
    std::vector<Line> lines;
    int64_t reloaded = 0;
    for (size_t first = 0; first < sections.size();
         first += static_cast<size_t>(sections[first].loop.sections)) {
        const SectionLoop& loop = sections[first].loop;
        for (int64_t i = 0; i < loop.repeats; ++i)
            for (int k = 0; k < loop.sections; ++k) {
                lines.clear();
                each_access(program, sections[first + static_cast<size_t>(k)], i * loop.src_repeat,
                            i * loop.dst_repeat, [&](const Line& line) { lines.push_back(line); });
                sort_unique(lines);
                for (const Line& line : lines)
                    if (sets.access(line) && !line.stored) ++reloaded;
            }
    }
    return static_cast<double>(reloaded) * part_of_line(program);
}

// The lines that a step accesses for the first time, each multiplied by how crowded its set is: 0 if the set holds all lines that need it,
// 1 if twice as many need it, 2 if three times as many or more do. The line after each accessed line needs its set too, because it is
// prefetched.
double crowded_lines(const PermuteProgram& program, const Operations::Section& section) {
    std::vector<Line> accessed;
    each_access(program, section, 0, 0, [&](const Line& line) { accessed.push_back(line); });
    sort_unique(accessed);
    std::vector<Line> needed = accessed;
    for (const Line& line : accessed) needed.push_back({line.stored, line.number + 1});
    sort_unique(needed);
    std::array<int, kSetsOfL1> lines{};
    for (const Line& line : needed) ++lines[line.number % kSetsOfL1];
    const auto ways = static_cast<double>(machine().ways_of_l1());
    double crowded = 0;
    for (const Line& line : accessed)
        crowded += std::clamp(lines[line.number % kSetsOfL1] / ways - 1, 0.0, 2.0);
    return crowded * part_of_line(program);
}

// The extra cycles of a step whose blocks share sets of the first-level cache. Lines whose addresses are equal modulo 4 KiB are in the same
// set.
double conflict_cycles(const PermuteProgram& program, const Operations::Section& section) {
    if (!(program.crowds_src || program.crowds_dst) || program.loop.granule == 0 ||
        program.loop.single_step)
        return 0;
    const MachineRow& row = machine().row;
    return row.crowded_line * crowded_lines(program, section) +
           row.evicted_line * evicted_lines(program, section);
}

// The work of an operation on a machine that counts the loads of tables (MachineRow::counts_tables), with its table in a register or in
// memory. A permute of two registers overwrites its table or a copy of it (permute_kernel.cpp). Shuffles within lanes and selections read
// their table from memory without a further instruction.
Work work_with_table(const Operation& o, const VectorRates& rates, bool in_register) {
    Work work = work_of(o, rates);
    const bool from_memory = o.kind == Kind::permute_lanes || o.kind == Kind::select;
    if (!from_memory) work.loads = 0;
    if (o.kind == Kind::permute2) work.front = 2;
    if (in_register) return work;
    work.loads += 1;
    if (o.kind == Kind::permute || o.kind == Kind::masked_permute) work.front += 1;
    return work;
}

// The cycles of one step of a section, without the cost of loads and stores that cross a cache line.
double section_cycles(const PermuteProgram& program, const Operations::Section& section,
                      int vector_bytes) {
    const VectorRates& rates = machine().rates(vector_bytes);
    const bool has_masks = vector_bytes == kMaxVecBytes, near_sources = program.near_sources;
    const bool counts_tables = machine().row.counts_tables;
    const Constants held = constants_of(section, (has_masks ? 32 : 16) - section.busy(), has_masks);
    Work sum{};
    const auto add = [&](const Work& work) {
        sum.permutes += work.permutes;
        sum.vectors += work.vectors;
        sum.loads += work.loads;
        sum.stores += work.stores;
        sum.front += work.front;
        sum.lane_shuffles += work.lane_shuffles;
    };
    bool unpacks = false;
    for (const Operation& operation : section.list) {
        unpacks = unpacks || operation.kind == Kind::unpack;
        const bool has_table = operation.has_table();
        const bool in_register = contains(held.tables, operation.table);
        add(has_table && counts_tables ? work_with_table(operation, rates, in_register)
                                       : work_of(operation, rates));
        // To the front end, an insertion from memory is a single operation. The costs of gathers were fitted with two, so only near sources
        // count one.
        if (near_sources && operation.kind == Kind::insert && operation.is_load()) sum.front -= 1;
        if (near_sources && has_table && !counts_tables && !in_register) sum.front += 1;
        const uint64_t mask = has_masks ? operation.mask_bits() : 0;
        if (mask != 0 && !contains(held.masks, mask)) add(kMaskLoad);
    }
    double front = unpacks ? machine().row.unpacks_front : rates.front;
    if (near_sources) front *= rates.front_near_sources;
    return std::max({sum.permutes / rates.permutes,
                     (sum.permutes + sum.lane_shuffles) / rates.lane_shuffles,
                     (sum.permutes + sum.vectors) / (machine().row.shared_ports * rates.vectors),
                     sum.loads / rates.loads, sum.stores / rates.stores, sum.front / front});
}

// ---- operations of a section -------------------------------------------------------------------------------------

bool has_result(const Operation& o) { return !o.is_store() && o.kind != Kind::spill; }

// Appends an operation to a section, and returns the value that it writes.
int append(Operations::Section& section, Operation operation) {
    if (has_result(operation)) operation.d = section.values++;
    section.list.push_back(operation);
    return operation.d;
}

// Rewrites a section so that at most `most` registers hold values at the same time: see Lowering::limit_live_values(). A value of the old section
// has a new number in the new section each time that it comes into a register.
class Spiller {
  public:
    Spiller(Operations::Section& section, int most, int vector_bytes)
        : section_(section),
          most_(static_cast<size_t>(most)),
          vector_bytes_(vector_bytes),
          list_(std::move(section.list)),
          values_(static_cast<size_t>(section.values)) {}

    void rewrite() {
        find_uses();
        section_.list.clear();
        section_.list.reserve(2 * list_.size());
        section_.values = 0;
        for (size_t i = 0; i < list_.size(); ++i) rewrite(list_[i], uses_after_[i]);
    }

  private:
    struct Value {
        size_t next_use = kNever;  // index of an operation
        int renamed = kNone;       // its number in the new section, while a register holds it
        // Slot in the stack frame; a value never changes, so it is stored at most once.
        int slot = kNone;
    };

    // Sets the first use of each value, and for each operation the next uses of its two sources after it.
    void find_uses() {
        uses_after_.resize(list_.size());
        for (size_t i = list_.size(); i-- > 0;) {
            const Operation& o = list_[i];
            const auto use = [&](int v) { return v == kNone ? kNever : values_[v].next_use; };
            uses_after_[i] = {use(o.a), use(o.b)};
            for (const int v : {o.a, o.b})
                if (v != kNone) values_[v].next_use = i;
        }
    }

    void rewrite(const Operation& o, const std::array<size_t, 2>& uses_after) {
        for (const int v : {o.a, o.b})
            if (v != kNone && !contains(live_, v)) reload(v, o);
        Operation renamed = o;
        if (o.a != kNone) renamed.a = values_[o.a].renamed;
        if (o.b != kNone) renamed.b = values_[o.b].renamed;
        end_use(o.a, uses_after[0]);  // the result may take the register of a
        if (o.d != kNone) make_room(o);
        const int result = append(section_, renamed);
        end_use(o.b, uses_after[1]);
        if (o.d == kNone) return;
        values_[o.d].renamed = result;
        live_.push_back(o.d);
    }

    // Brings a source of the operation back into a register.
    void reload(int v, const Operation& o) {
        make_room(o);
        values_[v].renamed = append(
            section_, {Kind::reload, vector_bytes_, 0, kNone, kNone, kNone, 0, 0, values_[v].slot});
        live_.push_back(v);
    }

    // If no register is free, spills the value whose next use is the latest, but not a source of the operation.
    void make_room(const Operation& o) {
        if (live_.size() < most_) return;
        const auto rank = [&](int v) { return v == o.a || v == o.b ? 0 : values_[v].next_use; };
        const auto last = std::max_element(live_.begin(), live_.end(),
                                           [&](int v, int w) { return rank(v) < rank(w); });
        Value& value = values_[*last];
        if (value.slot == kNone) {
            value.slot = take_slot();
            append(section_,
                   {Kind::spill, vector_bytes_, 0, value.renamed, kNone, kNone, 0, 0, value.slot});
        }
        live_.erase(last);
    }

    // Ends the use of a source. If it has no later use, its register and its slot are free.
    void end_use(int v, size_t next_use) {
        if (v == kNone || values_[v].next_use == kNever) return;
        values_[v].next_use = next_use;
        if (next_use != kNever) return;
        live_.erase(std::find(live_.begin(), live_.end(), v));
        if (values_[v].slot != kNone) free_slots_.push_back(values_[v].slot);
    }

    int take_slot() {
        if (free_slots_.empty()) return slots_++;
        const int slot = free_slots_.back();
        free_slots_.pop_back();
        return slot;
    }

    Operations::Section& section_;
    size_t most_;
    int vector_bytes_;
    std::vector<Operation> list_;  // of the old section
    std::vector<Value> values_;
    std::vector<std::array<size_t, 2>> uses_after_;
    std::vector<int> live_;  // values in registers
    std::vector<int> free_slots_;
    int slots_ = 0;
};

}  // namespace

Constants constants_of(const Operations::Section& section, int max_tables, bool has_masks) {
    // k7 is for masks that do not stay, k6 for the lines of runs.
    const size_t max_masks = section.runs > 0 ? 5 : 6;
    Constants held;
    const auto add = [](auto& list, auto value, size_t most) {
        if (list.size() < most && !contains(list, value)) list.push_back(value);
    };
    for (const Operation& o : section.list) {
        const uint64_t mask = has_masks ? o.mask_bits() : 0;
        if (o.has_table()) add(held.tables, o.table, static_cast<size_t>(max_tables));
        if (mask != 0) add(held.masks, mask, max_masks);
    }
    return held;
}

std::vector<size_t> last_uses(const Operations::Section& section) {
    std::vector<size_t> last(static_cast<size_t>(section.values));
    for (size_t i = 0; i < section.list.size(); ++i)
        for (const int value : {section.list[i].a, section.list[i].b})
            if (value != kNone) last[value] = i;
    return last;
}

std::vector<uint32_t> lanes_stored(const Operations::Section& section) {
    std::vector<uint32_t> lanes(section.list.size());
    std::set<int64_t> later;
    for (size_t i = section.list.size(); i-- > 0;) {
        const Operation& o = section.list[i];
        if (o.kind != Operation::Kind::store) continue;
        for (int lane = 0; lane * kLaneBytes < o.bytes; ++lane)
            if (later.insert(o.offset + lane * kLaneBytes).second) lanes[i] |= 1U << lane;
    }
    return lanes;
}

bool Lowering::add_to(std::vector<Operations>& all, double max_cycles) {
    operations_.sections.reserve(program_.sections.size());
    for (const PermuteSection& section : program_.sections) {
        operations_.sections.push_back({section.loop, section.outputs[0].dst_offset, {}});
        std::vector<Operation>& list = operations_.sections.back().list;
        list.swap(buffer_);
        list.clear();
        if (!lower_section(section)) return false;
        list.swap(buffer_);
        list = buffer_;  // the copy has no spare capacity
        add_costs(section);
        if (operations_.cycles > max_cycles) return false;
    }
    if (program_.crowds_src)
        operations_.reloaded_lines = reloaded_lines(program_, operations_.sections);
    all.push_back(std::move(operations_));
    return true;
}

bool Lowering::moves(const Table& indices, int width, int lane_bytes, int bytes) {
    for (int at = 0; at < bytes; at += width)
        if (indices[at] != at % lane_bytes / width) return true;
    return false;
}

// As in the kernel, a result takes the register of a source that is used there for the last time.
int Lowering::max_live_values() const {
    const Operations::Section& section = operations_.sections.back();
    const std::vector<size_t> last_use = last_uses(section);
    int live = 0, most = 0;
    for (size_t i = 0; i < section.list.size(); ++i) {
        const Operation& o = section.list[i];
        const bool in_place = o.a != kNone && last_use[o.a] == i;
        live += o.d != kNone && !in_place ? 1 : 0;
        most = std::max(most, live);
        live -= o.b != kNone && o.b != o.a && last_use[o.b] == i ? 1 : 0;
        live -= o.d == kNone && in_place ? 1 : 0;
    }
    return most;
}

void Lowering::limit_live_values(int most) { Spiller(section(), most, vector_bytes_).rewrite(); }

int Lowering::emit(const Operation& operation) { return append(section(), operation); }

int Lowering::table(const Table& table) {
    const auto [known, is_new] =
        known_tables_.emplace(table, static_cast<int>(operations_.tables.size()));
    if (is_new) operations_.tables.push_back(table);
    return known->second;
}

void Lowering::add_costs(const PermuteSection& section) {
    const Operations::Section& lowered = operations_.sections.back();
    const VectorRates& rates = machine().rates(vector_bytes_);
    const auto repeats = static_cast<double>(section.loop.repeats);
    // In the first-level cache, a store across lines costs nothing: stores have time for both lines.
    const double splits = lowered.runs > 0 || program_.in_l1 ? 0 : split_stores(program_, section);
    const double work = section_cycles(program_, lowered, vector_bytes_) +
                        rates.split_load * split_loads(program_, lowered);
    operations_.cycles += repeats *
                          (work + rates.split_store * splits + conflict_cycles(program_, lowered)) /
                          rates.clock;
    operations_.run_cycles += repeats * run_cycles(rates) * lowered.runs / rates.clock;
    for (const Operation& o : lowered.list)
        if (o.is_store()) operations_.stored_lines += repeats * o.bytes / kLineBytes;
}

PermuteLimits limits_of(CpuIsa isa, int unit) {
    // By routes, or by unpacks.
    const bool transposes = isa == CpuIsa::avx2 || unit >= shape_of(isa).permutes_from;
    return {has_windows(isa, unit) ? 64 : 32, transposes ? shape_of(isa).registers / 2 : 0};
}

namespace {

// Whether a load or a store is shorter than a register of any size, so that it needs a mask.
bool needs_masks(const Operations& operations) {
    for (const Operations::Section& section : operations.sections)
        for (const Operation& o : section.list)
            if ((o.kind == Kind::load || o.kind == Kind::store) && !o.is_register_size())
                return true;
    return false;
}

}  // namespace

std::vector<Operations> all_lowerings(const PermuteProgram& program, CpuIsa isa,
                                      double max_cycles) {
    std::vector<Operations> all;
    const auto add = [&](std::vector<Operations> lowered) {
        std::move(lowered.begin(), lowered.end(), std::back_inserter(all));
    };
    add(has_windows(isa, program.unit) ? lower_to_windows(program, isa, max_cycles)
                                       : lower_to_lanes(program, max_cycles));
    // Packets are never faster than a copy, so they are tried only if the first variant of windows or lanes is slower than a copy.
    const bool tries_packets =
        program.near_sources && all[0].cycles > machine().row.copy_cycles * all[0].stored_lines;
    add(lower_to_routes(program, isa, max_cycles));
    add(lower_to_unpacks(program, isa, max_cycles));
    if (tries_packets) add(lower_to_packets(program, isa, max_cycles));
    const auto is_left_out = [&](const Operations& lowered) {
        return lowered.cycles > max_cycles || (!shape_of(isa).masks && needs_masks(lowered));
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_left_out), all.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
    return all;
}

}  // namespace tombola::impl::cpu::x64
