// SPDX-License-Identifier: Apache-2.0

// Measures what instructions, caches and threads cost on this machine, and prints it as a row of
// src/cpu/x64/machine.cpp. `scripts/machine-model` builds and runs it.
//
// A rate is the number of independent instructions that end in one cycle, the best of many short loops. Cycles come from
// a chain of dependent additions, one cycle each, that is measured before and after each loop, so that a clock that
// varies does little harm.

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "machine/row_source.hpp"

namespace {

using tombola::impl::cpu::x64::MachineRow;
using tombola::impl::cpu::x64::VectorRates;

constexpr int kRepetitions = 200;
constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// The seconds of one cycle.
double cycle() {
    constexpr int kAdditions = 100 * 200;
    int64_t x = 0;
    const int64_t one = 1;  // in a register: some processors add immediates without any latency
    const double start = now();
    for (int i = 0; i < 200; ++i)
        asm volatile(".rept 100\n add %1, %0\n .endr" : "+r"(x) : "r"(one));
    return (now() - start) / kAdditions;
}

double fastest_cycle() {
    double fastest = 1;
    for (int i = 0; i < kRepetitions; ++i) fastest = std::min(fastest, cycle());
    return fastest;
}

// The fewest cycles of one call of body().
template <class Body>
double cycles(const Body& body, int repetitions = kRepetitions) {
    double fewest = 1e300;
    for (int i = 0; i < repetitions; ++i) {
        const double before = cycle(), start = now();
        body();
        const double seconds = now() - start;
        fewest = std::min(fewest, seconds / std::min(before, cycle()));
    }
    return fewest;
}

alignas(4096) char memory[64 * kKiB];

// The rate of an instruction that is written as `head`, the number of a register, `tail`. Each of eight registers is
// written in turn, 3,200 times in all. %0 is the address of aligned memory. The loop is aligned, as the front end reads
// instructions in aligned blocks.
#define TOMBOLA_EIGHT(head, tail)                                                             \
    head "0" tail "\n" head "1" tail "\n" head "2" tail "\n" head "3" tail "\n" head "4" tail \
         "\n" head "5" tail "\n" head "6" tail "\n" head "7" tail "\n"
#define TOMBOLA_RATE(head, tail)                                                                 \
    (3200 / cycles([] {                                                                          \
         asm volatile("mov $50, %%ecx\n .p2align 6\n1:\n .rept 8\n" TOMBOLA_EIGHT(               \
                          head, tail) ".endr\n dec %%ecx\n jnz 1b\n" ::"r"(memory)               \
                      : "ecx", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", \
                        "xmm7", "xmm10");                                                        \
     }))

// The cycles of a load or store `shift` bytes behind the start of a line, one for each line. Neighbours do not follow each
// other, as processors may merge their stores: runs take turns.
template <class Access>
double access_cycles(size_t shift, const Access& access) {
    constexpr size_t kLine = 64, kRuns = 8, kLines = 32;  // 16 KiB
    const auto pass = [&] {
        for (size_t at = 0; at < kLines * kLine; at += kLine)
            for (size_t i = 0; i < kRuns; ++i)
                access(memory + i * (kLines + 1) * kLine + at + shift);
    };
    pass();
    return cycles(pass) / (kLines * kRuns);
}

char* pages(size_t bytes, bool large) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) std::exit(1);
    madvise(at, bytes, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    std::memset(at, 0, bytes);
    return static_cast<char*>(at);
}

// What loads and stores across a cache line cost beyond others. Of a vector that begins 48 bytes behind the start of a
// line, the last part lies in the next line.
template <class Load, class Store>
void set_splits(VectorRates& r, const Load& load, const Store& store) {
    const auto more = [](const auto& access) {
        return std::max(access_cycles(48, access) - access_cycles(0, access), 0.0);
    };
    r.split_load = more(load);
    r.split_store = more(store);
    r.clock = 1;
}

// An unpack takes a port of the shuffles unless it is much faster than they are.
double unpack_slots(double unpacks, double lane_shuffles) {
    return unpacks > 1.5 * lane_shuffles ? 0 : lane_shuffles / unpacks;
}

VectorRates narrow_rates() {
    VectorRates r{};
    r.permutes = TOMBOLA_RATE("vpermd %%ymm8, %%ymm9, %%ymm", "");
    r.permute2w_slots = 2;  // AVX2 has no such instruction
    r.lane_shuffles = TOMBOLA_RATE("vpshufb %%ymm8, %%ymm9, %%ymm", "");
    r.unpack_slots =
        unpack_slots(TOMBOLA_RATE("vpunpcklbw %%ymm8, %%ymm9, %%ymm", ""), r.lane_shuffles);
    r.vectors = TOMBOLA_RATE("vpxor %%ymm8, %%ymm9, %%ymm", "");
    r.loads = TOMBOLA_RATE("vmovdqa (%0), %%ymm", "");
    r.stores = TOMBOLA_RATE("vmovdqa %%ymm", ", (%0)");
    r.front = TOMBOLA_RATE("nop # ", "");
    const auto load = [](const char* from) {
        asm volatile("vmovdqu (%0), %%ymm0" ::"r"(from) : "xmm0");
    };
    const auto store = [](char* to) { asm volatile("vmovdqu %%ymm0, (%0)" ::"r"(to) : "memory"); };
    set_splits(r, load, store);
    return r;
}

VectorRates wide_rates() {
    VectorRates r{};
    r.permutes = TOMBOLA_RATE("vpermd %%zmm8, %%zmm9, %%zmm", "");
    // It reads the register that it writes. The load before it makes it independent of the permute before.
    r.permute2w_slots =
        r.permutes /
        TOMBOLA_RATE("vmovdqa64 (%0), %%zmm10\n vpermi2w %%zmm8, %%zmm9, %%zmm10 # ", "");
    r.lane_shuffles = TOMBOLA_RATE("vpshufb %%zmm8, %%zmm9, %%zmm", "");
    r.unpack_slots =
        unpack_slots(TOMBOLA_RATE("vpunpcklbw %%zmm8, %%zmm9, %%zmm", ""), r.lane_shuffles);
    r.vectors = TOMBOLA_RATE("vpxord %%zmm8, %%zmm9, %%zmm", "");
    r.loads = TOMBOLA_RATE("vmovdqa64 (%0), %%zmm", "");
    r.stores = TOMBOLA_RATE("vmovdqa64 %%zmm", ", (%0)");
    r.front = TOMBOLA_RATE("nop # ", "");
    const auto load = [](const char* from) {
        asm volatile("vmovdqu64 (%0), %%zmm0" ::"r"(from) : "xmm0");
    };
    const auto store = [](char* to) {
        asm volatile("vmovdqu64 %%zmm0, (%0)" ::"r"(to) : "memory");
    };
    set_splits(r, load, store);
    return r;
}

// The cycles to copy 64 bytes, source and destination in the second-level cache.
double copy_cycles(char* l2, size_t bytes) {
    const auto pass = [&] { std::memcpy(l2, l2 + bytes / 2, bytes / 2); };
    pass();
    return cycles(pass, 100) * 64 / (static_cast<double>(bytes) / 2);
}

// The cycles that a byte of a copy takes less if its stores bypass the caches.
double streamed_gain(char* to, size_t bytes) {
    const char* from = to + bytes;
    const auto pass = [&](auto copy) {
        constexpr int kPasses = 3;
        return cycles(
            [&] {
                for (size_t at = 0; at < bytes; at += 32) copy(to + at, from + at);
            },
            kPasses);
    };
    const double through = pass([](char* d, const char* s) {
        asm volatile("vmovdqa (%1), %%ymm0\n vmovdqa %%ymm0, (%0)" ::"r"(d), "r"(s)
                     : "memory", "xmm0");
    });
    const double past = pass([](char* d, const char* s) {
        asm volatile("vmovdqa (%1), %%ymm0\n vmovntdq %%ymm0, (%0)" ::"r"(d), "r"(s)
                     : "memory", "xmm0");
    });
    return (through - past) / static_cast<double>(bytes);
}

// The nanoseconds of each of many loads of which each gives the address of the next. They visit `count` places,
// `stride` bytes apart, in random order.
double chase(char* at, size_t count, size_t stride) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    // Different lines of the pages, so that the places do not share the sets of a cache.
    const auto place = [&](size_t i) { return at + i * stride + i % (stride / 64) * 64; };
    for (size_t i = 0; i < count; ++i) {
        char* next = place(order[(i + 1) % count]);
        std::memcpy(place(order[i]), &next, sizeof next);
    }
    const char* p = place(order[0]);
    double best = 1e300;
    for (int repetition = 0; repetition < 4; ++repetition) {
        constexpr int kLoads = 1 << 18;
        const double start = now();
        for (int i = 0; i < kLoads; ++i) std::memcpy(&p, p, sizeof p);
        asm volatile("" ::"r"(p));
        best = std::min(best, (now() - start) / kLoads);
    }
    return best * 1e9;
}

// The microseconds that it takes to wake the threads of OpenMP, which sleep, and to wait for them: the median. They are
// bound to processors (OMP_PROC_BIND), as Linux may wake a thread on the processor of the one that wakes it. That is fast,
// but the threads then run one after the other.
double waking() {
    constexpr int kTimes = 101;
    std::vector<double> times;
    for (int i = 0; i < kTimes; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        const double start = now();
#pragma omp parallel num_threads(2)
        asm volatile("");
        times.push_back(now() - start);
    }
    std::nth_element(times.begin(), times.begin() + kTimes / 2, times.end());
    return times[kTimes / 2] * 1e6;
}

// The bytes that a copy of 4 MiB reads and writes in a nanosecond.
double traffic(char* to) {
    constexpr size_t kBytes = 4 * kMiB;
    double best = 1e300;
    for (int i = 0; i < kRepetitions; ++i) {
        const double start = now();
        std::memcpy(to, to + kBytes, kBytes);
        best = std::min(best, now() - start);
    }
    return 2e-9 * kBytes / best;
}

// The bytes that two threads together store past the caches in a nanosecond. Cores that share no third-level cache, as those of a
// virtual machine may, store up to twice as many.
double shared_stores(char* to, size_t bytes) {
    double best = 1e300;
    for (int i = 0; i < 5; ++i) {
        const double start = now();
#pragma omp parallel for num_threads(2) schedule(static)
        for (size_t at = 0; at < bytes; at += 32)
            asm volatile("vmovntdq %%ymm0, (%0)" ::"r"(to + at) : "memory");
        best = std::min(best, now() - start);
    }
    return 1e-9 * static_cast<double>(bytes) / best;
}

}  // namespace

int main() {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) {
        std::fprintf(stderr, "machine_model: this processor has no AVX2\n");
        return 1;
    }
    constexpr size_t kL2 = 128 * kKiB;  // beyond any first-level cache, within any second-level one
    char* l2 = pages(4 * kMiB, true);
    MachineRow row{};
    row.typical = tombola::impl::cpu::x64::machine().caches;
    row.narrow = narrow_rates();
    row.wide = __builtin_cpu_supports("avx512bw") ? wide_rates() : row.narrow;
    row.copy_cycles = copy_cycles(l2, 2 * kL2);
    char* all = pages(256 * kMiB, true);
    row.streamed_gain = std::max(streamed_gain(all, 64 * kMiB), 0.0);
    row.latency = chase(all, 256 * kMiB / 128, 128);
    row.waking = waking();
    row.traffic = traffic(all);
    row.shared_stores = shared_stores(all, 64 * kMiB);
    row.unpacks_front = row.narrow.front;
    const MachineRow& fitted =
        tombola::impl::cpu::x64::row_of(tombola::impl::Microarchitecture::zen5);
    row.shared_ports = fitted.shared_ports;
    row.counts_tables = fitted.counts_tables;
    row.narrow.front_near_sources = fitted.narrow.front_near_sources;
    row.wide.front_near_sources = fitted.wide.front_near_sources;
    row.narrow.step_cycles = fitted.narrow.step_cycles;
    row.wide.step_cycles = fitted.wide.step_cycles;
    row.narrow.unrolled_step_cycles = fitted.narrow.unrolled_step_cycles;
    row.wide.unrolled_step_cycles = fitted.wide.unrolled_step_cycles;
    row.gigahertz = 1e-9 / fastest_cycle();
    std::printf("    MachineRow row{};\n%s    return row;\n",
                tombola::test::row_source(row).c_str());
    std::puts(
        "// not measured: tlb_pages (see the maker's manual), read_ahead, string_bytes, "
        "linear_rows, prefetches_rows, unrolled_operations, load_cycles, far_l3, shared_far_l3, "
        "prefetched_run, near_l3, open_lines, near_alias, far_alias, apart_cycles, crowded_line, "
        "evicted_line, near_store, long_program, unpacks_front, prefetches_pages and stream_skew");
    std::puts(
        "// those of Zen 5: shared_ports, counts_tables, front_near_sources, step_cycles and "
        "unrolled_step_cycles");
    return 0;
}
