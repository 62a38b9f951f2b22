// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/machine.hpp"

#include <cpuid.h>

#include <algorithm>
#include <cmath>

#include "common/fork.hpp"
#include "common/settings.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;

// ---- rows --------------------------------------------------------------------------------------------------------

// A row has one member a line, as `scripts/machine-model` prints it. What each member means stands in machine.hpp.
//
// The comment above a row says where its values come from. "Fitted" means: chosen so that the model's costs agree with measured times.
// "0.95 of the time" compares a shuffle with the member's value and without it. doc/shuffle-speed.md tells how each value of a member for
// shuffles was found, and what else was tried.
//
// In every row, the sizes of the TLB and the typical caches are the maker's figures; they were not measured. `string_bytes` was found with
// shuffles of long rows. `read_ahead` was found with multinomial and with token_sampler. `unrolled_operations` was found with shuffles in
// blocks, on Zen 5 and Sapphire Rapids only.

// An Intel processor with AMX and AVX512_FP16.
//
// - `front`, `unpacks_front`: fitted to the times of shuffles. The values are 3.5 and 5; the processor completes 5.4 no-operations per
//   cycle.
// - `shared_ports`: measured. The processor chooses the port of an operation before it knows which port is free, so permutes wait for
//   blends.
// - `front_near_sources`: fitted to blocks of bytes and words, with `counts_tables` off.
// - `streamed_gain`: a copy gains 0.15 to 0.26. With 0.22, every shuffle with 32 and 64 MiB per tensor that gains by bypassing the caches
//   does bypass them. With 0.20 some unpacks do not. With 0.27 lanes that bypass them replace routes that are 1.4 times as fast.
//
// The members below were measured later, on two cores of a processor whose 480 MiB of third-level cache serve many cores:
//
// - `linear_rows`: random shuffles of rows of 1 to 2,000 bytes in the first-level cache take 0.95 of the time.
// - `prefetches_rows`: 240 random shuffles in the second-level cache, which gain by `linear_rows` too, take 0.99 (AVX-512) and 0.98 (AVX2)
//   of the time. Code for AVX2 with these prefetches then replaced code for AVX-512 without them: 120 shuffles take 0.97 of the time.
// - `far_l3`: 0, because the third-level cache is shared by too many cores to say how much of it a call has. Shuffles of rows gain by
//   bypassing the caches from 80 MB on, others from 72 MB on. Prefetches of the sources of permutes gain from 48 MB on.
// - `prefetched_run`: without prefetches, 72 shuffles in blocks of 68 to 180 MB take 1.01 (AVX-512) and 1.06 (AVX2) of the time. Of runs
//   longer than 2 KiB, as many lose as gain.
// - `crowded_line`, `evicted_line`: they follow from an older form of the model, in which an access to half of a line cost 3.5 cycles. The
//   form of today was not measured.
// - `open_lines`: the test stores half a line to each of several regions in turn, past the caches. Compared with stores of whole lines it
//   takes 1.3 times as long with 4 regions, 1.6 times with 7, and 13 to 20 times with 10 and more.
// - `string_bytes`, `unrolled_operations`, `near_l3`, `near_alias`, `apart_cycles` and `prefetches_pages` gain nothing. `read_ahead` gains
//   in token_sampler and loses in multinomial. `shared_stores` was measured as 45, but it is 0 because large fills do not gain by it.
constexpr MachineRow kSapphireRapids = [] {
    MachineRow row{};
    row.typical = {48 * kKiB, 2 * kMiB, 32 * kMiB};
    row.tlb_pages = 2048;
    row.latency = 170;
    row.read_ahead = 0;
    row.string_bytes = 0;
    row.linear_rows = 1000000;
    row.prefetches_rows = true;
    row.unrolled_operations = 0;
    row.load_cycles = 0;
    row.waking = 86;
    row.traffic = 24;
    row.shared_stores = 0;
    row.copy_cycles = 4.4;
    row.streamed_gain = 0.22;
    row.far_l3 = 0;
    row.shared_far_l3 = 0;
    row.prefetched_run = 2048;
    row.near_l3 = 0;
    row.open_lines = 4;
    row.near_alias = 0;
    row.far_alias = 0;
    row.apart_cycles = 0;
    row.crowded_line = 1.6;
    row.evicted_line = 5.4;
    row.near_store = 0;
    row.long_program = 0;
    row.unpacks_front = 5;
    row.shared_ports = 0.85;
    row.counts_tables = false;
    row.prefetches_pages = false;
    row.stream_skew = 0;
    row.gigahertz = 4.1;
    row.narrow.permutes = 1;
    row.narrow.permute2w_slots = 2;
    row.narrow.lane_shuffles = 3;
    row.narrow.unpack_slots = 1;
    row.narrow.vectors = 3;
    row.narrow.loads = 2;
    row.narrow.stores = 1;
    row.narrow.front = 3.5;
    row.narrow.front_near_sources = 0.9;
    row.narrow.split_store = 1.6;
    row.narrow.split_load = 0.6;
    row.narrow.step_cycles = 2.5;
    row.narrow.unrolled_step_cycles = 2.5;
    row.narrow.clock = 1;
    row.wide.permutes = 1;
    row.wide.permute2w_slots = 2;
    row.wide.lane_shuffles = 2;
    row.wide.unpack_slots = 1;
    row.wide.vectors = 2;
    row.wide.loads = 2;
    row.wide.stores = 1;
    row.wide.front = 6;
    row.wide.front_near_sources = 0.42;
    row.wide.split_store = 1.3;
    row.wide.split_load = 0.6;
    row.wide.step_cycles = 2.5;
    row.wide.unrolled_step_cycles = 2.5;
    row.wide.clock = 1;
    return row;
}();

