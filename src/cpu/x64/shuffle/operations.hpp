// SPDX-License-Identifier: Apache-2.0
#pragma once

// A permute program as a list of operations on virtual registers. It is the step between planning and code:
//
//   PermuteProgram --lowering--> Operations --PermuteKernel--> code
//
// There are five lowerings: windows, lanes, routes, unpacks and packets. lower_*.cpp says what each one is, and how it works.
//
// Each virtual register is written once. The operations of a section describe one inner step, whose source address is
// s and whose destination address is d.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "common/cpu_isa.hpp"
#include "common/status.hpp"
#include "cpu/x64/jit_function.hpp"
#include "cpu/x64/shuffle/permute_program.hpp"
#include "cpu/x64/shuffle/stores.hpp"

namespace tombola::impl::cpu::x64 {

inline constexpr int kNone = -1;

// The bits of the first `count` units, or bytes of memory.
inline uint64_t low_bits(int64_t count) {
    return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

struct Operation {
    enum class Kind : uint8_t {
        load,            // d = memory at s + offset
        broadcast_lane,  // d = in each lane of 16, memory at s + offset
        insert,         // d = a, but piece `position` is memory at s + offset, or b if there is one
        zero,           // d = 0
        permute,        // d = a permuted by `table`; units outside `mask` are zero
        permute_lanes,  // d = bytes of a, permuted within lanes of 16 by `table`; see kZeroByte
        permute2,       // d = units of a (first) and b (second), by `table`; `mask` as in permute
        masked_permute,  // d = a, but units in `mask` are b permuted by `table`. Last use of a
        blend,           // d = a, but units in `mask` come from b
        select,          // d = a, but bits of `table` come from b. Last use of a
        or_bits,         // d = a | b
        unpack,          // d = in each lane of 16, the units of half `position` of a and b in turn.
                         // Units of 16: lane `position` of a, and that of b
        align,  // d = in each lane of 16, the 16 bytes from byte `position` on of a followed by b
        store,  // memory at d + offset = piece `position` of a
        // A run of bytes from d + offset on, which goes on from step to step: units of a in the order of `table`. Each step stores one
        // whole cache line. The line begins with units of the step before, and ends within the units of this step. `position` is the number
        // of the run in its section.
        store_line,
        spill,   // slot `position` of the stack frame = a
        reload,  // d = slot `position` of the stack frame
    };
    Kind kind;
    int bytes = 0;  // load, insert and store: of memory; others: of the register
    int unit = 0;   // size of what indices and masks count; insert, broadcast_lane: of the register
    int a = kNone, b = kNone;
    int table = kNone;
    uint64_t mask = 0;  // 0: all units
    int64_t offset = 0;
    int position = 0;  // insert and store: counts pieces; spill and reload: a slot
    int d = kNone;

    // The bits of the mask register that the operation needs, or 0 for none. For a load or store whose size is no register size, they are
    // its units in memory; otherwise they are `mask`.
    uint64_t mask_bits() const {
        const bool in_memory = kind == Kind::load || kind == Kind::store;
        return in_memory && !is_register_size() ? low_bits(bytes / unit_in_memory()) : mask;
    }
    // The unit of the mask of a load or store. On Sapphire Rapids, a store of 64 bytes across a cache line takes one to two
    // cycles more if its mask counts bytes.
    int unit_in_memory() const { return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1; }
    // Whether a load or store needs no mask.
    bool is_register_size() const { return bytes >= 4 && (bytes & (bytes - 1)) == 0; }
    // The size of the access, as the processor counts it when it looks for accesses across a cache line. An access under a mask counts as
    // one of the whole register, so the smallest register that has the bytes is used.
    int accessed_bytes() const {
        if (is_register_size()) return bytes;
        return bytes <= 16 ? 16 : bytes <= 32 ? 32 : 64;
    }

    // Whether it permutes by its table. A run of lines has an order of its own.
    bool has_table() const { return table != kNone && kind != Kind::store_line; }
    bool is_store() const { return kind == Kind::store || kind == Kind::store_line; }
    // Whether it reads the source.
    bool is_load() const {
        return kind == Kind::load || kind == Kind::broadcast_lane ||
               (kind == Kind::insert && b == kNone);
    }

    auto fields() const {
        return std::tie(kind, bytes, unit, a, b, table, mask, offset, position, d);
    }
    bool operator<(const Operation& other) const { return fields() < other.fields(); }
};

using Table = std::array<uint8_t, 64>;      // indices, each as wide as its unit
inline constexpr uint8_t kZeroByte = 0x80;  // in a table of permute_lanes: the byte becomes zero

struct TableHash {
    size_t operator()(const Table& table) const {
        uint64_t words[sizeof(Table) / 8], hash = 0;
        std::memcpy(words, table.data(), sizeof words);
        for (const uint64_t word : words)
            hash = ((hash ^ word) * 0x9E3779B97F4A7C15) ^ (hash >> 29);
        return hash;
    }
};

struct Operations {
    struct Section {
        SectionLoop loop;
        int64_t first_store;  // offset of the first store
        std::vector<Operation> list;
        int values = 0;   // number of virtual registers
        int working = 0;  // registers for values and one table; the others hold constants
        // Number of runs of store_line; if not 0, all stores of the section are store_line.
        int runs = 0;

        // The registers that are not free for constants. Each run of lines has two: a value that is kept from step to step, and the order
        // of its units.
        int busy() const { return working + 2 * runs; }

        auto fields() const {
            return std::tie(loop.repeats, loop.src_repeat, loop.dst_repeat, loop.sections,
                            first_store, list, values, working, runs);
        }
        bool operator<(const Section& other) const { return fields() < other.fields(); }
    };

    StepLoop loop;
    std::vector<Section> sections;
    std::vector<Table> tables;
    // Estimated costs, which are not part of the comparison. `cycles`: one inner step of every section. `run_cycles`: to begin and to end
    // all runs of lines.
    double cycles = 0, run_cycles = 0;
    double stored_lines = 0;  // bytes / kLineBytes that one inner step of every section stores
    // The lines of the source that one inner step of every section loads again, because their sets of the first-level cache have lost them
    // since an earlier section.
    double reloaded_lines = 0;
    bool transposes = false;  // made by lower_to_routes() or lower_to_unpacks()

    // The number of operations.
    size_t size() const {
        size_t size = 0;
        for (const Section& section : sections) size += section.list.size();
        return size;
    }
    bool operator<(const Operations& other) const {
        const auto fields = [](const Operations& o) {
            return std::tie(o.loop.src_step, o.loop.dst_step, o.loop.single_step, o.loop.granule,
                            o.sections, o.tables);
        };
        return fields(*this) < fields(other);
    }
};

// The constants that stay in registers during a section: the first tables and masks that it uses. All others are loaded for each use.
struct Constants {
    std::vector<int> tables;
    std::vector<uint64_t> masks;
};
Constants constants_of(const Operations::Section& section, int max_tables, bool has_masks);

// For each value of a section: the index of the last operation that uses it. For a value without a use: 0.
std::vector<size_t> last_uses(const Operations::Section& section);

// For each operation of a section: 0 if it is no store. For a store: bit i is set if no later store of the step overwrites lane i of its
// register. The result is valid only if all stores begin at multiples of a lane.
std::vector<uint32_t> lanes_stored(const Operations::Section& section);

template <class T>
bool contains(const std::vector<T>& list, T value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

// The base of a lowering: the operations that it is written in. Each function that emits an operation returns the value that the
// operation writes. A unit is the size of what indices and masks count.
class Lowering {
  public:
    virtual ~Lowering() = default;
    // Adds the operations of all sections, with their cost, unless one of the sections cannot be lowered in this way or the cost is above
    // `max_cycles`. Returns whether it added them.
    bool add_to(std::vector<Operations>& all, double max_cycles);

  protected:
    Lowering(const PermuteProgram& program, int vector_bytes, bool transposes = false)
        : program_(program), vector_bytes_(vector_bytes) {
        operations_.loop = program.loop;
        operations_.transposes = transposes;
    }

    // Emits the operations of a section, and calls use_registers(). Returns whether that was possible.
    virtual bool lower_section(const PermuteSection& section) = 0;

    const PermuteProgram& program() const { return program_; }
    int unit() const { return program_.unit; }
    int vector_bytes() const { return vector_bytes_; }

    // Sets the number of registers that this section needs for values and one table, and its number of runs of lines.
    void use_registers(int working, int runs = 0) {
        section().working = working;
        section().runs = runs;
    }
    // The maximum number of registers that hold values of this section at the same time.
    int max_live_values() const;
    // Spills values, so that at most `most` registers hold values at the same time. The value whose next use is the latest is spilled
    // first. Every value must have a use.
    void limit_live_values(int most);
    // Indices of `width` bytes each for a whole register.
    template <class IndexOf>
    Table indices(int width, const IndexOf& index_of) const {
        Table indices{};
        for (int i = 0; i < vector_bytes_ / width; ++i)
            indices[i * width] = static_cast<uint8_t>(index_of(i));
        return indices;
    }
    // Whether a permute of the first `bytes` bytes within lanes moves anything.
    static bool moves(const Table& indices, int width, int lane_bytes, int bytes);

    int load(const Piece& piece) {
        return emit({Kind::load, piece.bytes, 0, kNone, kNone, kNone, 0, piece.offset});
    }
    int broadcast_lane(const Piece& piece) {
        return emit({Kind::broadcast_lane, piece.bytes, vector_bytes_, kNone, kNone, kNone, 0,
                     piece.offset});
    }
    int insert(int a, const Piece& piece, int position) {
        return emit(
            {Kind::insert, piece.bytes, vector_bytes_, a, kNone, kNone, 0, piece.offset, position});
    }
    int insert_lane(int a, int b, int lane) {
        return emit({Kind::insert, kLaneBytes, vector_bytes_, a, b, kNone, 0, 0, lane});
    }
    int zero() { return emit({Kind::zero, vector_bytes_}); }
    int permute(int unit, int a, const Table& indices, uint64_t mask = 0) {
        return emit({Kind::permute, vector_bytes_, unit, a, kNone, table(indices), mask});
    }
    int masked_permute(int unit, int a, int b, const Table& indices, uint64_t mask) {
        return emit({Kind::masked_permute, vector_bytes_, unit, a, b, table(indices), mask});
    }
    int permute2(int unit, int a, int b, const Table& indices, uint64_t mask = 0) {
        return emit({Kind::permute2, vector_bytes_, unit, a, b, table(indices), mask});
    }
    // Only the low `bytes` bytes of the register matter. If none of them moves, the result is `a` itself.
    int permute_lanes(int a, const Table& control, int bytes) {
        if (!moves(control, 1, kLaneBytes, bytes)) return a;
        return emit({Kind::permute_lanes, bytes, 1, a, kNone, table(control)});
    }
    // `bytes`: as in permute_lanes().
    int or_bits(int a, int b, int bytes) { return emit({Kind::or_bits, bytes, 0, a, b}); }
    int blend(int unit, int a, int b, uint64_t mask) {
        return emit({Kind::blend, vector_bytes_, unit, a, b, kNone, mask});
    }
    int select(int a, int b, const Table& bits) {
        return emit({Kind::select, vector_bytes_, 0, a, b, table(bits)});
    }
    int unpack(int unit, int a, int b, int half) {
        return emit({Kind::unpack, vector_bytes_, unit, a, b, kNone, 0, 0, half});
    }
    int align_lanes(int a, int b, int from) {
        return emit({Kind::align, vector_bytes_, 0, a, b, kNone, 0, 0, from});
    }
    void store(int a, const Piece& piece, int position = 0) {
        emit({Kind::store, piece.bytes, 0, a, kNone, kNone, 0, piece.offset, position});
    }
    // Stores an output: by two stores, if its two lanes go to different places.
    void store_output(int a, const PermuteOutput& output) {
        if (!output.is_apart()) return store(a, {output.dst_offset, program_.bytes(output)});
        for (int lane = 0; lane < 2; ++lane)
            store(a, {output.place(lane * kLaneBytes), kLaneBytes}, lane);
    }
    void store_line(int unit, int a, const Table& order, int64_t offset, int run) {
        emit({Kind::store_line, vector_bytes_, unit, a, kNone, table(order), 0, offset, run});
    }

  private:
    using Kind = Operation::Kind;

    Operations::Section& section() { return operations_.sections.back(); }
    int emit(const Operation& operation);
    int table(const Table& table);
    void add_costs(const PermuteSection& section);

    const PermuteProgram& program_;
    int vector_bytes_;
    Operations operations_;
    // Holds the list of a section while it is lowered. Its memory is used again for the next section.
    std::vector<Operation> buffer_;
    std::unordered_map<Table, int, TableHash> known_tables_;
};

PermuteLimits limits_of(CpuIsa isa, int unit);

inline constexpr double kAnyCycles = std::numeric_limits<double>::infinity();  // no limit

// The results of all lowerings that `isa` has for a program, the cheapest first, without those that cost more than `max_cycles`. If there
// is no limit, there is at least one result, unless `isa` has no masks and the program loads or stores fewer than 4 bytes, as those of pixels
// of 2 or 3 bytes do.
std::vector<Operations> all_lowerings(const PermuteProgram& program, CpuIsa isa,
                                      double max_cycles = kAnyCycles);

// The limit of the first variant of windows and of lanes. With near sources there is none, because all_lowerings() compares its cost with that
// of a copy to decide whether packets are tried.
inline double limit_of_first(const PermuteProgram& program, double max_cycles) {
    return program.near_sources ? kAnyCycles : max_cycles;
}

// Each lowering returns the results of its variants that cost at most `max_cycles`, or nothing if it does not serve the program. Windows serve
// the units that `isa` permutes between two registers. Words have two variants with VBMI.
std::vector<Operations> lower_to_windows(const PermuteProgram& program, CpuIsa isa,
                                         double max_cycles = kAnyCycles);
// Lanes serve every program. If several outputs take from the same pieces, one variant keeps the shared loads in registers.
std::vector<Operations> lower_to_lanes(const PermuteProgram& program,
                                       double max_cycles = kAnyCycles);
// Routes serve programs that are transposes of 4 registers up to half of all registers, with units that `isa` permutes across a register.
// One variant stores whole cache lines (store_line), if the outputs of a step are one register for each of at most 8 runs.
std::vector<Operations> lower_to_routes(const PermuteProgram& program, CpuIsa isa,
                                        double max_cycles = kAnyCycles);
// Unpacks serve units of 1 and 2 bytes on AVX2, if a network of unpacks makes the outputs from lanes of the source. Each variant is one
// kind of tiles.
std::vector<Operations> lower_to_unpacks(const PermuteProgram& program, CpuIsa isa,
                                         double max_cycles = kAnyCycles);
// Packets serve programs with near sources, if no load leaves its extent. Each variant is one shape of packets.
std::vector<Operations> lower_to_packets(const PermuteProgram& program, CpuIsa isa,
                                         double max_cycles = kAnyCycles);

// How far loops are unrolled: steps in the body of a section's inner loop, and passes in the body of the loop around all steps.
struct Unrolled {
    int steps = 1, passes = 1;
    friend bool operator<(const Unrolled& a, const Unrolled& b) {
        return std::tie(a.steps, a.passes) < std::tie(b.steps, b.passes);
    }
};

// The generated function (permute_kernel.cpp), from the cache unless it is very large. If it streams, the caller must hold a
// StreamingStores.
Result<JitFunction<PermuteArgs>> permute_function(CpuIsa isa, Stores stores, Sources sources,
                                                  std::shared_ptr<const Operations> operations,
                                                  const Unrolled& unrolled = {});

}  // namespace tombola::impl::cpu::x64
