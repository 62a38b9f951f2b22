// SPDX-License-Identifier: Apache-2.0

#include "cpu/x64/machine.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "common/parallel.hpp"
#include "cpu/streaming.hpp"
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

// Shuffles of Zen 3, Zen 4 and Zen 5 are far from 20 MiB on.
TEST(Machine, FarSizesOfZen) {
    for (const Microarchitecture kind :
         {Microarchitecture::zen3, Microarchitecture::zen4, Microarchitecture::zen5}) {
        const Machine machine = typical(kind);
        EXPECT_EQ(machine.far_bytes(), 20 * kMiB) << name_of(kind);
        EXPECT_TRUE(machine.is_far(20 * kMiB)) << name_of(kind);
        EXPECT_FALSE(machine.is_far(20 * kMiB - 1)) << name_of(kind);
        EXPECT_FALSE(machine.prefetches_sources(20 * kMiB - 1)) << name_of(kind);
    }
}

// Their memory answers later, but 4 KiB ahead is not faster there than 2 KiB.
TEST(Machine, PrefetchesOfZen) {
    for (const Microarchitecture kind : {Microarchitecture::zen3, Microarchitecture::zen5})
        EXPECT_EQ(typical(kind).prefetch_bytes(), 2048) << name_of(kind);
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
        EXPECT_GT(machine.row.copy_cycles, 0) << name_of(kind);
        EXPECT_GE(machine.row.open_lines, 2) << name_of(kind);
        EXPECT_GT(machine.row.unpacks_front, 0) << name_of(kind);
        EXPECT_GT(machine.row.shared_ports, 0) << name_of(kind);
        EXPECT_LE(machine.row.shared_ports, 1) << name_of(kind);
        EXPECT_GT(machine.row.gigahertz, 0) << name_of(kind);
        for (const int bytes : {32, 64}) {
            const VectorRates& rates = machine.rates(bytes);
            for (const double rate :
                 {rates.permutes, rates.permute_slots, rates.lane_shuffles, rates.vectors,
                  rates.loads, rates.stores, rates.front, rates.front_near_sources, rates.clock})
                EXPECT_GT(rate, 0) << name_of(kind);
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

}  // namespace
}  // namespace tombola::impl::cpu::x64