// An EPYC, family 25, model 1, at 3.2 GHz, in virtual machines whose speed varied. It has no vectors of 64 bytes: their rates are copies of
// those of 32 bytes. Where nothing else is said, times are relative to the row that machines without measurements had when Zen 3 was first
// measured; it had no `linear_rows`, `open_lines` and `prefetched_run` yet.
//
// - `permutes`, `permute2w_slots`, `lane_shuffles`, `unpack_slots`, `vectors`, `waking`, `traffic`, `shared_stores`, `streamed_gain`,
//   `unpacks_front`: two runs of scripts/machine-model, rounded. `copy_cycles`: the smaller value of the two runs.
// - `latency`: the median of nine runs, which took 153 to 163 ns. Two earlier ones gave 196 and 207, which lead to prefetches 4 KiB ahead.
//   With these, dropout and rounding of 80 MB take 1.04 and 1.05 times as long as with 2 KiB.
// - `waking`: nine later runs took 130 to 193 microseconds. With 150, two threads that sleep between calls take 1.04 times as long as with
//   80, on average of 16 cases.
// - `front`, `loads`, `stores`, `shared_ports`, `split_store`, `split_load`: copied from Zen 4, where they were fitted to the times of
//   shuffles. With them 230 shuffles of up to 200 KB per tensor take 0.98 of the time. Changing one of them gains 0.6 % at most.
// - `read_ahead`: 19 cases of multinomial and token_sampler take 0.92 of the time on average, the best 0.73, the worst 1.18. 4 and 16 KiB
//   gain as much on average, 1 KiB nothing.
// - `string_bytes`: never. The string instruction takes up to 3.7 times as long as vectors.
// - `linear_rows`: 110 shuffles of rows of 33 bytes to 40 KB take 0.95 of the time, and 50 of rows of 5 to 64 bytes 0.81.
// - `far_l3`: 60 shuffles of 17 to 19 MB take 0.92 of the time that they take without bypassing the caches. 50 of 14 to 16 MB take 1.16.
// - `prefetched_run`, `open_lines`, `apart_cycles`: copied from Zen 4. With them and a greater `far_l3`, 30 shuffles of 40 to 90 MB per
//   tensor take 0.83 of the time.
// - `open_lines`: the test of Zen 4 has the same result here, up to 8 regions and from 10 on.
// - `near_alias`: copied from Zen 4. With 1024, 40 shuffles of 2 to 12 MB whose blocks are an odd or twofold multiple of 1 KiB apart take
//   1.04 times as long.
// - `far_alias`: with 1024, 40 such shuffles of 28 to 60 MB take 0.78 of the time that they take with 4096, the best 0.18. With 512 as many
//   gain as lose.
// - `stream_skew`: stores past the caches to the same place of several pages wait for one another if each fills a part of a line. With 128,
//   11 fills, dropouts and roundings of 64 MiB take 0.74 of the time, the best 0.37. With 64, 192, 320 and 576 they take 0.75 to 0.76.
// - `crowded_line`, `evicted_line`: copied from Zen 4. With those of Zen 5, 80 shuffles in the second-level cache take the same time.
// - `near_l3`: 80 shuffles of 1 to 8 MB per tensor take 0.95 of the time. Without `near_alias`, some of them would take more
//   than 3 times as long.
constexpr MachineRow kZen3 = [] {
    MachineRow row{};
    row.typical = {32 * kKiB, 512 * kKiB, 32 * kMiB};
    row.tlb_pages = 2048;
    row.latency = 160;
    row.read_ahead = 8192;
    row.string_bytes = 0;
    row.linear_rows = 256;
    row.prefetches_rows = false;
    row.unrolled_operations = 0;
    row.load_cycles = 0;
    row.waking = 80;
    row.traffic = 60;
    row.shared_stores = 35;
    row.copy_cycles = 4.5;
    row.streamed_gain = 0.12;
    row.far_l3 = 0.5;
    row.shared_far_l3 = 0;
    row.prefetched_run = 8192;
    row.near_l3 = 0.5;
    row.open_lines = 4;
    row.near_alias = 4096;
    row.far_alias = 1024;
    row.apart_cycles = 8;
    row.crowded_line = 3.5;
    row.evicted_line = 4;
    row.near_store = 0;
    row.long_program = 0;
    row.unpacks_front = 4.8;
    row.shared_ports = 0.75;
    row.counts_tables = true;
    row.prefetches_pages = false;
    row.stream_skew = 128;
    row.gigahertz = 3.2;
    row.narrow.permutes = 1;
    row.narrow.permute2w_slots = 2;
    row.narrow.lane_shuffles = 2;
    row.narrow.unpack_slots = 1;
    row.narrow.vectors = 3;
    row.narrow.loads = 1.2;
    row.narrow.stores = 0.7;
    row.narrow.front = 3;
    row.narrow.front_near_sources = 0.9;
    row.narrow.split_store = 1.5;
    row.narrow.split_load = 1;
    row.narrow.step_cycles = 2.5;
    row.narrow.unrolled_step_cycles = 2.5;
    row.narrow.clock = 1;
    row.wide.permutes = 1;
    row.wide.permute2w_slots = 2;
    row.wide.lane_shuffles = 2;
    row.wide.unpack_slots = 1;
    row.wide.vectors = 3;
    row.wide.loads = 1.2;
    row.wide.stores = 0.7;
    row.wide.front = 3;
    row.wide.front_near_sources = 0.9;
    row.wide.split_store = 1.5;
    row.wide.split_load = 1;
    row.wide.step_cycles = 2.5;
    row.wide.unrolled_step_cycles = 2.5;
    row.wide.clock = 1;
    return row;
}();

