// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known about the processor: its microarchitecture, its caches, and what instructions cost on it.
//
//   CPUID, TOMBOLA_MACHINE --> Microarchitecture --> MachineRow (measured) --+
//   CPUID ---------------------------------------> Caches ------------------+--> sizes and costs
//
// A row comes from measurement on such a machine: `scripts/machine-model` measures one in a minute and prints it as
// source for machine.cpp. A microarchitecture that nobody has measured has the row of Sapphire Rapids, and its own caches.
// With TOMBOLA_MACHINE, the caches are those of its row, so that every decision is that of a typical machine of this kind.
//
// Constants that are the same on every machine stay where they are used, with the reason.

#include <cstdint>

#include "common/machine.hpp"

namespace tombola::impl::cpu::x64 {

struct Caches {
    int64_t l1, l2, l3;  // bytes; l1 and l2 of one core
};

// How many operations of a kind end in one cycle, if they do not wait for one another, for vectors of one width. Data
// lie in the first-level cache.
struct VectorRates {
    double permutes;       // of units across lanes: vpermb, vpermd, insertions into a register
    double permute_slots;  // permutes in the time of a vpermt2w, which reads two registers
    double lane_shuffles;  // permutes, and shuffles within lanes (vpshufb), together
    double unpack_slots;   // lane shuffles in the time of an unpack; 0 if every port has it
    double vectors;        // any instructions on vectors
    double loads, stores;
    double front;  // micro-operations that the front end delivers
    // `front` is multiplied by this in blocked shuffles whose sections write several blocks at once.
    double front_near_sources;
    // The cycles that a store and a load cost more if they cross a cache line, in the first-level cache.
    double split_store, split_load;
    double step_cycles;  // of a step of a shuffle, for each of its sections, beyond its operations
    double unrolled_step_cycles;  // the same where the steps of a run are unrolled
    double clock;                 // relative to the clock without such vectors
};

struct MachineRow {
    Caches typical;  // in place of what CPUID does not tell
    int tlb_pages;   // entries of the second-level TLB
    double latency;  // nanoseconds of a load from memory
    // Kernels that only read a row prefetch it into the first-level cache, this many bytes ahead of their loads. 0: they do
    // not prefetch.
    int read_ahead;
    // Rows of at least this many bytes are copied by the string instruction, if the tensors exceed the first-level cache and
    // do not bypass the caches. 0: never.
    int string_bytes;
    // Rows of at most this many bytes that do not stream are copied so that one of the tensors is read or written in the order
    // of memory, and as straight code where few rows make a turn. 0: none.
    int linear_rows;
    // Whether such straight code prefetches the lines of its stores in the second-level cache. Its vectors then have 32 bytes.
    bool prefetches_rows;
    // In shuffles in the second-level cache, the steps of short runs are unrolled into at most this many operations. 0: they
    // are not unrolled.
    int unrolled_operations;
    // The cycles that each load of a shuffle of pixels costs more, beyond one a line, in the second-level cache.
    double load_cycles;
    double waking;   // microseconds to wake a sleeping thread and to wait for it
    double traffic;  // bytes that a copy of 4 MiB reads and writes in a nanosecond
    // Bytes that the cores of one third-level cache together store in a nanosecond if they bypass the caches. 0: not measured.
    double shared_stores;
    double copy_cycles;    // of 64 bytes in the second-level cache
    double streamed_gain;  // cycles for each byte that a large copy gains by bypassing the caches
    // Copies gain by bypassing the caches, and by prefetching what they read, where source and destination together have at
    // least this multiple of the third-level cache. token_sampler gains there by a kernel that reads more slowly. 0: the size does
    // not depend on that cache, see far_bytes().
    double far_l3;
    // Shuffles of that size prefetch runs of at most this many bytes into the second-level cache. Longer runs are left to the
    // processor's own prefetchers. 0: they prefetch all runs into the first-level cache.
    int prefetched_run;
    // Shuffles in blocks may read and write many blocks at once where source and destination together have at most this
    // multiple of the third-level cache. 0: only where they fit the second-level cache.
    double near_l3;
    // How many lines stores that bypass the caches may have begun and not completed. Programs that begin more store through the
    // caches.
    int open_lines;
    // Beyond the second-level cache, programs of near sources for AVX2 are not used if blocks lie a multiple of this many bytes apart.
    // 0: not measured, no such limit.
    int near_alias;
    // Far shuffles whose step writes to several places of a pixel take at least this many cycles for 64 bytes. 0: no more
    // than a copy.
    double apart_cycles;
    double unpacks_front;  // `front` of sections with unpacks, which wait less for one another
    // The part of the rate of vectors that remains where permutes, which few ports have, run beside blends.
    double shared_ports;
    // Whether a table of indices costs a load only where it is not in a register. Otherwise each permute across lanes costs one, and
    // shuffles within lanes none.
    bool counts_tables;
    // Whether Philox's kernels that store past the caches prefetch a line of each page that they come to, so that it is looked up
    // before it is written.
    bool prefetches_pages;
    double gigahertz;          // the clock without vectors of 64 bytes
    VectorRates narrow, wide;  // vectors of at most 32 bytes; of 64 bytes
};

struct Machine {
    Microarchitecture kind;
    Caches caches;
    MachineRow row;

