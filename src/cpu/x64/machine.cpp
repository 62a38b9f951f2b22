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
// In no row were the sizes of the TLB and of the typical caches measured: they are the makers'. `string_bytes` is found with shuffles of
// long rows, the distance `read_ahead` with multinomial and token_sampler, greedy, and `unrolled_operations` with shuffles in blocks: the
// last two on Zen 5 and Sapphire Rapids alone.

// An Intel processor with AMX and AVX512_FP16. `front` and `unpacks_front` were fitted to the times of shuffles: 3.5 and 5
// where no-operations end at 5.4 a cycle. `shared_ports` was measured: the processor chooses the port of an operation before
// it knows which one is free, so that permutes wait for blends. `front_near_sources` was fitted to blocks of bytes and words,
// with `counts_tables` off. The copy of `streamed_gain` gains 0.15 to 0.26; with 0.22, of shuffles with 32 and
// 64 MiB a tensor, all that gain by bypassing the caches do so. With 0.20 some unpacks do not, and with 0.27 lanes that
// bypass them replace routes that are 1.4 times as fast.
//
// Measured later, on a processor with 480 MiB of third-level cache for many cores, of which two were used:
//
// - `linear_rows`: 160 random shuffles of rows of 1 to 2,000 bytes in the first-level cache take 0.95 of the time.
// - `prefetches_rows`: 240 random shuffles in the second-level cache, which gain by both, take 0.99 (AVX-512) and 0.98 (AVX2) of the time.
//   Later the code for AVX2 replaced that for AVX-512: 120 of rows of 16 to 700 bytes take 0.97 of the time before, 0.78 to 1.11.
// - `far_l3`: 0, as the cache is shared by too many to tell. Past it, 24 random shuffles of rows of 66 to 72 MB take 1.02 of the time,
//   and 24 others 1.08 (AVX-512) and 0.98 (AVX2); of 72 to 80 MB, 1.01 / 1.03 and 0.93 / 0.88; 14 of both kinds of 80 to 96 MB, 0.88 / 0.86.
//   Permutes that prefetch their sources through the caches take 0.99 / 0.95 of the time from 48 to 62 MB, 0.99 / 0.97 to 72 MB.
// - `prefetched_run`: without prefetches, 72 shuffles in blocks of 68 to 180 MB take 1.01 (AVX-512) and 1.06 (AVX2) of the time. With
//   prefetches of runs up to 2 KiB, 40 shuffles of rows take 0.98 and 0.96. With longer runs, as many lose as gain.
// - `open_lines`: stores that bypass the caches, to halves of lines of 4 regions in turn, take 1.3 times as long as whole lines; of 7,
//   1.6 times; of 10 and more, 13 to 20 times. 72 shuffles in blocks take 0.98 of the time with 4.
// - `string_bytes`, `unrolled_operations`, `near_l3`, `near_alias`, `apart_cycles` and `prefetches_pages` gain nothing. `read_ahead`
//   gains in token_sampler and loses in multinomial. `shared_stores` was 45, but large fills do not gain by it.
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
    row.prefetched_run = 2048;
    row.near_l3 = 0;
    row.open_lines = 4;
    row.near_alias = 0;
    row.apart_cycles = 0;
    row.unpacks_front = 5;
    row.shared_ports = 0.85;
    row.counts_tables = false;
    row.prefetches_pages = false;
    row.gigahertz = 4.1;
    row.narrow.permutes = 1;
    row.narrow.permute_slots = 2;
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
    row.wide.permute_slots = 2;
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

