// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known about the processor: its microarchitecture, its caches, and what instructions cost on it.
//
//   CPUID, TOMBOLA_MACHINE --> Microarchitecture --> MachineRow (measured) --+
//   CPUID ---------------------------------------> Caches ------------------+--> sizes and costs
//
// A row comes from measurements on a machine of that kind: `scripts/machine-model` measures one in a minute and prints it as source for
// machine.cpp. A microarchitecture that nobody has measured uses the row of Sapphire Rapids and its own caches. If TOMBOLA_MACHINE is set,
// the caches are those of its row, so every decision is that of a typical machine of this kind.
//
// A constant stays where it is used, with the reason, if it is the same on every machine, or if it was measured on one machine and all use it.

#include <cstdint>

#include "common/machine.hpp"

namespace tombola::impl::cpu::x64 {

// The sets of the first-level cache. The bits of an address within a page of 4 KiB select one.
inline constexpr int kSetsOfL1 = 64;

struct Caches {
    int64_t l1, l2, l3;  // bytes; l1 and l2 of one core
};

// How many operations of each kind one cycle completes, for vectors of one width. The operations do not wait for one another, and the data
// lie in the first-level cache.
struct VectorRates {
    double permutes;  // moves of units across lanes: vpermb, vpermd, insertions into a register
    // A permute of words from two registers (vpermt2w, vpermi2w) takes the time of this many permutes.
    double permute2w_slots;
    double lane_shuffles;  // shuffles within lanes (vpshufb) and permutes together
    // An unpack takes the time of this many lane shuffles; 0: all vector ports do unpacks.
    double unpack_slots;
    double vectors;  // vector instructions of any kind
    double loads, stores;
    double front;  // micro-operations that the front end delivers per cycle
    // `front` is multiplied by this in blocked shuffles whose sections write several blocks at once.
    double front_near_sources;
    // The extra cycles of a store or a load that crosses a cache line, in the first-level cache.
    double split_store, split_load;
    // Overhead of one step of a shuffle, in addition to the operations. A step of blocks has it once per section.
    double step_cycles;
    double unrolled_step_cycles;  // the same where the steps of a run are unrolled
    double clock;  // the clock while such vectors run, relative to the clock without them
};

struct MachineRow {
    Caches typical;  // used for each size that CPUID does not report
    int tlb_pages;   // entries of the second-level TLB
    double latency;  // nanoseconds of a load from memory
    // Kernels that only read a row prefetch it into the first-level cache, this many bytes ahead of their loads. 0: they do not prefetch.
    int read_ahead;
    // Rows of at least this many bytes are copied by the string instruction (`rep movsb`), if the tensors exceed the first-level cache and
    // the stores do not bypass the caches. 0: never.
    int string_bytes;
    // Rows of at most this many bytes, whose stores do not bypass the caches, are copied in an order in which one of the two tensors is
    // read or written by ascending address. Where a turn has few rows, its code is straight, without a loop. 0: no rows are copied so.
    int linear_rows;
    // Whether that straight code prefetches the lines of its stores, for tensors in the second-level cache. It then uses vectors of 32
    // bytes.
    bool prefetches_rows;
    // For tensors in the second-level cache, shuffles unroll the steps of short runs into at most this many operations. 0: they do not
    // unroll.
    int unrolled_operations;
    // For tensors in the second-level cache, the extra cycles of each load of a shuffle of pixels, beyond one load per cache line.
    double load_cycles;
    double waking;   // microseconds to wake a sleeping thread and to wait until it has finished
    double traffic;  // bytes per nanosecond that a copy of 4 MiB reads and writes together
    // Bytes per nanosecond that two cores which share a third-level cache store past the caches together. 0: not measured.
    double shared_stores;
    double copy_cycles;    // cycles to copy 64 bytes in the second-level cache
    double streamed_gain;  // cycles per byte that a large copy gains by bypassing the caches
    // A call is far if its source and destination together have at least this multiple of the third-level cache. Far copies gain by
    // bypassing the caches and by prefetching what they read. Far calls of token_sampler gain by a kernel that reads more slowly. 0:
    // far_bytes() does not depend on the third-level cache.
    double far_l3;
    // The same for shuffles that several threads share. Several cores together store past the caches hardly faster than one, but faster into
    // the third-level cache. 0: not measured; far_l3 applies.
    double shared_far_l3;
    // Far shuffles prefetch runs of at most this many bytes into the second-level cache, and leave longer runs to the processor's own
    // prefetchers. 0: they prefetch all runs into the first-level cache.
    int prefetched_run;
    // Shuffles in blocks may read and write many blocks at once if source and destination together have at most this multiple of the
    // third-level cache. 0: only if they fit the second-level cache.
    double near_l3;
    // The maximum number of cache lines that stores past the caches may have begun and not completed. A program that exceeds it stores
    // through the caches.
    int open_lines;
    // For tensors beyond the second-level cache, AVX2 programs of near sources are not used if the distance between blocks is a multiple of
    // this many bytes: `far_alias` for far tensors, `near_alias` for others. 0: not measured, no such limit.
    int near_alias, far_alias;
    // The cost of a far shuffle whose step writes to several places of a pixel is at least this many cycles per 64 bytes. 0: the minimum is
    // that of a copy.
    double apart_cycles;
    // Shuffles in blocks: the extra cycles of the first access to a line, if twice as many lines need its set of the first-level cache as the
    // set holds. The cost rises evenly from 0, where the set holds all lines that need it, to twice this value, where three times as many or
    // more need it. `evicted_line`: the extra cycles of each access to a line that was evicted because its set was full.
    double crowded_line, evicted_line;
    // The minimum cost of a program of near sources in blocks. It applies to tensors in the second-level cache whose destination blocks are
    // a multiple of 512 bytes apart. For each line that the program stores, it is `copy_cycles`, and this many cycles for each store of the
    // section with the most stores. At most 32 stores count. 0: not measured, no minimum.
    double near_store;
    // Shuffles in blocks: the extra cycles of each operation of a program beyond the first 700, once for each tile. A section that repeats
    // counts once. 0: not measured.
    double long_program;
    // Replaces `front` in sections with unpacks, which wait less for one another.
    double unpacks_front;
    // Permutes use few of the vector ports. Where they run beside blends, the rate `vectors` is multiplied by this.
    double shared_ports;
    // Whether the model counts a load for a table of indices only if the table is not in a register. If not, it counts one load for each
    // permute across lanes and none for shuffles within lanes.
    bool counts_tables;
    // Whether kernels of Philox that store past the caches prefetch one line of each page before they write to it, so that the address
    // translation of the page is ready.
    bool prefetches_pages;
    // The streams of a kernel of Philox that stores past the caches write to distant regions, which are this many bytes more than a whole
    // number of pages apart. 0: not measured.
    int stream_skew;
    double gigahertz;          // the clock while no vectors of 64 bytes run
    VectorRates narrow, wide;  // narrow: vectors of at most 32 bytes; wide: of 64 bytes
};

struct Machine {
    Microarchitecture kind;
    Caches caches;
    MachineRow row;

