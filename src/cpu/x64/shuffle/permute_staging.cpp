// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_plan.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu/x64/machine.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// How many blocks of an axis begin in the set in which most of them do.
int64_t most_in_a_set(int64_t blocks, const AxisStride& axis) {
    std::array<int64_t, kSetsOfL1> begin{};
    for (int64_t i = 0; i < blocks; ++i) ++begin[i * axis.stride / kLineBytes % kSetsOfL1];
    return *std::max_element(begin.begin(), begin.end());
}

}  // namespace

bool crowds_sets(const ShuffleLayout& layout) {
    const int64_t blocks = layout.blocks();
    return 2 * std::max(most_in_a_set(blocks, layout.src_axis),
                        most_in_a_set(blocks, layout.dst_axis)) >
           machine().ways_of_l1();
}

bool stage(PermutePlan& plan) {
    constexpr int64_t kMinBytesOfBlock = 2 * kLineBytes;
    const int64_t step = plan.step_pixels, stride = plan.pixels.src.stride;
    const int64_t budget = std::min(machine().tile_bytes(), kMaxStagedBytes);
    const int64_t most = std::min(plan.pixels.count, budget / stride) / step * step;
    for (int64_t pixels = most; pixels * stride >= kMinBytesOfBlock; pixels -= step) {
        plan.tile_pixels = pixels;
        const int64_t lines = (plan.pixels_of_last_tile() * stride - 1) / kLineBytes + 1;
        // With an odd number of lines, equal lines of the blocks are spread over all sets.
        plan.staged_stride = (lines | 1) * kLineBytes;
        if (plan.staged_stride * plan.layout.blocks() <= budget) return true;
    }
    return false;
}

double staging_cycles(const PermutePlan& plan) {
    constexpr double kCallCycles = 20;  // to begin the copy of a block
    // Fitted on Zen 4: a copy of the destination counts this much of a copy of the source. The model has no gain for stores of the kernel to
    // the stack, which are faster than those to the second-level cache.
    constexpr double kStored = 0.8;
    const auto blocks = static_cast<double>(plan.layout.blocks());
    const auto bytes = static_cast<double>(plan.pixels.count * plan.pixels.src.stride);
    const double tiles =
        static_cast<double>(plan.pixels.count) / static_cast<double>(plan.tile_pixels);
    const double copies = (plan.stages_src ? 1 : 0) + (plan.stages_dst ? kStored : 0);
    return copies * blocks * (bytes / kLineBytes * machine().row.copy_cycles + tiles * kCallCycles);
}

void copy_blocks(const ShuffleLayout& layout, const char* from, int64_t from_stride, char* to,
                 int64_t to_stride, size_t bytes) {
    for (int64_t i = 0; i < layout.blocks(); ++i)
        std::memcpy(to + i * to_stride, from + i * from_stride, bytes);
}

}  // namespace tombola::impl::cpu::x64
