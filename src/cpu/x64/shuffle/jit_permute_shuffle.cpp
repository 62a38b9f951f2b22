// SPDX-License-Identifier: Apache-2.0

// Shuffles whose channels are contiguous: all channels (interleaved), or the channels of a block (blocked). choose_interleaved() or choose_blocked()
// (permute_plan.hpp) chooses a plan; here its kernel is made and executed.

#include <algorithm>
#include <utility>

#include "common/parallel.hpp"
#include "cpu/implementations.hpp"
#include "cpu/streaming.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/permute_plan.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Interleaved pixels prefetch this many times as far ahead as Machine::prefetch_bytes(), because kernels that draw read more slowly than
// permutes. On Zen 5 the distance is 4 KiB.
constexpr int64_t kPrefetchFactor = 2;

class PermuteShuffle : public Executable {
  public:
    // A kernel for destinations of one alignment, and the work of an execution with this kernel.
    struct Way {
        JitFunction<PermuteArgs> kernel;
        int64_t alignment;  // 1, unless stores bypass the caches
        Work work;

        bool streams() const { return alignment > 1; }
    };

    // ways: in descending order of speed. The last one serves destinations of any alignment.
    PermuteShuffle(const ShuffleDesc& desc, const PermutePlan& plan, std::vector<Way> ways)
        : desc_(desc),
          padding_(plan.layout.has_padding ? Padding(desc.dst) : Padding()),
          plan_(plan),
          images_(plan.layout.loops.iterations()),
          tiles_(plan.tiles()),
          pixels_ahead_(kPrefetchFactor * machine().prefetch_bytes()),
          ways_(std::move(ways)) {
        plan_.operations.reset();  // the operations have become code
        if (plan_.layout.loops.depth == 0) plan_.layout.loops.push({});
    }

    Status execute(const ExecContext& context) const override {
        const ShuffleTensors tensors = shuffle_tensors(desc_, context);
        const auto way = std::find_if(ways_.begin(), ways_.end() - 1, [&](const Way& each) {
            return is_aligned(tensors.dst, each.alignment);
        });
        parallel_ranges(images_ * tiles_, 1, way->work, [&](int64_t begin, int64_t end) {
            const StreamingStores stores(way->streams());
            while (begin < end) begin += shuffle(way->kernel, tensors, begin, end - begin);
        });
        padding_.zero(tensors.dst);
        return {};
    }

  private:
    // Shuffles as many of the `count` tiles from `first` on as one call of the kernel can cover. Returns how many.
    int64_t shuffle(const JitFunction<PermuteArgs>& kernel, const ShuffleTensors& tensors,
                    int64_t first, int64_t count) const {
        const auto [image, tile] = divide(first, tiles_);
        const LoopCursor at(plan_.layout.loops, image);
        const int64_t done = plan_.joins_tiles ? std::min(tiles_ - tile, count) : 1;
        const int64_t from = tile * plan_.tile_pixels;
        // The last tile has the remaining pixels.
        const int64_t to =
            tile + done == tiles_ ? plan_.pixels.count : (tile + done) * plan_.tile_pixels;
        const char* src = tensors.src + at.src() + from * plan_.pixels.src.stride;
        char* dst = tensors.dst + at.dst() + from * plan_.pixels.dst.stride;
        if (plan_.is_staged()) {
            shuffle_staged(kernel, src, dst, to - from);
            return 1;
        }
        PermuteArgs args{src,
                         dst,
                         plan_.src_last,
                         plan_.dst_last,
                         to - from,
                         plan_.pixels.src.stride,
                         plan_.pixels.dst.stride,
                         pixels_ahead_};
        if (plan_.step_pixels == 0) {
            kernel(args);
            return done;
        }
        args.src_last = args.dst_last = (to - from - plan_.step_pixels) * plan_.pixels.src.stride;
        // Images of a single tile are joined into one call if they lie at equal distances.
        const Loop& images = plan_.layout.loops.fastest();
        args.outer =
            tiles_ > 1 ? 1 : std::min(count, images.count - divide(image, images.count).rest);
        args.src_outer = images.src.stride;
        args.dst_outer = images.dst.stride;
        if (!plan_.joins_tiles) args.src_ahead = tiles_ > 1 ? to_next_tile(first) : args.src_outer;
        kernel(args);
        return tiles_ > 1 ? done : args.outer;
    }

