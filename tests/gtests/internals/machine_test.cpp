// SPDX-License-Identifier: Apache-2.0

#include "cpu/x64/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "common/parallel.hpp"
#include "cpu/rng/fill.hpp"
#include "cpu/rng/mt19937_call.hpp"
#include "cpu/streaming.hpp"
#include "cpu/x64/random_uniform/pytorch_conversions.hpp"
#include "machine/row_source.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

Machine typical(Microarchitecture kind) { return {kind, row_of(kind).typical, row_of(kind)}; }

// Families and features: Intel's SDM, volume 2A, CPUID; AMD's APM, volume 3, appendix E.
TEST(Machine, FeaturesDecideBeforeFamilies) {
    const auto intel = [](bool avx512, bool vbmi2, bool fp16_or_amx) {
        return classify({true, false, 6, avx512, vbmi2, fp16_or_amx, false, false});
    };
    EXPECT_EQ(intel(false, false, false), Microarchitecture::haswell);
    EXPECT_EQ(intel(true, false, false), Microarchitecture::skylake_x);
    EXPECT_EQ(intel(true, true, false), Microarchitecture::ice_lake);
    EXPECT_EQ(intel(true, true, true), Microarchitecture::sapphire_rapids);
    const auto amd = [](int family, bool avx512, bool vp2intersect, bool vaes) {
        return classify({false, true, family, avx512, avx512, false, vp2intersect, vaes});
    };
    EXPECT_EQ(amd(0x17, false, false, false), Microarchitecture::zen2);
    EXPECT_EQ(amd(0x19, false, false, true), Microarchitecture::zen3);
    EXPECT_EQ(amd(0x19, true, false, true), Microarchitecture::zen4);
    EXPECT_EQ(amd(0x1A, true, true, true), Microarchitecture::zen5);
    // Zen 5 alone of AMD's has VP2INTERSECT, and Zen 3 was the first with VAES: the feature or the family suffices. Later families
    // are taken for Zen 5.
    EXPECT_EQ(amd(0x1A, true, false, true), Microarchitecture::zen5);
    EXPECT_EQ(amd(0x1B, true, false, true), Microarchitecture::zen5);
    EXPECT_EQ(amd(0x0F, true, true, true), Microarchitecture::zen5);
    EXPECT_EQ(amd(0x19, false, false, false), Microarchitecture::zen3);
    EXPECT_EQ(amd(0x0F, false, false, true), Microarchitecture::zen3);
    // A hypervisor that hides the family.
    EXPECT_EQ(amd(0x0F, true, false, true), Microarchitecture::zen4);
    EXPECT_EQ(amd(0x0F, false, false, false), Microarchitecture::unknown);
    EXPECT_EQ(classify({false, false, 7, false, false, false, false, false}),
              Microarchitecture::unknown);
}

// The sizes that were measured on Sapphire Rapids before they followed from a row.
TEST(Machine, SizesOfSapphireRapids) {
    const Machine machine = typical(Microarchitecture::sapphire_rapids);
    const MachineSizes sizes = sizes_of(machine);
    EXPECT_EQ(sizes.waking, 86000);
    EXPECT_EQ(sizes.traffic, 24);
    EXPECT_EQ(sizes.shared_stores, 0);
    EXPECT_EQ(sizes.streaming_bytes, static_cast<size_t>(4 * kMiB));
    EXPECT_EQ(sizes.paged_range, int64_t{1} << 23);
    EXPECT_EQ(machine.tile_bytes(), 24 * 1024);
    EXPECT_EQ(machine.far_bytes(), 72 * kMiB);
    EXPECT_EQ(machine.prefetch_bytes(), 2048);
    EXPECT_TRUE(machine.is_far(72 * kMiB));
    EXPECT_FALSE(machine.is_far(72 * kMiB - 1));
    EXPECT_TRUE(machine.prefetches_sources(48 * kMiB));
    EXPECT_FALSE(machine.prefetches_sources(48 * kMiB - 1));
}