// An EPYC, family 25, model 17, at 3.7 GHz. A vector of 64 bytes takes two of the four vector pipes, both load pipes, and the store pipe
// for two cycles.
//
// - `front`, `loads`, `stores`, `shared_ports`, `split_store`, `split_load`: fitted to the times of shuffles, most of them in
//   the second-level cache, each with all programs that were considered for it. In the first-level cache, scripts/machine-model measures 2
//   loads and 1 store of 32 bytes per cycle, half as many of 64, and 6 operations or more.
// - `string_bytes`: where rows are whole lines, the string instruction gains from 6 KiB on. Other rows of 2 to 9 KiB lose up to a fifth.
// - `linear_rows`: longer rows gain nothing or lose.
// - `waking`: the median of three runs, which took 61 to 88 microseconds.
// - `traffic`: measured with shuffles of 4 MiB. A copy of 4 MiB reaches 83 to 98.
// - `shared_stores`: the median of three runs, 46 to 55, on two cores that share a third-level cache.
// - `streamed_gain`: an estimate, the time to read one byte from memory at 25 GB/s, which one thread reaches.
// - `far_l3`: with 15 to 17 MB, as many shuffles gain by bypassing the caches as lose. From 17 MB on they take 0.81 of the time, from 19 MB
//   on 0.71.
// - `prefetched_run`: runs of 4 to 8 KiB gain by being prefetched, runs of 16 KiB lose.
// - `near_l3`: it changes some of 149 shuffles of 2 to 17 MB. These take 0.84 of the time on average; the worst takes 1.2 times as long.
// - `open_lines`: the test stores half a line to each of several regions in turn, past the caches. Compared with stores of whole lines it
//   takes the same time with 4 regions, 1.6 times as long with 8, and 10 times with 9 and more. On 44 shuffles, the value 4 is the fastest;
//   8 comes next, then 6.
// - `near_alias`: in memory, with blocks a multiple of 4 KiB apart, four of five shuffles took 1.15 to 1.7 times as long by AVX2 programs
//   of near sources as by other programs.
// - `apart_cycles`: fitted to the times of 237 shuffles of pixels, with tensors of 22 to 120 MB.
// - `crowded_line`, `evicted_line`: fitted to the times of 574 shuffles, each with up to 16 programs, whose blocks are a multiple of 1 KiB
//   apart, most of them 4 KiB.
// - `far_alias`: with 1024, 40 shuffles of 28 to 60 MB whose blocks are 1 to 14 KiB apart take the same time on average; single ones take
//   0.7 to 1.26 of it.
// - `read_ahead`: with 4, 8 or 16 KiB, 18 cases of multinomial and token_sampler in memory take 1.04 of the time, the worst 1.31.
// - `stream_skew`: with 64 or 128, eight fills and dropouts of 128 to 512 MiB take 0.96 of the time with AVX2, the best 0.86. With AVX-512
//   they take the same time, as most of its kernels store whole lines.
// - `unpacks_front`: an estimate, the six operations that the processor takes per cycle.
constexpr MachineRow kZen4 = [] {
    MachineRow row{};
    row.typical = {32 * kKiB, 1 * kMiB, 32 * kMiB};
    row.tlb_pages = 3072;
    row.latency = 155;
    row.read_ahead = 0;
    row.string_bytes = 24576;
    row.linear_rows = 256;
    row.prefetches_rows = false;
    row.unrolled_operations = 0;
    row.load_cycles = 0;
    row.waking = 75;
    row.traffic = 96;
    row.shared_stores = 55;
    row.copy_cycles = 4.1;
    row.streamed_gain = 0.15;
    row.far_l3 = 0.5;
    row.shared_far_l3 = 0;
    row.prefetched_run = 8192;
    row.near_l3 = 0.5;
    row.open_lines = 4;
    row.near_alias = 4096;
    row.far_alias = 4096;
    row.apart_cycles = 8;
    row.crowded_line = 3.5;
    row.evicted_line = 4;
    row.near_store = 0;
    row.long_program = 0;
    row.unpacks_front = 6;
    row.shared_ports = 0.75;
    row.counts_tables = true;
    row.prefetches_pages = false;
    row.stream_skew = 128;
    row.gigahertz = 3.7;
    row.narrow.permutes = 2;
    row.narrow.permute2w_slots = 1;
    row.narrow.lane_shuffles = 2;
    row.narrow.unpack_slots = 0.7;
    row.narrow.vectors = 3;
    row.narrow.loads = 1.2;
    row.narrow.stores = 0.7;
    row.narrow.front = 3;
    row.narrow.front_near_sources = 0.9;
    row.narrow.split_store = 1.5;
    row.narrow.split_load = 1;
    row.narrow.step_cycles = 2.5;
    row.narrow.unrolled_step_cycles = 2.5;
    row.narrow.clock = 1;
    row.wide.permutes = 1;
    row.wide.permute2w_slots = 1;
    row.wide.lane_shuffles = 1;
    row.wide.unpack_slots = 0.7;
    row.wide.vectors = 2;
    row.wide.loads = 0.6;
    row.wide.stores = 0.35;
    row.wide.front = 5.2;
    row.wide.front_near_sources = 0.42;
    row.wide.split_store = 0.25;
    row.wide.split_load = 1;
    row.wide.step_cycles = 2.5;
    row.wide.unrolled_step_cycles = 2.5;
    row.wide.clock = 1;
    return row;
}();