    const VectorRates& rates(int vector_bytes) const {
        return vector_bytes == 64 ? row.wide : row.narrow;
    }
    // The time of this many instructions on vectors, if none waits for another.
    double nanoseconds(double instructions, int vector_bytes) const {
        const VectorRates& r = rates(vector_bytes);
        return instructions / (r.vectors * r.clock * row.gigahertz);
    }
    // The time of one number of 32 bits, if this many instructions make a vector of them.
    double nanoseconds_per_lane(double instructions, int vector_bytes) const {
        return nanoseconds(instructions, vector_bytes) * 4 / vector_bytes;
    }
    // Whether two stores of 32 bytes take no longer than one of 64. Then kernels for AVX2 may be the faster ones, as fewer
    // of their stores cross cache lines.
    bool narrow_competes() const {
        return row.narrow.stores * row.narrow.clock >= 2 * row.wide.stores * row.wide.clock;
    }
    // Whether two stores of 32 bytes end in a cycle.
    bool stores_twice() const { return row.narrow.stores > 1.5; }
    // Half of the first-level cache: a tile of a source and what is written from it.
    int64_t tile_bytes() const { return caches.l1 / 2; }
    // Calls that read and write at least this many bytes are far: shuffles bypass the caches, and prefetch what they read. Without
    // far_l3 it is 72 MiB, or 36 times the second-level cache if that is more.
    int64_t far_bytes() const;
    bool is_far(int64_t bytes) const { return bytes >= far_bytes(); }
    // Whether permutes of so many bytes prefetch what they read: far ones do, and without far_l3 those of two thirds of that size.
    bool prefetches_sources(int64_t bytes) const {
        return bytes >= (row.far_l3 > 0 ? far_bytes() : far_bytes() / 3 * 2);
    }
    // Shuffles in blocks may have sections of near sources up to this many bytes of source and destination.
    int64_t near_sources_bytes() const;
    // How far ahead kernels that read and draw prefetch: as many bytes as they read while one load waits for memory.
    int prefetch_bytes() const;
};

// The machine whose costs are in use. It does not change while the process runs.
const Machine& machine();

// The costs of one microarchitecture.
const MachineRow& row_of(Microarchitecture kind);

// The decision that machine() makes, for tests. The vendor is that of CPUID.
struct CpuFeatures {
    bool intel, amd;
    int family;  // with the extended family
    bool avx512, vbmi2, fp16_or_amx, vp2intersect, vaes;
};
Microarchitecture classify(const CpuFeatures& features);

// The sizes that follow from a machine.
MachineSizes sizes_of(const Machine& machine);

}  // namespace tombola::impl::cpu::x64