// The same sizes with a smaller and a larger second-level cache: by hand, either term of each maximum.
TEST(Machine, SizesFollowTheCaches) {
    Machine machine = typical(Microarchitecture::sapphire_rapids);
    machine.caches.l2 = kMiB;
    EXPECT_EQ(machine.far_bytes(), 72 * kMiB);
    EXPECT_EQ(machine.near_sources_bytes(), kMiB);
    EXPECT_EQ(sizes_of(machine).streaming_bytes, static_cast<size_t>(4 * kMiB));
    machine.caches.l2 = 3 * kMiB;
    EXPECT_EQ(machine.far_bytes(), 108 * kMiB);
    EXPECT_EQ(machine.near_sources_bytes(), 3 * kMiB);
    EXPECT_EQ(sizes_of(machine).streaming_bytes, static_cast<size_t>(6 * kMiB));
    EXPECT_EQ(typical(Microarchitecture::zen4).near_sources_bytes(), 16 * kMiB);
}

// In a cycle of 1 / 4.1 ns, two instructions on 16 lanes end, or three on 8.
TEST(Machine, TimesOfSapphireRapids) {
    const Machine machine = typical(Microarchitecture::sapphire_rapids);
    EXPECT_DOUBLE_EQ(machine.nanoseconds(820, 64), 100);
    EXPECT_DOUBLE_EQ(machine.nanoseconds(1230, 32), 100);
    EXPECT_DOUBLE_EQ(machine.nanoseconds_per_lane(820, 64), 6.25);
    EXPECT_DOUBLE_EQ(machine.nanoseconds_per_lane(1230, 32), 12.5);
    EXPECT_DOUBLE_EQ(typical(Microarchitecture::skylake_x).nanoseconds(820, 64), 100 / 0.85);
}

// Stores in a cycle, of 32 and of 64 bytes: 1 and 1 on Sapphire Rapids, 0.7 and 0.35 on Zen 4, 2 and 1 on Zen 5.
TEST(Machine, NarrowStores) {
    using M = Microarchitecture;
    for (const auto& [kind, as_fast, two_per_cycle] : {std::tuple{M::sapphire_rapids, false, false},
                                                       {M::zen4, true, false},
                                                       {M::zen5, true, true}}) {
        EXPECT_EQ(typical(kind).narrow_stores_are_as_fast(), as_fast) << name_of(kind);
        EXPECT_EQ(typical(kind).two_narrow_stores_per_cycle(), two_per_cycle) << name_of(kind);
    }
}

// Of those that nobody has measured: the makers' sizes of the second-level cache and entries of the second-level TLB.
TEST(Machine, SizesOfUnmeasuredRows) {
    using M = Microarchitecture;
    for (const auto& [kind, l2, entries] :
         {std::tuple<M, int64_t, int64_t>{M::haswell, kMiB / 4, 1024},
          {M::skylake_x, kMiB, 1536},
          {M::ice_lake, kMiB * 5 / 4, 2048},
          {M::zen2, kMiB / 2, 2048}}) {
        EXPECT_EQ(row_of(kind).typical.l2, l2) << name_of(kind);
        EXPECT_EQ(sizes_of(typical(kind)).paged_range, entries * 4096) << name_of(kind);
    }
    EXPECT_EQ(typical(M::zen2).far_bytes(),
              8 * kMiB);  // half of the 16 MiB that four cores share
}

// Shuffles are far from 16 MiB on for Zen 3 and Zen 4, and from 20 MiB on for Zen 5.
TEST(Machine, FarSizesOfZen) {
    for (const auto& [kind, bytes] : {std::pair{Microarchitecture::zen3, 16 * kMiB},
                                      {Microarchitecture::zen4, 16 * kMiB},
                                      {Microarchitecture::zen5, 20 * kMiB}}) {
        const Machine machine = typical(kind);
        EXPECT_EQ(machine.far_bytes(), bytes) << name_of(kind);
        EXPECT_TRUE(machine.is_far(bytes)) << name_of(kind);
        EXPECT_FALSE(machine.is_far(bytes - 1)) << name_of(kind);
        EXPECT_FALSE(machine.prefetches_sources(bytes - 1)) << name_of(kind);
    }
}