// An EPYC, family 26, model 2, at 3.8 GHz, in a virtual machine. Its data paths have 64 bytes. In one cycle it completes two loads of
// either width, and one store of 64 bytes or two of 32. In one cycle it also completes two permutes and two blends, so blends do not delay
// permutes.
//
// - `narrow.loads`, `near_store`, `long_program`: fitted to the times of 630 shuffles in the second-level cache, each with up to 15
//   programs. scripts/machine-model measures 2 loads of 32 bytes per cycle. With 2 in place of 1.6, shuffles in blocks take 1.005 times
//   as long with AVX2, and 1.012 times without the other two members.
// - `unrolled_operations`: some kernels take 1.4 to 8 times as long in all calls of a process. Of 7,600 kernels these were 11 with 1000,
//   and 3 with 500 (doc/shuffle-speed.md).
// - `load_cycles`, `wide.split_store`, `wide.unrolled_step_cycles`: fitted to the times of 290 shuffles in the second-level cache. There,
//   stores across lines cost hardly anything. In the first-level cache, a single store across lines takes 1.2 cycles more than another
//   store.
// - `narrow.step_cycles`: fitted to the times of 164 shuffles with AVX2. With AVX-512, 1.5 instead of 2.5 gains nothing.
// - `front_near_sources`: fitted to the times of 106 shuffles, each with all programs that were considered for it.
// - `waking`: the median of six runs, which took 60 to 102 microseconds.
// - `traffic`: that of shuffles of 4 MiB.
// - `shared_stores`: measured on two cores that share a third-level cache. Two cores that do not share one reach 84.
// - `crowded_line`, `evicted_line`: those of Sapphire Rapids. On 210 shuffles whose blocks share sets no other values gain more than
//   0.2 %. Without them these take 1.04 times as long with AVX-512 and 1.06 times with AVX2.
// - `far_l3`: shuffles of 24 to 110 MB gain by bypassing the caches, those of 17 MB lose.
// - `shared_far_l3`: without bypassing the caches, 30 random shuffles of 20 to 32 MiB on two threads take 0.68 of the time with AVX-512 and
//   0.81 with AVX2. These two cores did not share a third-level cache. While two cores shared one, 28 such shuffles took 1.35 times as long with
//   AVX-512 and 1.30 with AVX2. Which cores a virtual machine has changes from minute to minute, and CPUID does not tell.
// - `near_l3`: 60 random shuffles in blocks of 2 to 16 MB take 0.94 of the time with AVX2 and 0.98 with AVX-512. With the value 1, some
//   shuffles that bypassed the caches no longer do so and take 2.6 times as long.
// - `open_lines`: the test stores half a line to each of several blocks in turn, past the caches. Compared with stores of whole lines it
//   takes the same time with 10 blocks, and three times as long with 12.
constexpr MachineRow kZen5 = [] {
    MachineRow row{};
    row.typical = {48 * kKiB, 1 * kMiB, 32 * kMiB};
    row.tlb_pages = 4096;
    row.latency = 169;
    row.read_ahead = 16384;
    row.string_bytes = 2048;
    row.linear_rows = 1000000;
    row.prefetches_rows = false;
    row.unrolled_operations = 500;
    row.load_cycles = 0.3;
    row.waking = 78;
    row.traffic = 110;
    row.shared_stores = 42;
    row.copy_cycles = 2.2;
    row.streamed_gain = 0.09;
    row.far_l3 = 0.625;
    row.shared_far_l3 = 1;
    row.prefetched_run = 0;
    row.near_l3 = 0.5;
    row.open_lines = 10;
    row.near_alias = 0;
    row.far_alias = 0;
    row.apart_cycles = 0;
    row.crowded_line = 1.6;
    row.evicted_line = 5.4;
    row.near_store = 0.03;
    row.long_program = 0.7;
    row.unpacks_front = 5.7;
    row.shared_ports = 1;
    row.counts_tables = true;
    row.prefetches_pages = true;
    row.stream_skew = 0;
    row.gigahertz = 3.8;
    row.narrow.permutes = 2.1;
    row.narrow.permute2w_slots = 1;
    row.narrow.lane_shuffles = 2.1;
    row.narrow.unpack_slots = 0;
    row.narrow.vectors = 3.9;
    row.narrow.loads = 1.6;
    row.narrow.stores = 2;
    row.narrow.front = 5.7;
    row.narrow.front_near_sources = 0.9;
    row.narrow.split_store = 1.25;
    row.narrow.split_load = 0.6;
    row.narrow.step_cycles = 0.5;
    row.narrow.unrolled_step_cycles = 0.5;
    row.narrow.clock = 1;
    row.wide.permutes = 2.1;
    row.wide.permute2w_slots = 1;
    row.wide.lane_shuffles = 2.1;
    row.wide.unpack_slots = 0;
    row.wide.vectors = 3.9;
    row.wide.loads = 1.95;
    row.wide.stores = 1;
    row.wide.front = 5.7;
    row.wide.front_near_sources = 0.9;
    row.wide.split_store = 0.3;
    row.wide.split_load = 0.5;
    row.wide.step_cycles = 2.5;
    row.wide.unrolled_step_cycles = 1;
    row.wide.clock = 1;
    return row;
}();