// A virtual EPYC, family 25, model 1, at 3.2 GHz, whose speed varied by a factor of two. It has no vectors of 64 bytes: their rates are
// those of 32. Times are relative to the row of unmeasured machines, which had no `linear_rows`, `open_lines` and
// `prefetched_run` yet.
//
// - `permutes`, `permute_slots`, `lane_shuffles`, `unpack_slots`, `vectors`, `waking`, `traffic`, `shared_stores`, `streamed_gain`,
//   `unpacks_front`: two runs of scripts/machine-model, rounded. `copy_cycles`: the lesser of the two.
// - `latency`: the two runs had 196 and 207, which would prefetch 4 KiB ahead. Then dropout and rounding of 80 MB take 1.04 and 1.05
//   times as long as with 2 KiB, which 180 gives.
// - `front`, `loads`, `stores`, `shared_ports`, `split_store`, `split_load`: those of Zen 4, which were fitted to the times of shuffles.
//   With them 230 shuffles of up to 200 KB a tensor take 0.98 of the time. One other value of each gains 0.6 % at the most.
// - `string_bytes`: the string instruction takes up to 3.7 times as long as vectors.
// - `linear_rows`: 110 shuffles of rows of 33 bytes to 40 KB take 0.95 of the time, and 50 of rows of 5 to 64 bytes 0.81.
// - `far_l3`, `prefetched_run`, `open_lines`, `near_alias`, `apart_cycles`: those of Zen 4. 30 shuffles of 40 to 90 MB a tensor take 0.83
//   of the time. One of 21.7 MB, source and destination together, takes 2 to 4 times as long, as it fits the third-level cache.
// - `near_l3`: 80 shuffles of 1 to 8 MB a tensor take 0.95 of the time. Without `near_alias` single ones take up to 4 times as long.
constexpr MachineRow kZen3 = [] {
    MachineRow row{};
    row.typical = {32 * kKiB, 512 * kKiB, 32 * kMiB};
    row.tlb_pages = 2048;
    row.latency = 180;
    row.read_ahead = 0;
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
    row.far_l3 = 0.625;
    row.prefetched_run = 8192;
    row.near_l3 = 0.5;
    row.open_lines = 4;
    row.near_alias = 4096;
    row.apart_cycles = 8;
    row.unpacks_front = 4.8;
    row.shared_ports = 0.75;
    row.counts_tables = true;
    row.prefetches_pages = false;
    row.gigahertz = 3.2;
    row.narrow.permutes = 1;
    row.narrow.permute_slots = 2;
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
    row.wide.permute_slots = 2;
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

// An EPYC, family 25, model 17, at 3.7 GHz. A vector of 64 bytes takes two of the four pipes for vectors, both pipes of
// the loads, and two cycles of the pipe of the stores.
//
// - `front`, `loads`, `stores`, `shared_ports`, `split_store`, `split_load`: fitted to the times of 451 shuffles, most of them in the
//   second-level cache, each with all programs that were considered for it. For the first-level cache, scripts/machine-model has
//   2 loads and 1 store of 32 bytes, half as many of 64, and 6 operations or more.
// - `string_bytes`: the string instruction gains from 6 KiB on if rows are whole lines; other rows of 2 to 9 KiB lose up to a fifth.
// - `linear_rows`: of 455 random shuffles, those with rows of 201 to 400 bytes gain nothing or lose.
// - `waking`: the median of three runs, which took 61 to 88 microseconds.
// - `traffic`: that of shuffles of 4 MiB. A copy of 4 MiB has 83 to 98.
// - `shared_stores`: the median of three runs, 46 to 55, of two processors that share a third-level cache.
// - `streamed_gain`: an estimate, the time to read a byte, of which memory delivers 25 GB/s to one thread.
// - `far_l3`: shuffles of 23 MB and more gain by bypassing the caches, those of 18 MB and less lose.
// - `prefetched_run`: runs of 4 to 8 KiB that are prefetched gain, those of 16 KiB lose.
// - `near_l3`: of 149 shuffles of 2 to 17 MB, those that change take 0.84 of the time on average; the worst takes 1.2 times as long.
// - `open_lines`: stores that bypass the caches, to halves of lines of 4 regions in turn, take the time of whole lines; of 8, 1.6
//   times as long; of 9 and more, 10 times. Of 44 shuffles, 4 gives the best times, before 8 and 6.
// - `near_alias`: in memory, four of five shuffles by AVX2 programs of near sources, in blocks a multiple of 4 KiB apart, took 1.15 to
//   1.7 times as long as by other programs.
// - `apart_cycles`: fitted to the times of 237 shuffles of pixels, of 22 to 120 MB.
// - `unpacks_front`: an estimate, the six operations that the processor takes in a cycle.
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
    row.far_l3 = 0.625;
    row.prefetched_run = 8192;
    row.near_l3 = 0.5;
    row.open_lines = 4;
    row.near_alias = 4096;
    row.apart_cycles = 8;
    row.unpacks_front = 6;
    row.shared_ports = 0.75;
    row.counts_tables = true;
    row.prefetches_pages = false;
    row.gigahertz = 3.7;
    row.narrow.permutes = 2;
    row.narrow.permute_slots = 1;
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
    row.wide.permute_slots = 1;
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

// An EPYC, family 26, model 2, at 3.8 GHz, virtual. Its paths for data have 64 bytes: two loads of either width, and one
// store of 64 bytes or two of 32, end in a cycle. Two permutes and two blends end in a cycle, so blends take no time from permutes.
//
// - `unrolled_operations`: with 1000 in place of 500, 11 of 7,600 kernels took 1.4 to 8 times as long in place of 3
//   (doc/shuffle-speed.md).
// - `load_cycles`, `wide.split_store`, `wide.unrolled_step_cycles`: fitted to the times of 290 shuffles in the second-level cache.
//   Stores across lines hardly cost anything there, where a single one takes 1.2 cycles more in the first-level cache.
// - `narrow.step_cycles`: fitted to the times of 164 shuffles with AVX2. With AVX-512, 1.5 in place of 2.5 gains nothing.
// - `front_near_sources`: fitted to the times of 106 shuffles, each with all programs that were considered for it.
// - `waking`: the median of six runs, which took 60 to 102 microseconds.
// - `traffic`: that of shuffles of 4 MiB.
// - `shared_stores`: of two processors that share a third-level cache. Of two that do not, it was 84.
// - `far_l3`: shuffles of 24 to 110 MB gain by bypassing the caches, those of 17 MB lose.
// - `near_l3`: 60 random shuffles in blocks of 2 to 16 MB take 0.94 of the time with AVX2 and 0.98 with AVX-512. With 1, some that
//   bypassed the caches take 2.6 times as long.
// - `open_lines`: stores that bypass the caches, to halves of lines of 10 blocks in turn, take the time of whole lines; of 12, three
//   times as long.
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
    row.prefetched_run = 0;
    row.near_l3 = 0.5;
    row.open_lines = 10;
    row.near_alias = 0;
    row.apart_cycles = 0;
    row.unpacks_front = 5.7;
    row.shared_ports = 1;
    row.counts_tables = true;
    row.prefetches_pages = true;
    row.gigahertz = 3.8;
    row.narrow.permutes = 2.1;
    row.narrow.permute_slots = 1;
    row.narrow.lane_shuffles = 2.1;
    row.narrow.unpack_slots = 0;
    row.narrow.vectors = 3.9;
    row.narrow.loads = 2;
    row.narrow.stores = 2;
    row.narrow.front = 5.7;
    row.narrow.front_near_sources = 0.9;
    row.narrow.split_store = 1.25;
    row.narrow.split_load = 0.6;
    row.narrow.step_cycles = 0.5;
    row.narrow.unrolled_step_cycles = 0.5;
    row.narrow.clock = 1;
    row.wide.permutes = 2.1;
    row.wide.permute_slots = 1;
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

// A machine that nobody has measured has the row of Sapphire Rapids and its own caches. What it gains by bypassing the
// caches is that of Zen 4, which is less.
constexpr MachineRow unmeasured(const Caches& typical, int tlb_pages, double wide_clock = 1) {
    MachineRow row = kSapphireRapids;
    row.typical = typical;
    row.tlb_pages = tlb_pages;
    row.streamed_gain = kZen4.streamed_gain;
    row.wide.clock = wide_clock;
    return row;
}

// Skylake-X lowers its clock while vectors of 64 bytes run. By how much is an estimate: nobody has measured it with our
// kernels.
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
// Zeros if the processor has no such leaf.
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

// The leaves describe one cache each: Intel's is 4, AMD's 8000_001D. How many processors share a cache is not used:
// virtual machines seldom tell the truth about it. The caches of the row replace what is missing.
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
    // A hypervisor can tell anything. Sizes that no processor has would make tiles of a few bytes.
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

// The power of two that is nearest on a logarithmic scale.
int64_t nearest_power(double value) { return int64_t{1} << std::lround(std::log2(value)); }

}  // namespace