// Two threads of Zen 5 store past the caches little faster than one, so their shuffles are far only where they fill the whole cache.
TEST(Machine, FarSizesOfSharedCalls) {
    using M = Microarchitecture;
    for (const Microarchitecture kind : kAllMachines) {
        const Machine machine = typical(kind);
        const int64_t shared = kind == M::zen5 ? 32 * kMiB : machine.far_bytes();
        for (const int threads : {2, 64}) {
            EXPECT_EQ(machine.far_bytes(threads), shared) << name_of(kind);
            EXPECT_TRUE(machine.is_far(shared, threads)) << name_of(kind);
            EXPECT_FALSE(machine.is_far(shared - 1, threads)) << name_of(kind);
        }
    }
    const Machine zen5 = typical(M::zen5);
    EXPECT_TRUE(zen5.prefetches_sources(32 * kMiB, 2));
    EXPECT_FALSE(zen5.prefetches_sources(32 * kMiB - 1, 2));
}

// 4 KiB ahead is not faster there than 2 KiB.
TEST(Machine, PrefetchesOfZen) {
    for (const Microarchitecture kind : {Microarchitecture::zen3, Microarchitecture::zen5})
        EXPECT_EQ(typical(kind).prefetch_bytes(), 2048) << name_of(kind);
}

// 16 bytes in a nanosecond, to the nearest power of two: 1,600 bytes are nearer to 2 KiB, 3,136 to 4 KiB.
TEST(Machine, PrefetchesOfOtherLatencies) {
    Machine machine = typical(Microarchitecture::zen3);
    for (const auto& [latency, bytes] : {std::pair{80, 1024}, {100, 2048}, {196, 4096}}) {
        machine.row.latency = latency;
        EXPECT_EQ(machine.prefetch_bytes(), bytes) << latency;
    }
}

// What kernels and plans take for granted.
TEST(Machine, SizesOfEveryRow) {
    for (const Microarchitecture kind : kAllMachines) {
        const Machine machine = typical(kind);
        EXPECT_GE(machine.tile_bytes(), 16 * 1024) << name_of(kind);
        EXPECT_GE(machine.prefetch_bytes(), 512) << name_of(kind);
        EXPECT_LE(machine.prefetch_bytes(), 8192) << name_of(kind);
        EXPECT_GE(sizes_of(machine).waking, 20000) << name_of(kind);
        EXPECT_GE(sizes_of(machine).traffic, 1) << name_of(kind);
        EXPECT_GE(sizes_of(machine).shared_stores, 0) << name_of(kind);
        // The tests of stores that bypass the caches run as on Sapphire Rapids.
        const Machine smallest = typical(Microarchitecture::sapphire_rapids);
        EXPECT_GE(sizes_of(machine).streaming_bytes, sizes_of(smallest).streaming_bytes);
        EXPECT_LE(machine.far_bytes(), smallest.far_bytes());
        EXPECT_GT(machine.far_bytes(), 4 * machine.caches.l2) << name_of(kind);
        // RowKernel copies rows of up to 16 vectors without the string instruction.
        EXPECT_TRUE(machine.row.string_bytes == 0 || machine.row.string_bytes > 1024);
        EXPECT_GE(machine.row.streamed_gain, 0) << name_of(kind);
        // A lowering stops at a limit, so no cost is negative.
        for (const double cost : {machine.row.crowded_line, machine.row.evicted_line,
                                  machine.row.long_program, machine.row.near_store})
            EXPECT_GE(cost, 0) << name_of(kind);
        EXPECT_GT(machine.row.copy_cycles, 0) << name_of(kind);
        EXPECT_GE(machine.row.open_lines, 2) << name_of(kind);
        EXPECT_GT(machine.row.unpacks_front, 0) << name_of(kind);
        EXPECT_GT(machine.row.shared_ports, 0) << name_of(kind);
        EXPECT_LE(machine.row.shared_ports, 1) << name_of(kind);
        EXPECT_GT(machine.row.gigahertz, 0) << name_of(kind);
        for (const int bytes : {32, 64}) {
            const VectorRates& rates = machine.rates(bytes);
            for (const double rate :
                 {rates.permutes, rates.permute2w_slots, rates.lane_shuffles, rates.vectors,
                  rates.loads, rates.stores, rates.front, rates.front_near_sources, rates.clock,
                  rates.step_cycles, rates.unrolled_step_cycles})
                EXPECT_GT(rate, 0) << name_of(kind);
            for (const double cost : {rates.split_load, rates.split_store})
                EXPECT_GE(cost, 0) << name_of(kind);
        }
    }
}