// A machine that nobody has measured has the row of Sapphire Rapids with its own caches and TLB. Its `streamed_gain` is that of Zen 4, the
// smaller and so the more careful value.
constexpr MachineRow unmeasured(const Caches& typical, int tlb_pages, double wide_clock = 1) {
    MachineRow row = kSapphireRapids;
    row.typical = typical;
    row.tlb_pages = tlb_pages;
    row.streamed_gain = kZen4.streamed_gain;
    row.wide.clock = wide_clock;
    return row;
}

// Skylake-X lowers its clock while vectors of 64 bytes run. The factor is an estimate: nobody has measured it with the kernels of this
// library.
constexpr double kSkylakeWideClock = 0.85;

constexpr MachineRow kUnknown = unmeasured({32 * kKiB, 512 * kKiB, 8 * kMiB}, 2048);
constexpr MachineRow kHaswell = unmeasured({32 * kKiB, 256 * kKiB, 8 * kMiB}, 1024);
constexpr MachineRow kSkylakeX =
    unmeasured({32 * kKiB, 1 * kMiB, 16 * kMiB}, 1536, kSkylakeWideClock);
constexpr MachineRow kIceLake = unmeasured({48 * kKiB, 1280 * kKiB, 32 * kMiB}, 2048);

// Nobody has measured a Zen 2. Its vectors and its paths for data are as wide as those of Zen 3.
constexpr MachineRow kZen2 = [] {
    MachineRow row = kZen3;
    row.typical = {32 * kKiB, 512 * kKiB, 16 * kMiB};
    return row;
}();

