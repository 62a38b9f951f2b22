// SPDX-License-Identifier: Apache-2.0

// What lowerings of permute programs cost, which of them a limit leaves out, and how they are kept. permute_programs_test.cpp runs them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/lowering_cache.hpp"
#include "cpu/x64/shuffle/operations.hpp"
#include "gtests/internals/permute_layouts.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// With a limit, all_lowerings() returns those of its results without a limit that cost no more, in the same order. Some of the programs have packets, which are tried only if another lowering
// costs more than a copy.
TEST(Lowerings, DearOnesAreLeftOut) {
    if (isas_in_force().empty()) GTEST_SKIP() << "needs AVX2";
    const auto same = [](const Operations& a, const Operations& b) {
        return !(a < b) && !(b < a) && a.cycles == b.cycles && a.run_cycles == b.run_cycles &&
               a.stored_lines == b.stored_lines && a.reloaded_lines == b.reloaded_lines;
    };
    int with_packets = 0, shorter = 0;
    const auto test = [&](const PermuteProgram& program, CpuIsa isa) {
        const std::vector<Operations> all = all_lowerings(program, isa);
        if (!lower_to_packets(program, isa).empty()) ++with_packets;
        for (const Operations& each : all)
            for (const double limit : {each.cycles, std::nextafter(each.cycles, 0.0)}) {
                const std::vector<Operations> limited = all_lowerings(program, isa, limit);
                const auto end = std::partition_point(
                    all.begin(), all.end(), [&](const auto& o) { return o.cycles <= limit; });
                ASSERT_EQ(limited.size(), static_cast<size_t>(end - all.begin()));
                EXPECT_TRUE(std::equal(limited.begin(), limited.end(), all.begin(), same));
                if (limited.size() < all.size()) ++shorter;
            }
    };
    for (const CpuIsa isa : isas_in_force())
        for (const int64_t E : {1, 2, 4, 8})
            for (const int64_t G : {2, 3, 8, 15}) {
                const PermuteLimits limits = limits_of(isa, static_cast<int>(E));
                for (const auto& pixel : pixel_programs(side_by_side(20, G, E), 64, true, limits))
                    test(pixel.program, isa);
                for (const bool near_sources : {false, true}) {
                    PermuteProgram program =
                        blocked_program(in_blocks(20, G, E, 16), 4, false, near_sources, limits);
                    program.crowds_src = program.crowds_dst = true;
                    test(program, isa);
                }
            }
    EXPECT_GT(with_packets, 0);
    EXPECT_GT(shorter, 0);
}

