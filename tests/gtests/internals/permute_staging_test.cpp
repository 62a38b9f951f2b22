// SPDX-License-Identifier: Apache-2.0

// Copies of tiles whose blocks would share sets of the first-level cache. Expected values follow the definition, channel by channel.

#include "cpu/x64/shuffle/permute_plan.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/shuffle/permute_program.hpp"
#include "gtests/common/guarded_buffer.hpp"
#include "gtests/common/tensor.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

using test::GuardedBuffer;

// 24 blocks need 48 lines with the next line of each. No set holds so many, nor the 16 lines of the eight blocks that begin in one set if
// blocks are 4,088 bytes apart.
TEST(PermuteStaging, BlocksThatShareASet) {
    ShuffleLayout layout;
    const auto crowds = [&](int64_t blocks, int64_t src_stride, int64_t dst_stride) {
        layout.C = blocks * 16;
        layout.src_axis = {src_stride, 16, 4};
        layout.dst_axis = {dst_stride, 16, 4};
        return crowds_sets(layout);
    };
    constexpr int64_t kSpread = 4096 + kLineBytes;
    for (const int64_t stride : {4096, 3 * 4096, 4096 - 8}) {
        EXPECT_TRUE(crowds(24, stride, kSpread)) << stride;
        EXPECT_TRUE(crowds(24, kSpread, stride)) << stride;
    }
    EXPECT_FALSE(crowds(24, kSpread, kSpread));
    EXPECT_FALSE(crowds(2, 4096, 4096));
}

// The copy of every tile, the last one too, fits the stack. Equal lines of the blocks are in different sets, and the bytes are those of the
// source.
TEST(PermuteStaging, TilesAreCopied) {
    for (const int64_t pixels : {64, 96, 257})
        for (const int64_t step : {1, 4})
            for (const int64_t blocks : {8, 24}) {
                constexpr int64_t kPixel = 64;
                PermutePlan plan;
                plan.layout.C = blocks * 16;
                plan.layout.src_axis = {pixels * kPixel, 16, 4};
                plan.layout.dst_axis = {(pixels + 1) * kPixel, 16, 4};
                plan.pixels.count = pixels;
                plan.pixels.src.stride = kPixel;
                plan.step_pixels = step;
                ASSERT_TRUE(stage(plan)) << blocks << " blocks, steps of " << step;
                EXPECT_EQ(plan.tile_pixels % step, 0);
                EXPECT_LE(blocks * plan.staged_stride, kMaxStagedBytes);
                std::set<int64_t> sets;
                for (int64_t i = 0; i < blocks; ++i)
                    sets.insert(i * plan.staged_stride / kLineBytes % kSetsOfL1);
                EXPECT_EQ(sets.size(), static_cast<size_t>(blocks));
                const int64_t last = pixels - (pixels / plan.tile_pixels - 1) * plan.tile_pixels;
                const auto bytes = static_cast<size_t>(last * kPixel);
                EXPECT_LE(static_cast<int64_t>(bytes), plan.staged_stride);
                const auto source = test::test_bytes(static_cast<size_t>(blocks * pixels * kPixel));
                GuardedBuffer staged(static_cast<size_t>(blocks * plan.staged_stride));
                GuardedBuffer copied(static_cast<size_t>(blocks * (pixels + 1) * kPixel));
                const char* src = reinterpret_cast<const char*>(source.data());
                char* stack = reinterpret_cast<char*>(staged.data());
                char* dst = reinterpret_cast<char*>(copied.data());
                copy_blocks(plan.layout, src, plan.layout.src_axis.stride, stack,
                            plan.staged_stride, bytes);
                copy_blocks(plan.layout, stack, plan.staged_stride, dst,
                            plan.layout.dst_axis.stride, bytes);
                for (int64_t i = 0; i < blocks; ++i) {
                    const uint8_t* block = source.data() + i * pixels * kPixel;
                    EXPECT_EQ(std::memcmp(staged.data() + i * plan.staged_stride, block, bytes), 0)
                        << "block " << i;
                    EXPECT_EQ(std::memcmp(copied.data() + i * (pixels + 1) * kPixel, block, bytes),
                              0)
                        << "block " << i;
                }
                EXPECT_TRUE(copied.slack_is_intact());
            }
}