// What scripts/machine-model prints of a measured row is what stands in machine.cpp, comments aside.
TEST(Machine, RowsStandAsTheyArePrinted) {
    const std::string path = TOMBOLA_SOURCE_DIR "/src/cpu/x64/machine.cpp";
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string source = std::regex_replace(text, std::regex(R"(\s*//[^\n]*)"), "");
    for (const auto kind : {Microarchitecture::sapphire_rapids, Microarchitecture::zen3,
                            Microarchitecture::zen4, Microarchitecture::zen5})
        EXPECT_NE(source.find(test::row_source(row_of(kind))), std::string::npos)
            << test::row_source(row_of(kind)) << "stands nowhere in " << path;
}

// TOMBOLA_MACHINE is set by the tests internals.machine.NAME.
TEST(Machine, TheSettingDecides) {
    if (const char* asked = std::getenv("TOMBOLA_MACHINE")) {
        EXPECT_EQ(std::string(name_of(machine_in_use())), asked);
        EXPECT_EQ(machine().caches.l1, row_of(machine().kind).typical.l1);
    }
    const MachineSizes sizes = machine_sizes();
    EXPECT_FALSE(bypasses_caches(sizes.streaming_bytes - 1));
    EXPECT_TRUE(bypasses_caches(sizes.streaming_bytes));
}

// Four million bf16 numbers of MT19937 take a third of a millisecond or more, on every machine. Sleeping threads share them, because their
// stores do not keep the memory busy. The tests internals.machine.NAME run this for each machine.
TEST(Machine, LongStreamsOfMt19937AreShared) {
    if (effective_isa() == CpuIsa::none) GTEST_SKIP() << "no code";
    const Mt19937Kernel kernel =
        make_pytorch_kernel(CpuIsa::avx2, DataType::bf16, FloatDraws::torch1, 1).value();
    const MemoryDesc desc = MemoryDesc::vector(DataType::bf16, int64_t{1} << 22);
    char data[1];  // nothing is written
    std::atomic<int> parts{0};
    std::thread([&] {  // it has seen no workers yet
        const FillOptions options = mt19937_fill_options(1, kernel.nanoseconds_per_value, 1);
        fill(desc, data, options, [&](const FillPart&) { ++parts; });
    })
        .join();
    EXPECT_EQ(parts, std::min(2, max_threads()));
}

// The kernel reads the same leaves of CPUID. Cores of one processor may differ, and a hypervisor of AMD's may hide the leaf.
TEST(Machine, CachesAreThoseThatTheKernelLists) {
    if (std::getenv("TOMBOLA_MACHINE") != nullptr) GTEST_SKIP() << "the setting decides";
    const auto bytes_of = [](const std::string& cpu, int wanted) {
        int64_t kib = 0;
        for (int i = 0; i < 8; ++i) {
            const std::string cache = cpu + "/cache/index" + std::to_string(i);
            int level = 0;
            std::string type;
            std::ifstream(cache + "/level") >> level;
            std::ifstream(cache + "/type") >> type;
            if (level == wanted && type != "Instruction") std::ifstream(cache + "/size") >> kib;
        }
        return kib * 1024;
    };
    const auto [l1, l2, l3] = machine().caches;
    const Caches& typical = machine().row.typical;
    const auto listed_by = [&, l1 = l1, l2 = l2, l3 = l3](const std::string& cpu) {
        const int64_t last = bytes_of(cpu, 3);
        return l1 == bytes_of(cpu, 1) && l2 == bytes_of(cpu, 2) &&
               l3 == (last > 0 ? last : typical.l3);
    };
    const std::string cpu = "/sys/devices/system/cpu/cpu";
    if (bytes_of(cpu + "0", 1) < 16384 || bytes_of(cpu + "0", 2) < 131072)
        GTEST_SKIP() << "the kernel lists no caches of a processor";
    const bool is_amd = machine().kind >= Microarchitecture::zen2;
    bool found = is_amd && l1 == typical.l1 && l2 == typical.l2 && l3 == typical.l3;
    for (int i = 0; i < processors() && !found; ++i) found = listed_by(cpu + std::to_string(i));
    EXPECT_TRUE(found) << l1 << ' ' << l2 << ' ' << l3;
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