    // Shuffles a tile of `pixels` pixels by way of the stack. Not inlined, because other shuffles do not need so much of it.
    [[gnu::noinline]] void shuffle_staged(const JitFunction<PermuteArgs>& kernel, const char* src,
                                          char* dst, int64_t pixels) const {
        alignas(kLineBytes) char staged_src[kMaxStagedBytes];
        alignas(kLineBytes) char staged_dst[kMaxStagedBytes];
        const int64_t pixel = plan_.pixels.src.stride;
        const auto bytes = static_cast<size_t>(pixels * pixel);
        const ShuffleLayout& l = plan_.layout;
        if (plan_.stages_src)
            copy_blocks(l, src, l.src_axis.stride, staged_src, plan_.staged_stride, bytes);
        PermuteArgs args{};
        args.src = plan_.stages_src ? staged_src : src;
        args.dst = plan_.stages_dst ? staged_dst : dst;
        args.src_last = args.dst_last = (pixels - plan_.step_pixels) * pixel;
        args.outer = 1;
        kernel(args);
        if (plan_.stages_dst)
            copy_blocks(l, staged_dst, plan_.staged_stride, dst, l.dst_axis.stride, bytes);
    }

    // The distance in bytes from the source of a tile to the source of the next one. The last tile has no next one.
    int64_t to_next_tile(int64_t tile) const {
        const Division at = divide(tile, tiles_);
        const int64_t bytes = plan_.tile_pixels * plan_.pixels.src.stride;
        if (at.rest + 1 < tiles_) return bytes;
        if (at.quotient + 1 == images_) return 0;
        const LoopNest& loops = plan_.layout.loops;
        return LoopCursor(loops, at.quotient + 1).src() - LoopCursor(loops, at.quotient).src() -
               at.rest * bytes;
    }

    ShuffleDesc desc_;
    Padding padding_;  // what the kernel leaves out
    PermutePlan plan_;
    int64_t images_, tiles_;
    // Distance in bytes from the source of a pixel to the source that is prefetched with it.
    int64_t pixels_ahead_;
    std::vector<Way> ways_;
};

// Shorter runs within a pixel do not gain by prefetches. Measured on Zen 4 alone.
constexpr int64_t kMinRunOfPixel = 512;

// The length in bytes of the runs in which the source is read. A run is the part of a block that lies in a tile, or all pixels. If a line
// of the destination has channels of all groups, a run is one group of a pixel.
int64_t run_bytes(const PermutePlan& plan) {
    const int64_t pixels = plan.pixels.count, stride = plan.pixels.src.stride;
    if (!plan.joins_tiles) return plan.pixels_of_tile() * stride;
    const ShuffleLayout& l = plan.layout;
    const int64_t group = l.G * l.inner;
    return l.Q * l.inner <= kLineBytes && group >= kMinRunOfPixel ? group : pixels * stride;
}

Result<PlanPtr> executable_of(const ShuffleDesc& desc, const PermutePlan& plan) {
    return make_plan(0, [desc, plan]() -> Result<std::unique_ptr<Executable>> {
        // Tiles on the stack are in the first-level cache.
        const Stores stores =
            fits_l1(plan.bytes) || plan.stages_dst ? Stores::plain : Stores::prefetched;
        // Calls of staged tiles do not say where the next call loads.
        const bool prefetches =
            !plan.is_staged() && machine().prefetches_sources(plan.bytes, plan.threads);
        const Sources sources = prefetches ? prefetched_sources(run_bytes(plan)) : Sources::plain;
        const auto bytes = static_cast<size_t>(plan.bytes);
        std::vector<PermuteShuffle::Way> ways;
        for (const auto& [way, alignment] : streaming_of(plan)) {
            auto kernel = TOMBOLA_TRY(permute_function(plan.code, way, sources, plan.operations));
            ways.push_back({std::move(kernel), alignment, work_of(0, bytes, bytes / 2)});
        }
        auto kernel = TOMBOLA_TRY(
            permute_function(plan.code, stores, sources, plan.operations, unrolled(plan)));
        ways.push_back({std::move(kernel), 1, moving(bytes)});
        return make_executable<PermuteShuffle>(desc, plan, std::move(ways));
    });
}

}  // namespace

Result<PlanPtr> plan_interleaved_shuffle(CpuIsa isa, const ShuffleDesc& desc) {
    return executable_of(desc, TOMBOLA_TRY(choose_interleaved(isa, desc)));
}

Result<PlanPtr> plan_blocked_shuffle(CpuIsa isa, const ShuffleDesc& desc) {
    const PermutePlan plan = TOMBOLA_TRY(choose_blocked(isa, desc));
    // If the blocks of a pixel follow one another, they can be permuted like one pixel of nhwc.
    const auto interleaved = choose_interleaved(isa, desc);
    if (interleaved.ok() && pixel_cycles(interleaved.value(), plan.pixels.count) < plan.cycles)
        return unimplemented("permutes of the channels as if they had no blocks cost less");
    return executable_of(desc, plan);
}

}  // namespace tombola::impl::cpu::x64