    const VectorRates& rates(int vector_bytes) const {
        return vector_bytes == 64 ? row.wide : row.narrow;
    }
    // The time in nanoseconds of this many vector instructions that do not wait for one another.
    double nanoseconds(double instructions, int vector_bytes) const {
        const VectorRates& r = rates(vector_bytes);
        return instructions / (r.vectors * r.clock * row.gigahertz);
    }
    // The time in nanoseconds per 32-bit number, if this many instructions make a whole vector of numbers.
    double nanoseconds_per_lane(double instructions, int vector_bytes) const {
        return nanoseconds(instructions, vector_bytes) * 4 / vector_bytes;
    }
    // Whether two stores of 32 bytes take no longer than one of 64. Then kernels for AVX2 may be faster, because fewer of their stores
    // cross cache lines.
    bool narrow_stores_are_as_fast() const {
        return row.narrow.stores * row.narrow.clock >= 2 * row.wide.stores * row.wide.clock;
    }
    // Whether one cycle completes two stores of 32 bytes.
    bool two_narrow_stores_per_cycle() const { return row.narrow.stores > 1.5; }
    // How many lines a set of the first-level cache holds.
    int64_t ways_of_l1() const { return caches.l1 / (kSetsOfL1 * 64); }
    // The size of a tile: half of the first-level cache, for a part of a source and what is written from it.
    int64_t tile_bytes() const { return caches.l1 / 2; }
    // Calls that read and write at least this many bytes in all are far. Far shuffles bypass the caches and prefetch what they read. If
    // far_l3 is 0, the limit is 72 MiB or 36 times the second-level cache, whichever is more. `threads`: how many may share the call.
    int64_t far_bytes(int threads = 1) const;
    bool is_far(int64_t bytes, int threads = 1) const { return bytes >= far_bytes(threads); }
    // Whether permutes that read and write this many bytes prefetch what they read. The limit is far_bytes(), or two thirds of it if far_l3
    // is 0.
    bool prefetches_sources(int64_t bytes, int threads = 1) const {
        const int64_t far = far_bytes(threads);
        return bytes >= (row.far_l3 > 0 ? far : far / 3 * 2);
    }
    // The maximum number of bytes of source and destination together for which shuffles in blocks may have sections of near sources.
    int64_t near_sources_bytes() const;
    // How many bytes ahead kernels prefetch that read data and draw numbers: the bytes that they read while one load waits for memory.
    int prefetch_bytes() const;
};

// The machine whose costs are in use. It does not change while the process runs.
const Machine& machine();

// The measured costs of one microarchitecture.
const MachineRow& row_of(Microarchitecture kind);

// The input of the decision that machine() makes; separate for tests. The vendor is the one that CPUID reports.
struct CpuFeatures {
    bool intel, amd;
    int family;  // base family + extended family
    bool avx512, vbmi2, fp16_or_amx, vp2intersect, vaes;
};
Microarchitecture classify(const CpuFeatures& features);

// The sizes and costs that common/ and cpu/ use, computed from a machine.
MachineSizes sizes_of(const Machine& machine);

}  // namespace tombola::impl::cpu::x64