// Decides by features, because virtual machines often have the family and the model of another processor. Families
// decide where features do not.
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

int64_t Machine::far_bytes() const {
    if (row.far_l3 > 0) return static_cast<int64_t>(row.far_l3 * static_cast<double>(caches.l3));
    return std::max(72 * kMiB, 36 * caches.l2);
}

int64_t Machine::near_sources_bytes() const {
    return std::max(caches.l2, static_cast<int64_t>(row.near_l3 * static_cast<double>(caches.l3)));
}

int Machine::prefetch_bytes() const {
    // What dropout and rounding read: 10 to 25 bytes, by their types. With 9.4 to 16 the distance is 2 KiB on all measured machines;
    // 4 KiB takes up to 4 % longer on Zen 5.
    constexpr double kBytesPerNanosecond = 16;
    return static_cast<int>(nearest_power(kBytesPerNanosecond * row.latency));
}

MachineSizes sizes_of(const Machine& machine) {
    constexpr int64_t kElementBytes = 4, kPageBytes = 4096;
    MachineSizes sizes{};
    sizes.waking = 1000 * machine.row.waking;
    sizes.traffic = machine.row.traffic;
    sizes.shared_stores = machine.row.shared_stores;
    // Generated numbers arrive more slowly than memory takes them, so bypassing the caches costs their producer little;
    // but below 4 MiB, a reader finds them in a cache of nearly every machine.
    sizes.streaming_bytes = static_cast<size_t>(std::max(4 * kMiB, 2 * machine.caches.l2));
    // Exchanges at random in four times as much memory as the TLB reaches miss it nearly always.
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
