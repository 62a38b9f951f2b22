// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_staging.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/permute_program.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

int64_t blocks_of(const ShuffleLayout& l) {
    return (l.C + l.src_axis.block - 1) / l.src_axis.block;
}

// The last tile has the remaining pixels, so it may have nearly twice as many as the others.
int64_t pixels_of_largest_tile(const PermutePlan& plan) {
    const int64_t tiles = std::max<int64_t>(plan.pixels.count / plan.tile_pixels, 1);
    return plan.pixels.count - (tiles - 1) * plan.tile_pixels;
}

}  // namespace

bool crowds_sets(const ShuffleLayout& layout) {
    std::array<int64_t, kSetsOfL1> blocks{};
    for (int64_t i = 0; i < blocks_of(layout); ++i)
        ++blocks[i * layout.src_axis.stride / kLineBytes % kSetsOfL1];
    return 2 * *std::max_element(blocks.begin(), blocks.end()) > machine().ways_of_l1();
}

bool stage(PermutePlan& plan) {
    constexpr int64_t kMinBytesOfBlock = 2 * kLineBytes;
    const int64_t step = plan.step_pixels, stride = plan.pixels.src.stride;
    const int64_t budget = std::min(machine().tile_bytes(), kMaxStagedBytes);
    const int64_t most = std::min(plan.pixels.count, budget / stride) / step * step;
    for (int64_t pixels = most; pixels * stride >= kMinBytesOfBlock; pixels -= step) {
        plan.tile_pixels = pixels;
        const int64_t lines = (pixels_of_largest_tile(plan) * stride - 1) / kLineBytes + 1;
        // With an odd number of lines, equal lines of the blocks are spread over all sets.
        plan.staged_stride = (lines | 1) * kLineBytes;
        if (plan.staged_stride * blocks_of(plan.layout) <= budget) return true;
    }
    return false;
}

double staging_cycles(const PermutePlan& plan) {
    constexpr double kCallCycles = 20;  // to begin the copy of a block
    const auto blocks = static_cast<double>(blocks_of(plan.layout));
    const auto bytes = static_cast<double>(plan.pixels.count * plan.pixels.src.stride);
    const double tiles =
        static_cast<double>(plan.pixels.count) / static_cast<double>(plan.tile_pixels);
    return blocks * (bytes / kLineBytes * machine().row.copy_cycles + tiles * kCallCycles);
}

void copy_blocks(const PermutePlan& plan, const char* src, char* staged, size_t bytes) {
    const ShuffleLayout& l = plan.layout;
    for (int64_t i = 0; i < blocks_of(l); ++i)
        std::memcpy(staged + i * plan.staged_stride, src + i * l.src_axis.stride, bytes);
}

}  // namespace tombola::impl::cpu::x64
