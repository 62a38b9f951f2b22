// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "common/parallel.hpp"
#include "cpu/loop_nest.hpp"
#include "cpu/x64/implementations.hpp"
#include "cpu/x64/shuffle/permute_kernels.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Rows of this many bytes are copied faster than permuted.
constexpr int64_t kMaxInner = 16;
// Beyond this many cycles an element, the portable implementation is as fast.
constexpr double kMaxCyclesAnElement = 0.9;
constexpr double kLoopCycles = 2;
// What a copy takes in the second-level cache: nothing is gained by fewer.
constexpr double kCopyCyclesAByte = 4.4 / 64;

struct Chosen {
    ShuffleLayout layout;
    PixelProgram pixel;
    PermutePlan plan;
    double cycles_a_byte = std::numeric_limits<double>::infinity();
};

Result<Chosen> choose(const ShuffleDesc& desc, CpuIsa isa) {
    if (desc.dst.has_zero_dim()) return unimplemented("no elements");
    auto layout = make_layout(desc);
    if (!layout.ok()) return layout.take_status();
    Chosen best;
    best.layout = layout.take();
    ShuffleLayout& l = best.layout;
    if (l.block > 1) return unimplemented("the axis is blocked");
    if (l.src_axis != l.inner || l.dst_axis != l.inner)
        return unimplemented("channels do not lie side by side");
    if (l.inner >= kMaxInner) return unimplemented("rows of %d bytes", static_cast<int>(l.inner));
    if (l.C >= (int64_t{1} << 31) / l.inner) return unimplemented("an axis of 2 GiB or more");
    // The pixels: the fastest loop that is left.
    if (l.depth == 0) l.loops[l.depth++] = {1, 0, 0};
    const ByteLoop& pixels = l.loops[l.depth - 1];
    const int64_t pixel_bytes = l.C * l.inner;
    const bool dense = pixels.src == pixel_bytes && pixels.dst == pixel_bytes;
    const PermuteLimits limits = limits_of(isa, static_cast<int>(l.inner & -l.inner));
    for (PixelProgram& pixel : pixel_programs(l, pixels.count, dense, limits)) {
        PermutePlan plan = plan_permutes(pixel.program, isa);
        const double cycles =
            std::max(cycles_of(plan) + kLoopCycles,
                     kCopyCyclesAByte * static_cast<double>(stored_bytes(pixel.program))) /
            pixel.bytes;
        if (cycles >= best.cycles_a_byte) continue;
        best.pixel = std::move(pixel);
        best.plan = std::move(plan);
        best.cycles_a_byte = cycles;
    }
    if (best.cycles_a_byte * static_cast<double>(l.inner) > kMaxCyclesAnElement)
        return unimplemented("C/G and G are both too large to gather from registers");
    return best;
}

class InterleavedShuffle : public Executable {
  public:
    InterleavedShuffle(const ShuffleDesc& desc, const Chosen& chosen,
                       std::shared_ptr<const PermuteKernel> kernel)
        : desc_(desc),
          layout_(chosen.layout),
          step_pixels_(chosen.pixel.pixels),
          src_last_(chosen.pixel.src_last),
          dst_last_(chosen.pixel.dst_last),
          kernel_(std::move(kernel)) {}

    Status execute(const ExecContext& context) const override {
        const bool forward = desc_.is_forward();
        const char* src = context.input<char>(forward ? TOMBOLA_ARG_SRC : TOMBOLA_ARG_DIFF_DST);
        char* dst = context.output<char>(forward ? TOMBOLA_ARG_DST : TOMBOLA_ARG_DIFF_SRC);
        const ByteLoop& pixels = layout_.loops[layout_.depth - 1];
        // Items are steps; the last item of a run of pixels has the remainder.
        const int64_t a_step = std::max<int64_t>(step_pixels_, 1);
        const int64_t steps = pixels.count / a_step;
        const int64_t runs = layout_.iterations(layout_.depth - 1);
        const auto bytes = static_cast<size_t>(2 * runs * pixels.count * layout_.C * layout_.inner);
        parallel_ranges(runs * steps, 1, bytes, [&](int64_t begin, int64_t end) {
            while (begin < end) {
                const int64_t run = begin / steps, first = begin % steps;
                const int64_t last = std::min(steps, first + end - begin);
                const Offsets at = offsets_of(layout_, layout_.depth - 1, run);
                const int64_t from = first * a_step;
                const int64_t to = last == steps ? pixels.count : last * a_step;
                shuffle_pixels(src + at.src + from * pixels.src, dst + at.dst + from * pixels.dst,
                               to - from, pixels);
                begin += last - first;
            }
        });
        if (layout_.has_padding) zero_padding(desc_.dst, dst);
        return {};
    }

  private:
    void shuffle_pixels(const char* src, char* dst, int64_t count, const ByteLoop& pixels) const {
        PermuteArgs args{src, dst, src_last_, dst_last_, count, pixels.src, pixels.dst};
        if (step_pixels_ > 1) {
            args.outer = 1;
            args.src_last = args.dst_last = (count - step_pixels_) * pixels.src;
        }
        (*kernel_)(args);
    }

    ShuffleDesc desc_;
    ShuffleLayout layout_;
    int64_t step_pixels_, src_last_, dst_last_;
    std::shared_ptr<const PermuteKernel> kernel_;
};

}  // namespace

Result<PlanPtr> plan_interleaved_shuffle(CpuIsa isa, const ShuffleDesc& desc) {
    return plan_permuted<InterleavedShuffle>(isa, desc, choose(desc, isa));
}

}  // namespace tombola::impl::cpu::x64