// ---- CPUID -------------------------------------------------------------------------------------------------------

struct Registers {
    unsigned a = 0, b = 0, c = 0, d = 0;
};
// Returns zeros if the processor does not have the leaf.
Registers cpuid(unsigned leaf, unsigned part = 0) {
    Registers r;
    if (__get_cpuid_count(leaf, part, &r.a, &r.b, &r.c, &r.d) == 0) return {};
    return r;
}

bool bit(unsigned value, int position) { return (value >> position & 1) != 0; }

CpuFeatures detect_features() {
    CpuFeatures features{};
    const Registers vendor = cpuid(0), version = cpuid(1), more = cpuid(7);
    features.intel = vendor.b == signature_INTEL_ebx;
    features.amd = vendor.b == signature_AMD_ebx;
    features.family = static_cast<int>((version.a >> 8 & 15) + (version.a >> 20 & 255));
    features.avx512 = bit(more.b, 16);
    features.vbmi2 = bit(more.c, 6);
    features.vaes = bit(more.c, 9);
    features.vp2intersect = bit(more.d, 8);
    features.fp16_or_amx = bit(more.d, 23) || bit(more.d, 24);
    return features;
}

// Each part of the leaf describes one cache. Intel's leaf is 4, AMD's is 8000_001D. The number of processors that share a cache is not
// read, because virtual machines seldom report it correctly. A size that CPUID does not report is taken from `typical`.
Caches detect_caches(bool amd, const Caches& typical) {
    constexpr int kMaxCaches = 8;
    constexpr unsigned kNoMore = 0, kInstructions = 2;
    Caches caches = typical;
    for (unsigned part = 0; part < kMaxCaches; ++part) {
        const Registers r = cpuid(amd ? 0x8000001D : 4, part);
        const unsigned type = r.a & 31, level = r.a >> 5 & 7;
        if (type == kNoMore) break;
        if (type == kInstructions) continue;
        const int64_t ways = (r.b >> 22) + 1, partitions = (r.b >> 12 & 1023) + 1,
                      line = (r.b & 4095) + 1, sets = int64_t{r.c} + 1;
        const int64_t bytes = ways * partitions * line * sets;
        if (level == 1) caches.l1 = bytes;
        if (level == 2) caches.l2 = bytes;
        if (level == 3) caches.l3 = bytes;
    }
    // A hypervisor may report any size. Sizes that no real processor has would lead to tiles of a few bytes.
    if (caches.l1 < 16 * kKiB || caches.l2 < 128 * kKiB || caches.l2 < caches.l1) return typical;
    return caches;
}

