// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/operations.hpp"

#include <algorithm>
#include <utility>

#include "cpu/x64/machine.hpp"
#include "cpu/x64/vec_traits.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using Kind = Operation::Kind;

// AVX2 has no permute of two registers, and AVX-512 without VBMI has no permute of bytes. Both work on lanes instead.
bool has_windows(CpuIsa isa, int unit) {
    return shape_of(isa).permutes_pairs && unit >= shape_of(isa).permutes_from;
}

// What an operation occupies: the ports that move units between lanes, those that move units within lanes, any port for
// vectors, the ports that load and store, and slots of the front end.
struct Work {
    double shuffles, vectors, loads, stores, front, lanes = 0;
};

Work work_of(const Operation& o, const VectorRates& rates) {
    switch (o.kind) {
        case Kind::load:
            return {0, 0, 1, 0, 1};
        case Kind::insert:
            return o.b == kNone ? Work{1, 0, 1, 0, 2} : Work{1, 0, 0, 0, 1};
        case Kind::zero:
            return {0, 0, 0, 0, 1};
        case Kind::permute:
        case Kind::masked_permute:
            return {1, 0, 1, 0, 1};  // the load is the load of its indices
        case Kind::permute2:
            return o.unit == 2
                       ? Work{rates.permute_slots, 0, rates.permute_slots, 0, rates.permute_slots}
                       : Work{1, 0, 1, 0, 1};
        case Kind::permute_lanes:
        case Kind::unpack:
            return {0, 1, 0, 0, 1, 1};
        case Kind::blend:
        case Kind::or_bits:
            return {0, 1, 0, 0, 1};
        case Kind::store:
            return o.position > 0 ? Work{1, 0, 0, 1, 3} : Work{0, 0, 0, 1, 2};
        case Kind::store_line:
            // The value is kept by a copy, and the distance to the line is loaded.
            return {1, 0, 1, 1, 5};
    }
    return {};
}

bool is_store(const Operation& o) { return o.kind == Kind::store || o.kind == Kind::store_line; }

bool contains(const std::vector<uint64_t>& list, uint64_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

// A mask register is loaded from memory by way of the port that permutes.
constexpr Work kMaskLoad{1, 0, 1, 0, 2};

// A run of cache lines looks its alignment up, and begins and ends with stores under masks (permute_lines.hpp). These take the
// port that permutes and the front end, and wait for one another, so both times are added. `kFront` is more than the
// instructions, which are about 20: it was fitted to the 8 cycles that a run takes on Sapphire Rapids.
double run_cycles(const VectorRates& rates) {
    constexpr double kPermutes = 4, kFront = 24;
    return kPermutes / rates.permutes + kFront / rates.front;
}

// The cycles of a store across a cache line beyond those of one that is not. In the first-level cache, a single one takes
// the pipe of the stores once more, if that is less than in the second-level cache; several together cost more in proportion.
double split_cycles(const VectorRates& rates, bool stores_together, bool in_l1) {
    const double in_l2 = stores_together ? rates.split_store_together : rates.split_store;
    return in_l1 ? in_l2 * std::min(1 / (rates.stores * rates.split_store), 1.0) : in_l2;
}

// The constants of a section: the tables and masks that its operations use.
struct Constants {
    std::vector<int> tables;
    std::vector<uint64_t> masks;  // that stay in registers
};

Constants constants_of(const std::vector<Operation>& list, size_t begin, size_t end,
                       bool has_masks) {
    Constants found;
    for (size_t i = begin; i < end; ++i) {
        if (list[i].table != kNone) found.tables.push_back(list[i].table);
        const uint64_t mask = has_masks ? list[i].mask_bits() : 0;
        if (mask != 0 && found.masks.size() < kMaxHoistedMasks && !contains(found.masks, mask))
            found.masks.push_back(mask);
    }
    std::sort(found.tables.begin(), found.tables.end());
    found.tables.erase(std::unique(found.tables.begin(), found.tables.end()), found.tables.end());
    return found;
}

// The cycles of one step of a section, without the cost of stores that cross a cache line.
double cycles_of(const std::vector<Operation>& list, size_t begin, size_t end, bool has_masks,
                 const std::vector<uint64_t>& masks, const VectorRates& rates) {
    Work sum{};
    const auto add = [&](const Work& work) {
        sum.shuffles += work.shuffles;
        sum.vectors += work.vectors;
        sum.loads += work.loads;
        sum.stores += work.stores;
        sum.front += work.front;
        sum.lanes += work.lanes;
    };
    bool unpacks = false;
    for (size_t i = begin; i < end; ++i) {
        unpacks = unpacks || list[i].kind == Kind::unpack;
        add(work_of(list[i], rates));
        const uint64_t mask = has_masks ? list[i].mask_bits() : 0;
        if (mask != 0 && !contains(masks, mask)) add(kMaskLoad);
    }
    const double front = unpacks ? machine().row.unpacks_front : rates.front;
    return std::max({sum.shuffles / rates.permutes,
                     (sum.shuffles + sum.lanes) / rates.lane_shuffles,
                     (sum.shuffles + sum.vectors) / rates.vectors, sum.loads / rates.loads,
                     sum.stores / rates.stores, sum.front / front});
}

}  // namespace