// A program that differs in anything has lowerings of its own, and one that differs in nothing has those that were made before.
TEST(Lowerings, AreKept) {
    if (isas_in_force().empty()) GTEST_SKIP() << "needs AVX2";
    const CpuIsa isa = isas_in_force().back();
    const auto program = [&] {
        return pixel_programs(side_by_side(4, 6, 4), 64, true, limits_of(isa, 4))[0].program;
    };
    const Lowerings kept = cached_lowerings(program(), isa);
    EXPECT_TRUE(cached_lowerings(program(), isa) == kept);
    EXPECT_EQ(kept.size(), all_lowerings(program(), isa).size());
    EXPECT_TRUE(cached_lowerings(program(), isa, 0) == kept);
    const std::vector<std::function<void(PermuteProgram&)>> changes = {
        [](PermuteProgram& p) { p.loop.src_step += 4; },
        [](PermuteProgram& p) { p.loop.dst_step += 4; },
        [](PermuteProgram& p) { p.loop.single_step = !p.loop.single_step; },
        [](PermuteProgram& p) { p.loop.granule += 4; },
        [](PermuteProgram& p) { p.dst_alignment = 4; },
        [](PermuteProgram& p) { p.row_bytes += 4; },
        [](PermuteProgram& p) { p.pixel_bytes += 4; },
        [](PermuteProgram& p) { p.block_stride += 4; },
        [](PermuteProgram& p) { p.near_sources = !p.near_sources; },
        [](PermuteProgram& p) { p.in_l1 = !p.in_l1; },
        [](PermuteProgram& p) { p.crowds_src = !p.crowds_src; },
        [](PermuteProgram& p) { p.crowds_dst = !p.crowds_dst; },
        [](PermuteProgram& p) { std::swap(p.sources[0], p.sources[1]); },
        [](PermuteProgram& p) { p.sections[0].outputs[0].dst_offset += 4; },
        [](PermuteProgram& p) { p.sections[0].extents[0].bytes += 4; },
        [](PermuteProgram& p) { p.sections[0].outputs[0].apart += 4; },
        [](PermuteProgram& p) { p.sections[0].loop.repeats = 2; },
        [](PermuteProgram& p) { p.sections[0].loop.src_repeat += 4; },
        [](PermuteProgram& p) { p.sections[0].loop.dst_repeat += 4; },
    };
    for (size_t i = 0; i < changes.size(); ++i) {
        PermuteProgram changed = program();
        changes[i](changed);
        EXPECT_TRUE(cached_lowerings(changed, isa) != kept) << "change " << i;
    }
    // More programs than are kept.
    for (int64_t G = 2; G < 200; ++G)
        for (const PixelProgram& pixel :
             pixel_programs(side_by_side(4, G, 4), 64, true, limits_of(isa, 4)))
            cached_lowerings(pixel.program, isa);
    // A wider limit adds to those that are known.
    const Lowerings first = cached_lowerings(program(), isa, kept[0]->cycles);
    ASSERT_FALSE(first.empty());
    const Lowerings again = cached_lowerings(program(), isa);
    EXPECT_EQ(again.size(), kept.size());
    EXPECT_TRUE(again[0] == first[0] && again[0] != kept[0]);
    EXPECT_TRUE(cached_lowerings(program(), isa, 0) == again);
}

// Tensors that fill the first-level cache lose lines to the stack and to tables.
TEST(Lowerings, AnEighthOfTheFirstLevelCacheIsLeft) {
    const int64_t l1 = machine().caches.l1;
    EXPECT_FALSE(fits_l1(l1));
    EXPECT_FALSE(fits_l1(l1 / 10 * 9));
    EXPECT_TRUE(fits_l1(l1 / 10 * 8));
}

// Of two loads of 32 bytes, the second crosses a line if the first begins behind the start of one. In the first-level cache
// it costs as much.
TEST(Lowerings, LoadsAcrossLinesCostMore) {
    const auto cycles_from = [](int64_t offset, bool in_l1) {
        PermuteProgram program;
        program.unit = 4;
        program.loop.src_step = program.loop.dst_step = program.dst_alignment = kLineBytes;
        program.in_l1 = in_l1;
        PermuteSection section;
        section.extents = {{offset, 64}};
        section.outputs = {{0, 0, 8}, {32, 8, 8}};
        for (int i = 0; i < 16; ++i) program.sources.push_back(offset + 4 * i);
        program.sections.push_back(section);
        return lower_to_lanes(program).front().cycles;
    };
    for (const bool in_l1 : {false, true}) {
        EXPECT_DOUBLE_EQ(cycles_from(4, in_l1) - cycles_from(0, in_l1),
                         machine().rates(32).split_load);
        EXPECT_DOUBLE_EQ(cycles_from(64, in_l1), cycles_from(0, in_l1));
    }
}

// A program that reads 32 bytes of each block, and writes them at the same offset of the destination. Steps have `step` bytes.
PermuteProgram program_of_blocks(int64_t blocks, int64_t stride, int64_t step) {
    PermuteProgram program;
    program.unit = 4;
    program.loop = {step, step, false, 32};
    program.dst_alignment = kLineBytes;
    program.block_stride = stride;
    PermuteSection section;
    for (int64_t at = 0; at < blocks * stride; at += stride) {
        section.extents.push_back({at, 64});
        section.outputs.push_back({at, program.sources.size(), 8});
        for (int64_t i = 0; i < 8; ++i) program.sources.push_back(at + 4 * i);
    }
    program.sections.push_back(section);
    return program;
}