Machine detect_machine() {
    const CpuFeatures features = detect_features();
    Machine result{};
    if (const auto asked = machine_asked_for()) {
        result.kind = *asked;
        result.row = row_of(*asked);
        result.caches = result.row.typical;
        return result;
    }
    result.kind = classify(features);
    result.row = row_of(result.kind);
    result.caches = detect_caches(features.amd, result.row.typical);
    return result;
}

// The power of two that is nearest to `value` on a logarithmic scale.
int64_t nearest_power(double value) { return int64_t{1} << std::lround(std::log2(value)); }

}  // namespace

// Decides by features first, because virtual machines often report the family and the model of another processor. The family decides only
// where features do not.
Microarchitecture classify(const CpuFeatures& features) {
    constexpr int kZen5Family = 0x1A, kZen3Family = 0x19, kZenFamily = 0x17;
    if (features.intel) {
        if (!features.avx512) return Microarchitecture::haswell;
        if (features.fp16_or_amx) return Microarchitecture::sapphire_rapids;
        return features.vbmi2 ? Microarchitecture::ice_lake : Microarchitecture::skylake_x;
    }
    if (features.amd) {
        if (features.vp2intersect || features.family >= kZen5Family) return Microarchitecture::zen5;
        if (features.avx512) return Microarchitecture::zen4;
        if (features.vaes || features.family == kZen3Family) return Microarchitecture::zen3;
        if (features.family == kZenFamily) return Microarchitecture::zen2;
    }
    return Microarchitecture::unknown;
}

const MachineRow& row_of(Microarchitecture kind) {
    switch (kind) {
        case Microarchitecture::unknown:
            return kUnknown;
        case Microarchitecture::haswell:
            return kHaswell;
        case Microarchitecture::skylake_x:
            return kSkylakeX;
        case Microarchitecture::ice_lake:
            return kIceLake;
        case Microarchitecture::sapphire_rapids:
            return kSapphireRapids;
        case Microarchitecture::zen2:
            return kZen2;
        case Microarchitecture::zen3:
            return kZen3;
        case Microarchitecture::zen4:
            return kZen4;
        case Microarchitecture::zen5:
            return kZen5;
    }
    return kUnknown;
}

const Machine& machine() {
    return made_once([] { return detect_machine(); });
}

int64_t Machine::far_bytes(int threads) const {
    const double share = threads > 1 && row.shared_far_l3 > 0 ? row.shared_far_l3 : row.far_l3;
    if (share > 0) return static_cast<int64_t>(share * static_cast<double>(caches.l3));
    return std::max(72 * kMiB, 36 * caches.l2);
}

int64_t Machine::near_sources_bytes() const {
    return std::max(caches.l2, static_cast<int64_t>(row.near_l3 * static_cast<double>(caches.l3)));
}

int Machine::prefetch_bytes() const {
    // The rate at which dropout and rounding read: 10 to 25 bytes per nanosecond, depending on their data types. Any value from 9.4 to 16
    // gives a distance of 2 KiB on all measured machines. A distance of 4 KiB takes up to 4 % longer on Zen 5.
    constexpr double kBytesPerNanosecond = 16;
    return static_cast<int>(nearest_power(kBytesPerNanosecond * row.latency));
}

MachineSizes sizes_of(const Machine& machine) {
    constexpr int64_t kElementBytes = 4, kPageBytes = 4096;
    MachineSizes sizes{};
    sizes.waking = 1000 * machine.row.waking;
    sizes.traffic = machine.row.traffic;
    sizes.shared_stores = machine.row.shared_stores;
    // Generated numbers arrive more slowly than memory takes them, so bypassing the caches costs the producer little. Below 4 MiB the
    // numbers stay in the caches, because a reader finds them in a cache of nearly every machine.
    sizes.streaming_bytes = static_cast<size_t>(std::max(4 * kMiB, 2 * machine.caches.l2));
    // Random exchanges in a range of four times the memory that the TLB covers miss the TLB nearly always.
    sizes.paged_range = 4 * machine.row.tlb_pages * kPageBytes / kElementBytes;
    return sizes;
}

}  // namespace tombola::impl::cpu::x64

namespace tombola::impl {

const MachineSizes& machine_sizes() {
    return made_once([] { return cpu::x64::sizes_of(cpu::x64::machine()); });
}

Microarchitecture machine_in_use() { return cpu::x64::machine().kind; }

}  // namespace tombola::impl