// Tiles that are shuffled by way of the stack: the source is staged, or the destination, or both. All lowerings of f32 are tried. The last
// tile has more pixels than the others, whatever the size of the first-level cache is, and the last block has padding.
TEST(PermuteStaging, TilesAreShuffled) {
    constexpr int64_t kElement = 4, kBlock = 16, kPixel = kBlock * kElement, kBlocks = 9,
                      kImage = 67 * kPixel;
    ShuffleLayout layout;
    layout.C = 11 * 12;
    layout.Q = 11;
    layout.G = 12;
    layout.element = layout.inner = kElement;
    layout.src_axis = layout.dst_axis = {kImage, kBlock, kElement};
    const auto bytes = static_cast<size_t>(kBlocks * kImage);
    const auto source = test::test_bytes(bytes);
    std::vector<uint8_t> want(bytes);
    for (int64_t pixel = 0; pixel < 67; ++pixel)
        for (int64_t c = 0; c < layout.C; ++c) {
            const int64_t from = layout.src_axis.offset(c % layout.Q * layout.G + c / layout.Q);
            std::memcpy(&want[static_cast<size_t>(layout.dst_axis.offset(c) + pixel * kPixel)],
                        &source[static_cast<size_t>(from + pixel * kPixel)], kElement);
        }
    const CpuIsa isa = effective_isa();
    if (isa == CpuIsa::none) GTEST_SKIP() << "needs AVX2";
    PermutePlan plan;
    plan.layout = layout;
    plan.pixels.count = 67;
    plan.pixels.src.stride = kPixel;
    plan.step_pixels = 2;
    ASSERT_TRUE(stage(plan));
    ASSERT_GT(67 % plan.tile_pixels, 0);
    for (const auto& [stages_src, stages_dst] :
         {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
        ShuffleLayout staged = layout;
        if (stages_src) staged.src_axis.stride = plan.staged_stride;
        if (stages_dst) staged.dst_axis.stride = plan.staged_stride;
        const PermuteProgram program =
            blocked_program(staged, plan.step_pixels, false, stages_dst, limits_of(isa, kElement));
        for (const Operations& lowered : all_lowerings(program, isa)) {
            const auto kernel = permute_function(isa, Stores::plain, Sources::plain,
                                                 std::make_shared<Operations>(lowered));
            ASSERT_TRUE(kernel.ok()) << kernel.status().message();
            GuardedBuffer destination(bytes);
            const int64_t tiles = 67 / plan.tile_pixels;
            for (int64_t tile = 0; tile < tiles; ++tile) {
                const int64_t first = tile * plan.tile_pixels;
                const int64_t pixels = tile + 1 < tiles ? plan.tile_pixels : 67 - first;
                const char* src = reinterpret_cast<const char*>(source.data()) + first * kPixel;
                char* dst = reinterpret_cast<char*>(destination.data()) + first * kPixel;
                const auto stage_bytes = static_cast<size_t>(kBlocks * plan.staged_stride);
                GuardedBuffer staged_src(stage_bytes), staged_dst(stage_bytes);
                char* copy = reinterpret_cast<char*>(staged_src.data());
                char* result = reinterpret_cast<char*>(staged_dst.data());
                const auto of_block = static_cast<size_t>(pixels * kPixel);
                if (stages_src)
                    copy_blocks(plan.layout, src, plan.layout.src_axis.stride, copy,
                                plan.staged_stride, of_block);
                const int64_t last = (pixels - plan.step_pixels) * kPixel;
                PermuteArgs args{
                    stages_src ? copy : src, stages_dst ? result : dst, last, last, 1, 0, 0};
                kernel.value()(args);
                if (stages_dst)
                    copy_blocks(plan.layout, result, plan.staged_stride, dst,
                                plan.layout.dst_axis.stride, of_block);
                EXPECT_TRUE(staged_dst.slack_is_intact());
            }
            EXPECT_EQ(std::memcmp(destination.data(), want.data(), bytes), 0);
            EXPECT_TRUE(destination.slack_is_intact());
        }
    }
}

// A tile would have less than two lines of each block.
TEST(PermuteStaging, TooManyBlocks) {
    PermutePlan plan;
    plan.layout.C = 400 * 16;
    plan.layout.src_axis = {4096, 16, 4};
    plan.pixels.count = plan.pixels.src.stride = 64;
    plan.step_pixels = 1;
    EXPECT_FALSE(stage(plan));
}

}  // namespace
}  // namespace tombola::impl::cpu::x64