// Blocks that lie a multiple of 4 KiB apart have their lines in the same set of the first-level cache, which holds fewer than 32 on all
// machines. 64 bytes more, and they have sets of their own.
TEST(Lowerings, BlocksInTheSameSetCostMore) {
    const auto cycles_of = [](int64_t stride, bool crowds_src, bool crowds_dst,
                              int64_t step = kLineBytes) {
        PermuteProgram program = program_of_blocks(16, stride, step);
        program.crowds_src = crowds_src;
        program.crowds_dst = crowds_dst;
        return lower_to_lanes(program).front().cycles;
    };
    const MachineRow& row = machine().row;
    // How crowded a set is that so many lines need.
    const auto crowd = [](double lines) {
        const auto ways = static_cast<double>(machine().ways_of_l1());
        return std::min(std::max(lines / ways - 1, 0.0), 2.0);
    };
    for (const int64_t stride : {4096, 3 * 4096}) {
        const double free = cycles_of(stride, false, false);
        EXPECT_NEAR(cycles_of(stride, true, true) - free, 32 * crowd(32) * row.crowded_line, 1e-9);
        EXPECT_DOUBLE_EQ(cycles_of(stride + kLineBytes, true, true), free);
        // If one side is staged, the 16 lines of the other side are in a set.
        EXPECT_NEAR(cycles_of(stride, true, false) - free, 16 * crowd(16) * row.crowded_line, 1e-9);
        EXPECT_NEAR(cycles_of(stride, false, true) - free, 16 * crowd(16) * row.crowded_line, 1e-9);
        // Of two steps of half a line, the first one begins 32 lines in one set, and the second one finds none of them there.
        EXPECT_NEAR(cycles_of(stride, true, true, 32) - cycles_of(stride, false, false, 32),
                    16 * crowd(32) * row.crowded_line + 16 * row.evicted_line, 1e-9);
    }
}

// Three sections read the same blocks. 16 lines do not stay in a set until the next section, three lines do.
TEST(Lowerings, SectionsThatReadTheSameBlocks) {
    const auto reloaded = [](int64_t blocks, int64_t stride, bool crowds_src, bool repeats) {
        PermuteProgram program = program_of_blocks(blocks, stride, kLineBytes);
        program.crowds_src = crowds_src;
        if (repeats)
            program.sections[0].loop.repeats = 3;
        else
            program.sections.resize(3, program.sections[0]);
        return lower_to_lanes(program).front().reloaded_lines;
    };
    for (const bool repeats : {false, true}) {
        EXPECT_EQ(reloaded(16, 4096, true, repeats), 2 * 16);
        EXPECT_EQ(reloaded(16, 4096 + kLineBytes, true, repeats), 0);
        EXPECT_EQ(reloaded(16, 4096, false, repeats), 0);
        EXPECT_EQ(reloaded(3, 4096, true, repeats), 0);
    }
}

// Of two stores that overlap, only the later one writes the bytes of both.
TEST(Operations, LanesThatAStepStores) {
    Operations::Section section;
    const auto add = [&](Operation::Kind kind, int bytes, int64_t offset) {
        Operation operation{kind};
        operation.bytes = bytes;
        operation.offset = offset;
        section.list.push_back(operation);
    };
    add(Operation::Kind::store, 32, 0);
    add(Operation::Kind::load, 32, 16);
    add(Operation::Kind::store, 32, 16);
    add(Operation::Kind::store, 64, 64);
    add(Operation::Kind::store, 16, 96);
    EXPECT_EQ(lanes_stored(section), (std::vector<uint32_t>{0b01, 0, 0b11, 0b1011, 0b1}));
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