void Lowering::begin_section(int working, int runs) {
    const size_t at = operations_.list.size();
    operations_.sections.push_back({{}, 0, at, at, 0, working, runs});
}

int Lowering::emit(Operation operation) {
    if (!is_store(operation)) operation.d = operations_.sections.back().values++;
    operations_.list.push_back(operation);
    return operation.d;
}

int Lowering::table(const Table& table) {
    const auto [known, is_new] =
        known_tables_.emplace(table, static_cast<int>(operations_.tables.size()));
    if (is_new) operations_.tables.push_back(table);
    return known->second;
}

void Lowering::end_section(const PermuteSection& section, bool stores_together) {
    Operations::Section& lowered = operations_.sections.back();
    lowered.loop = section.loop;
    lowered.first_store = section.outputs[0].dst_offset;
    lowered.end = operations_.list.size();
    const VectorRates& rates = machine().rates(vector_bytes_);
    const bool has_masks = vector_bytes_ == kMaxVecBytes;
    const Constants constants =
        constants_of(operations_.list, lowered.begin, lowered.end, has_masks);
    const double split =
        lowered.runs > 0 ? 0 : split_cycles(rates, stores_together, program_.in_l1);
    const auto repeats = static_cast<double>(section.loop.repeats);
    const double work =
        cycles_of(operations_.list, lowered.begin, lowered.end, has_masks, constants.masks, rates);
    operations_.work_cycles += repeats * work / rates.clock;
    for (size_t i = lowered.begin; i < lowered.end; ++i)
        if (is_store(operations_.list[i]))
            operations_.stored_lines += repeats * operations_.list[i].bytes / kLineBytes;
    operations_.cycles += repeats * (work + split * split_stores(program_, section)) / rates.clock;
    const size_t hoisted = std::min<size_t>(
        constants.tables.size(), static_cast<size_t>((has_masks ? 32 : 16) - lowered.busy()));
    operations_.constant_cycles +=
        (section.loop.sections > 1 ? repeats : 1) *
            std::max(static_cast<double>(hoisted + constants.masks.size()) / rates.loads,
                     static_cast<double>(constants.masks.size()) / rates.permutes) +
        repeats * run_cycles(rates) * lowered.runs;
}

// They wait if the work takes about as long as a copy of the lines, or if stores across lines, which wait for two, take a
// third of the time. Both limits were measured on Sapphire Rapids alone, over 1,426 pairs of a shuffle and an instruction set.
bool Operations::waits_for_lines() const {
    constexpr double kMaxCopies = 1.2, kMinSlowdown = 1.5;
    return work_cycles <= kMaxCopies * machine().row.copy_cycles * stored_lines ||
           cycles >= kMinSlowdown * work_cycles;
}

PermuteLimits limits_of(CpuIsa isa, int unit) {
    const int transposed = max_transposed(isa, unit);
    if (has_windows(isa, unit)) return {64, true, 64 * 64, 32, transposed};
    return {32, false, 64 * 32, 16, transposed};
}

std::vector<Operations> all_lowerings(const PermuteProgram& program, CpuIsa isa) {
    std::vector<Operations> all;
    all.push_back(has_windows(isa, program.unit) ? lower_to_windows(program, isa)
                                                 : lower_to_lanes(program));
    // Words with VBMI: either lowering of windows may be the cheaper one.
    if (program.unit == 2 && shape_of(isa).permutes_from == 1)
        all.push_back(lower_to_windows(program, CpuIsa::avx512_core));
    const size_t others = all.size();
    for (const bool lines : {false, true})
        if (auto routes = lower_to_routes(program, isa, lines)) all.push_back(std::move(*routes));
    // Where there are routes, unpacks are seldom faster, as they store 16 bytes at a time.
    if (isa == CpuIsa::avx2 && program.unit <= 2 && all.size() == others)
        if (auto unpacks = lower_to_unpacks(program)) all.push_back(std::move(*unpacks));
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
    return all;
}

Operations cheapest_lowering(const PermuteProgram& program, CpuIsa isa) {
    return std::move(all_lowerings(program, isa).front());
}

}  // namespace tombola::impl::cpu::x64
