// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "common/parallel.hpp"
#include "cpu/loop_nest.hpp"
#include "cpu/x64/implementations.hpp"
#include "cpu/x64/shuffle/permute_kernels.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// All destination blocks are written for a tile of pixels before the next tile, so that the source blocks, each
// of which several destination blocks read, stay in the first-level cache or near it.
constexpr int64_t kTileBytes = 24 * 1024;
constexpr int64_t kLeastTileBytesOfABlock = 2048;
constexpr int64_t kMaxBlocks = 4096;
constexpr int64_t kSingleStepVectors = 8;
constexpr int64_t kLeastBytes = 4;  // of a block's pixels: LaneKernel loads and stores no fewer
constexpr int64_t kLineBytes = 64;
constexpr double kLoopCycles = 0.5;    // around a step
constexpr double kSectionCycles = 10;  // around the steps of a section

struct Chosen {
    ShuffleLayout layout;
    int64_t step_pixels;
    PermutePlan plan;
};

Result<ShuffleLayout> layout_of(const ShuffleDesc& desc) {
    if (desc.dst.has_zero_dim()) return unimplemented("no elements");
    auto layout = make_layout(desc);
    if (!layout.ok()) return layout;
    ShuffleLayout& l = layout.value();
    const int64_t block_bytes = l.block * l.element;
    if (l.block == 1) return unimplemented("the axis is not blocked");
    if (l.inner != l.element) return unimplemented("a block holds more than channels");
    if (l.C / l.block > kMaxBlocks) return unimplemented("too many blocks for straight code");
    if (std::max(l.src_axis, l.dst_axis) > (int64_t{1} << 31) / (l.C / l.block + 1))
        return unimplemented("an image of 2 GiB or more");
    // The pixels: a loop over neighbouring blocks, or a single one.
    if (l.depth == 0 || l.loops[l.depth - 1].src != block_bytes ||
        l.loops[l.depth - 1].dst != block_bytes)
        l.loops[l.depth++] = {1, 0, 0};
    if (l.loops[l.depth - 1].count * block_bytes < kLeastBytes)
        return unimplemented("too few bytes behind one another");
    return layout;
}

Result<Chosen> choose(const ShuffleDesc& desc, CpuIsa isa) {
    auto layout = layout_of(desc);
    if (!layout.ok()) return layout.take_status();
    const ShuffleLayout& l = layout.value();
    const PermuteLimits limits = limits_of(isa, static_cast<int>(l.element));
    const int64_t pixels = l.loops[l.depth - 1].count;
    const int64_t block_bytes = l.block * l.element;
    Chosen best{l, 0, {}};
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](int64_t step, bool single_step, bool by_alignment) {
        const PermuteProgram program = blocked_program(l, step, single_step, by_alignment, limits);
        PermutePlan plan = plan_permutes(program, isa);
        // The last step is moved back, and so may be the second.
        const int64_t steps =
            single_step ? 1 : (pixels + step - 1) / step + (l.dst_axis % kLineBytes != 0);
        double sections = 0;
        for (const PermuteSection& section : program.sections)
            sections += static_cast<double>(section.repeats);
        const double cycles =
            static_cast<double>(steps) * (cycles_of(plan) + kLoopCycles * sections) +
            kSectionCycles * sections;
        if (cycles >= least) return;
        least = cycles;
        best = {l, step, std::move(plan)};
    };
    // A small image may be one step.
    if (pixels * block_bytes <= kSingleStepVectors * limits.vector_bytes)
        consider(pixels, true, false);
    for (const int64_t vectors : {1, 2, 4}) {
        const int64_t step = std::max<int64_t>(vectors * limits.vector_bytes / block_bytes, 1);
        if (step > pixels || (step == pixels && best.step_pixels > 0)) break;
        for (const bool by_alignment : {false, true}) consider(step, false, by_alignment);
    }
    return best;
}

class BlockedShuffle : public Executable {
  public:
    BlockedShuffle(const ShuffleDesc& desc, const Chosen& chosen,
                   std::shared_ptr<const PermuteKernel> kernel)
        : desc_(desc),
          layout_(chosen.layout),
          step_pixels_(chosen.step_pixels),
          kernel_(std::move(kernel)) {
        const int64_t block_bytes = layout_.block * layout_.element;
        const int64_t pixel_bytes = layout_.C * layout_.element;
        const int64_t wanted =
            std::max(kTileBytes / pixel_bytes, kLeastTileBytesOfABlock / block_bytes);
        tile_pixels_ = std::max<int64_t>(wanted / step_pixels_, 1) * step_pixels_;
    }

    Status execute(const ExecContext& context) const override {
        const bool forward = desc_.is_forward();
        const char* src = context.input<char>(forward ? TOMBOLA_ARG_SRC : TOMBOLA_ARG_DIFF_DST);
        char* dst = context.output<char>(forward ? TOMBOLA_ARG_DST : TOMBOLA_ARG_DIFF_SRC);
        const int64_t pixels = layout_.loops[layout_.depth - 1].count;
        const int64_t block_bytes = layout_.block * layout_.element;
        const int64_t tiles = std::max<int64_t>(pixels / tile_pixels_, 1);
        const int64_t images = layout_.iterations(layout_.depth - 1);
        const ByteLoop image_loop =
            layout_.depth > 1 ? layout_.loops[layout_.depth - 2] : ByteLoop{1, 0, 0};
        parallel_ranges(images * tiles, 1, 2 * desc_.dst.size(), [&](int64_t begin, int64_t end) {
            for (int64_t item = begin; item < end;) {
                const int64_t tile = item % tiles, image = item / tiles;
                const Offsets at = offsets_of(layout_, layout_.depth - 1, image);
                const int64_t from = tile * tile_pixels_;
                const int64_t to = tile + 1 == tiles ? pixels : from + tile_pixels_;
                const int64_t last = (to - from - step_pixels_) * block_bytes;
                // Images of one tile are one call, as far as they lie at equal distances.
                const int64_t outer =
                    tiles > 1 ? 1
                              : std::min(end - item, image_loop.count - image % image_loop.count);
                PermuteArgs args{src + at.src + from * block_bytes,
                                 dst + at.dst + from * block_bytes,
                                 last,
                                 last,
                                 outer,
                                 image_loop.src,
                                 image_loop.dst};
                (*kernel_)(args);
                item += outer;
            }
        });
        return {};
    }

  private:
    ShuffleDesc desc_;
    ShuffleLayout layout_;
    int64_t step_pixels_, tile_pixels_;
    std::shared_ptr<const PermuteKernel> kernel_;
};

}  // namespace

Result<PlanPtr> plan_blocked_shuffle(CpuIsa isa, const ShuffleDesc& desc) {
    return plan_permuted<BlockedShuffle>(isa, desc, choose(desc, isa));
}

}  // namespace tombola::impl::cpu::x64
