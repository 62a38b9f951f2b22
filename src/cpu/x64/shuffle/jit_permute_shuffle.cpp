// SPDX-License-Identifier: Apache-2.0

// Shuffles whose channels are contiguous: all channels (interleaved), or the channels of a block (blocked):
//
//   layout in bytes -> candidate programs -> operations of each, with their cost -> the cheapest -> its kernel

#include <algorithm>
#include <set>
#include <utility>

#include "common/parallel.hpp"
#include "cpu/implementations.hpp"
#include "cpu/streaming.hpp"
#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/lowering_cache.hpp"
#include "cpu/x64/shuffle/permute_staging.hpp"
#include "cpu/x64/shuffle/permute_streaming.hpp"
#include "cpu/x64/vec_traits.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Interleaved: if channels are this many bytes or more apart, copying rows is faster than permuting.
constexpr int64_t kMaxInner = 16;
// Above this many cycles per element, the portable implementation is as fast.
constexpr double kMaxCyclesPerElement = 0.9;
// Blocked: all destination blocks are written for one tile of pixels before the next tile. Several destination blocks
// read the same source block, so the source blocks of a tile stay in the first-level cache or near it.
constexpr int64_t kMinTileBytesPerBlock = 2048;
constexpr int64_t kMaxBlocks = 4096;
constexpr int64_t kSingleStepVectors = 8;
constexpr int64_t kMinBytes = 4;  // minimum of pixels * block; lower_lanes.cpp stores no fewer
// Interleaved pixels prefetch this many times as far ahead as Machine::prefetch_bytes(), because kernels that draw read more slowly than
// permutes. On Zen 5 the distance is 4 KiB.
constexpr int64_t kPrefetchFactor = 2;
// Near sources: sections that write several blocks at once (blocked_program()). With them, transposes by AVX2 and whole images by AVX-512
// take this many times as long as their cost says. Measured on Sapphire Rapids alone.
constexpr double kNearFactor = 1.15;
// Beyond the second-level cache, near sources are candidates only for images of at most this many blocks. On Zen 4, in the third-level
// cache, shuffles of 25 to 46 blocks took up to 4.2 times as long with near sources.
constexpr int64_t kMaxNearBlocks = 16;

// Interleaved in blocks: the cycles of the zeros in the padding of a pixel, and of the call that writes them. Estimated from the number of
// instructions.
constexpr double kPaddedPixel = 8, kPaddedTensor = 40;

// Blocked: the cycles of a load from the second-level cache, of a line that another section of the same pixels has loaded before. Measured
// on Zen 4 alone.
constexpr double kReloadCycles = 2;

// Blocked: if only the destination is staged, a tile has at least this many bytes of each block of the source. Shorter runs of loads from
// the second-level cache took 1.5 times as long on Zen 4.
constexpr int64_t kMinUnstagedRun = 4 * kLineBytes;
// Blocked: if only the destination is staged, a section writes at least this many blocks on average. Stores to fewer blocks crowd no set.
// Staging them took up to 1.5 times as long on Zen 4.
constexpr double kMinStagedBlocks = 4;

int64_t tensor_bytes(const ShuffleDesc& desc) { return 2 * static_cast<int64_t>(desc.dst.size()); }

// The time of a copy within the first-level cache, relative to one within the second-level cache. The two stores of 32 bytes that limit the
// copy take 0.45 times as long there on Sapphire Rapids, and 0.49 times on Zen 4.
constexpr double kCopyInL1 = 0.5;

// The instruction sets whose code an implementation for `isa` may use: `isa` itself, and AVX2, whose shorter vectors suit some shuffles
// better.
std::vector<CpuIsa> code_for(CpuIsa isa) {
    if (isa == CpuIsa::avx2) return {isa};
    return {isa, CpuIsa::avx2};
}

// ---- unrolling -----------------------------------------------------------------------------------------------

// Unrolling gains nothing for runs with fewer or more steps than these, nor for loops whose unrolled body would have fewer steps than the
// last constant. Measured on Zen 5 alone.
constexpr int64_t kMinUnrolledRun = 7, kMaxUnrolledRun = 64, kMinUnrolledSteps = 4;
constexpr int64_t kMaxPasses = 4;
// Loads and stores are slow in the second-level cache of Zen 5 if they advance by this many bytes from pass to pass.
constexpr int64_t kMinSlowStride = 1408, kMaxSlowStride = 3584;

// The number of steps in a run. A run is a tile, or a pixel whose channels lie side by side.
int64_t steps_of_run(const PermutePlan& plan) {
    const StepLoop& loop = plan.operations->loop;
    if (loop.single_step) return 1;
    if (plan.step_pixels == 0) return (plan.dst_last + loop.dst_step - 1) / loop.dst_step + 1;
    const int64_t pixels = plan.pixels_of_tile();
    return (pixels + plan.step_pixels - 1) / plan.step_pixels;
}

// How far the kernel's loops are unrolled. In the second-level cache, a loop over a short run takes longer than the same steps unrolled. So
// does the loop around such runs, if its addresses advance far. The likely reason is a prefetcher that follows the addresses of one
// instruction and goes on where the run ends; this was not observed. Tensors beyond half of the second-level cache gain less, and with AVX2
// lose. Tensors in the first-level cache show no difference.
Unrolled unrolled(const PermutePlan& plan) {
    if (fits_l1(plan.bytes) || plan.bytes > machine().caches.l2 / 2) return {};
    if (plan.joins_tiles && plan.step_pixels > 0) return {};  // all pixels are one run
    const int64_t budget = machine().row.unrolled_operations, steps = steps_of_run(plan);
    const auto operations = static_cast<int64_t>(plan.operations->size());
    const int64_t most = budget / operations;
    if (steps > 1 &&
        (steps < kMinUnrolledRun || steps > kMaxUnrolledRun || most < kMinUnrolledSteps))
        return {};
    Unrolled result;
    result.steps = static_cast<int>(std::clamp<int64_t>(most, 1, steps));
    // The loop around the steps goes over sections or over pixels. If its body has several passes, the code may be longer than the budget.
    const bool over_sections = plan.operations->sections[0].loop.repeats > 1;
    if (result.steps < steps || !(over_sections || plan.joins_tiles)) return result;
    int64_t passes = std::clamp<int64_t>(3 * budget / (2 * operations * steps), 1, kMaxPasses);
    const int64_t advance = over_sections ? 0 : plan.pixels.src.stride;
    while (passes > 1 && passes * advance >= kMinSlowStride && passes * advance < kMaxSlowStride)
        --passes;
    result.passes = static_cast<int>(passes);
    return result;
}

// The overhead in cycles of one step of pixels, or of one section of a step of blocks.
double step_cycles(const PermutePlan& plan) {
    const VectorRates& rates = machine().rates(shape_of(plan.code).bytes);
    return unrolled(plan).steps > 1 ? rates.unrolled_step_cycles : rates.step_cycles;
}

// ---- interleaved ---------------------------------------------------------------------------------------------

// The extra cycles of the loads of a step, beyond one load per stored line. A line that arrives from the second-level cache takes time from
// the loads.
double load_cycles(const PermutePlan& plan) {
    if (fits_l1(plan.bytes) || plan.bytes > machine().caches.l2) return 0;
    const Operations& o = *plan.operations;
    int64_t loads = 0;
    for (const Operations::Section& section : o.sections)
        loads += section.loop.repeats *
                 std::count_if(section.list.begin(), section.list.end(),
                               [](const Operation& operation) { return operation.is_load(); });
    return machine().row.load_cycles * std::max(static_cast<double>(loads) - o.stored_lines, 0.0);
}

// Makes the axis plain if its blocks follow one another, as in images of one pixel, or if there is one block.
void join_blocks(ShuffleLayout& l) {
    const auto is_joined = [&](const AxisStride& axis) {
        return l.C <= axis.block || axis.stride == axis.block * axis.neighbour;
    };
    if (is_joined(l.src_axis) && is_joined(l.dst_axis)) l.src_axis = l.dst_axis = {l.element};
}

Result<PermutePlan> begin_interleaved(const ShuffleDesc& desc) {
    PermutePlan base;
    base.bytes = tensor_bytes(desc);
    ShuffleLayout& l = base.layout = TOMBOLA_TRY(make_unblocked_layout(desc));
    if (l.src_axis.stride == 0) return unimplemented("no channel moves");
    join_blocks(l);
    if (!l.src_axis.is_plain() || !l.dst_axis.is_plain())
        return unimplemented("the axis is blocked");
    if (l.src_axis.stride != l.inner || l.dst_axis.stride != l.inner)
        return unimplemented(
            "channels of %lld bytes are %lld bytes apart in the source, %lld in the destination",
            l.inner, l.src_axis.stride, l.dst_axis.stride);
    if (l.inner >= kMaxInner) return unimplemented("channels are %lld bytes apart", l.inner);
    if (l.C >= (int64_t{1} << 31) / l.inner) return unimplemented("an axis of 2 GiB or more");
    base.pixels = l.loops.pop();
    base.joins_tiles = true;
    return base;
}

// The minimum cost of storing a line, whatever the operations are.
double least_cycles(const PixelProgram& pixel, const PermutePlan& candidate) {
    const MachineRow& row = machine().row;
    // The model assumes that no program is faster than a copy.
    const double copy = row.copy_cycles * (fits_l1(candidate.bytes) ? kCopyInL1 : 1);
    // Far programs that write to several places take longer than their costs say. With words (2 bytes) the other programs take longer too,
    // so words are left out here.
    const bool writes_far_apart = machine().is_far(candidate.bytes) &&
                                  candidate.layout.inner != 2 && writes_apart(pixel.program);
    return writes_far_apart ? std::max(row.apart_cycles, copy) : copy;
}

// `least`: see least_cycles().
double cycles_per_byte(const PixelProgram& pixel, const PermutePlan& candidate, double least) {
    const double cycles =
        std::max(candidate.operations->cycles + step_cycles(candidate) + load_cycles(candidate),
                 least / 64 * static_cast<double>(stored_bytes(pixel.program))) /
        pixel.bytes;
    return bypasses_caches(candidate) ? cycles - machine().row.streamed_gain : cycles;
}

// Whether so few operations are necessary that the program is faster than the portable implementation, which waits for memory as well.
bool gathers_fast(const PixelProgram& pixel, const PermutePlan& candidate) {
    return cycles_per_byte(pixel, candidate, 0) * static_cast<double>(candidate.layout.inner) <=
           kMaxCyclesPerElement;
}

Result<PermutePlan> choose_interleaved(CpuIsa isa, const ShuffleDesc& desc) {
    PermutePlan best = TOMBOLA_TRY(begin_interleaved(desc));
    const ShuffleLayout& l = best.layout;
    const int64_t pixel_bytes = l.C * l.inner;
    const bool dense =
        best.pixels.src.stride == pixel_bytes && best.pixels.dst.stride == pixel_bytes;
    for (const CpuIsa code : code_for(isa)) {
        const PermuteLimits limits = limits_of(code, static_cast<int>(l.inner & -l.inner));
        for (PixelProgram& pixel : pixel_programs(l, best.pixels.count, dense, limits)) {
            pixel.program.in_l1 = fits_l1(best.bytes);
            // All programs that are as fast as a copy have the same cost. The first of them is taken, because its steps are short.
            for (const auto& lowered : cached_lowerings(pixel.program, code)) {
                PermutePlan candidate = best;
                candidate.code = code;
                candidate.step_pixels = pixel.pixels;
                candidate.src_last = pixel.src_last;
                candidate.dst_last = pixel.dst_last;
                candidate.operations = lowered;
                if (!gathers_fast(pixel, candidate)) continue;
                candidate.cycles =
                    cycles_per_byte(pixel, candidate, least_cycles(pixel, candidate));
                if (candidate.cycles < best.cycles) best = std::move(candidate);
            }
        }
    }
    if (best.operations == nullptr)
        return unimplemented("C/G and G are both too large to gather from registers");
    // A step of one pixel needs no loop over steps: the kernel's outer loop goes from pixel to pixel.
    if (best.step_pixels == 1) best.step_pixels = 0;
    best.tile_pixels = std::max<int64_t>(best.step_pixels, 1);
    return best;
}

// The cost of `pixels` pixels of an interleaved plan, in cycles.
double pixel_cycles(const PermutePlan& plan, int64_t pixels) {
    const ShuffleLayout& l = plan.layout;
    const auto all = static_cast<double>(l.loops.iterations() * plan.pixels.count);
    const double padded = l.has_padding ? kPaddedPixel + kPaddedTensor / all : 0;
    return static_cast<double>(pixels) *
           (plan.cycles * static_cast<double>(l.C * l.inner) + padded);
}

// ---- blocked -------------------------------------------------------------------------------------------------

Result<PermutePlan> begin_blocked(const ShuffleDesc& desc) {
    PermutePlan base;
    base.bytes = tensor_bytes(desc);
    ShuffleLayout& l = base.layout = TOMBOLA_TRY(make_unblocked_layout(desc));
    if (l.src_axis.is_plain() && l.dst_axis.is_plain())
        return unimplemented("the axis is not blocked");
    const int64_t block = l.src_axis.block, block_bytes = block * l.element;
    if (block != l.dst_axis.block)
        return unimplemented("source and destination have different blocks");
    if (l.inner != l.element) return unimplemented("a block holds more than channels");
    if (l.C / block > kMaxBlocks) return unimplemented("too many blocks for straight code");
    if (std::max(l.src_axis.stride, l.dst_axis.stride) > (int64_t{1} << 31) / (l.C / block + 1))
        return unimplemented("an image of 2 GiB or more");
    l.has_padding = false;  // the kernel writes it
    // The pixels: a loop over neighbouring blocks, or a single block.
    LoopNest& loops = l.loops;
    if (loops.depth > 0 && loops.fastest().src.stride == block_bytes &&
        loops.fastest().dst.stride == block_bytes)
        base.pixels = loops.pop();
    if (base.pixels.count * block_bytes < kMinBytes)
        return unimplemented("too few bytes after one another");
    return base;
}

// A shuffle of fewer channels with the same pattern: G and Q keep their remainders modulo the size of a block. The
// costs of programs for very many channels are compared on this smaller shuffle.
ShuffleLayout with_fewer_channels(const ShuffleLayout& layout) {
    const int64_t block = layout.src_axis.block, wanted = kManyBlocks / 2 * block;
    ShuffleLayout fewer = layout;
    if (layout.C <= kManyBlocks * block) return fewer;
    const auto reduced = [&](int64_t n, int64_t other) {
        return std::min(n, n % block + std::max(2 * block, wanted / other / block * block));
    };
    fewer.Q = reduced(layout.Q, layout.G);
    fewer.G = reduced(layout.G, fewer.Q);
    fewer.C = fewer.Q * fewer.G;
    return fewer;
}

// How a program for blocks takes the pixels of a tile.
struct BlockedStep {
    CpuIsa code;
    int64_t pixels;
    bool single;
    bool near_sources;
};

// Whether steps of near sources are candidates. Between Machine::near_sources_bytes() and far tensors they are not: they write too many
// blocks at once, and took up to five times as long. For far tensors they are, because open_lines excludes programs that write too many
// blocks.
bool may_be_near(const PermutePlan& base, CpuIsa code) {
    const int64_t bytes = base.bytes, alias = machine().row.near_alias;
    if (bytes <= machine().caches.l2) return true;
    if (code == CpuIsa::avx2 && alias > 0 && base.layout.dst_axis.stride % alias == 0) return false;
    return (bytes <= machine().near_sources_bytes() || machine().is_far(bytes)) &&
           base.layout.C <= kMaxNearBlocks * base.layout.src_axis.block;
}

// The candidates. If several have the lowest cost, the first one is taken.
std::vector<BlockedStep> blocked_steps(CpuIsa isa, const PermutePlan& base) {
    const ShuffleLayout& l = base.layout;
    const int64_t block_bytes = l.src_axis.block * l.element, pixels = base.pixels.count;
    const bool far = machine().is_far(base.bytes);
    std::vector<BlockedStep> steps;
    for (const CpuIsa code : code_for(isa)) {
        const bool may_near = may_be_near(base, code);
        const int64_t vector_bytes = limits_of(code, static_cast<int>(l.element)).vector_bytes;
        // A longer step of near sources would only repeat the operations of one vector, or of two pixels. For far tensors a step may be
        // longer: it may write a whole line to each block.
        const int64_t longest_near =
            std::max<int64_t>((far ? kLineBytes : vector_bytes) / block_bytes, 2);
        const auto add = [&](int64_t step, bool single) {
            steps.push_back({code, step, single, false});
            if (may_near && (single || step <= longest_near))
                steps.push_back({code, step, single, true});
        };
        // The whole of a small image may be one step. An image of one pixel has no shorter one.
        if (pixels == 1 || pixels * block_bytes <= kSingleStepVectors * vector_bytes)
            add(pixels, true);
        std::set<int64_t> shorter;
        for (const int64_t vectors : {1, 2, 4})
            shorter.insert(std::max<int64_t>(vectors * vector_bytes / block_bytes, 1));
        for (const int64_t step : shorter)
            if (step < pixels) add(step, false);
    }
    return steps;
}

PermutePlan candidate_of(const BlockedStep& step, std::shared_ptr<const Operations> lowered,
                         const PermutePlan& base) {
    PermutePlan candidate = base;
    candidate.code = step.code;
    candidate.step_pixels = step.pixels;
    const ShuffleLayout& l = base.layout;
    const int64_t wanted = std::max(machine().tile_bytes() / (l.C * l.element),
                                    kMinTileBytesPerBlock / (l.src_axis.block * l.element));
    candidate.tile_pixels = std::max<int64_t>(wanted / step.pixels, 1) * step.pixels;
    candidate.operations = std::move(lowered);
    return candidate;
}

// The number of steps for the pixels of a block. The second step is moved back to an aligned address, and the last one to the end of the
// block. If blocks begin anywhere in a line, the result is an average.
double steps_of_block(const BlockedStep& step, const PermutePlan& plan) {
    if (step.single) return 1;
    const int64_t pixels = plan.pixels.count, each = step.pixels;
    const int64_t places = kLineBytes / std::min(plan.pixels.dst.stride, kLineBytes);  // in a line
    const int64_t nearest = plan.layout.dst_axis.stride % kLineBytes == 0
                                ? each
                                : std::max(each - places + 1, int64_t{1});
    int64_t sum = 0;
    for (int64_t second = nearest; second <= each; ++second)
        sum += 2 + (std::max<int64_t>(pixels - each - second, 0) + each - 1) / each;
    return static_cast<double>(sum) / static_cast<double>(each - nearest + 1);
}

// How many sections a step has, repeats included.
double sections_of(const Operations& operations) {
    double sections = 0;
    for (const Operations::Section& section : operations.sections)
        sections += static_cast<double>(section.loop.repeats);
    return sections;
}

// The cost of all pixels of an image, in cycles.
double image_cycles(const BlockedStep& step, const PermutePlan& candidate) {
    const Operations& lowered = *candidate.operations;
    const double sections = sections_of(lowered);
    const double cycles =
        steps_of_block(step, candidate) * (lowered.cycles + kReloadCycles * lowered.reloaded_lines +
                                           step_cycles(candidate) * sections) +
        lowered.run_cycles;
    const bool takes_longer = step.code == CpuIsa::avx2 ? lowered.transposes : step.single;
    return step.near_sources && takes_longer ? kNearFactor * cycles : cycles;
}

// The cycles that the program gains by bypassing the caches, for all pixels of an image.
double gain_of(const PermutePlan& candidate) {
    if (!machine().is_far(candidate.bytes) || !bypasses_caches(candidate)) return 0;
    const double lines = candidate.operations->stored_lines /
                         static_cast<double>(candidate.step_pixels) *
                         static_cast<double>(candidate.pixels.count);
    return machine().row.streamed_gain * static_cast<double>(kLineBytes) * lines;
}

// The lowerings of the program for a layout, in which staged blocks have the stride of the plan's stage.
Lowerings lowerings_of(const PermutePlan& plan, ShuffleLayout layout, const BlockedStep& step) {
    if (plan.stages_src) layout.src_axis.stride = plan.staged_stride;
    if (plan.stages_dst) layout.dst_axis.stride = plan.staged_stride;
    PermuteProgram program =
        blocked_program(layout, step.pixels, step.single, step.near_sources,
                        limits_of(step.code, static_cast<int>(layout.element)));
    program.in_l1 = fits_l1(plan.bytes);
    const bool may_crowd = !program.in_l1 && !machine().is_far(plan.bytes);
    program.crowds_src = may_crowd && !plan.stages_src;
    program.crowds_dst = may_crowd && !plan.stages_dst;
    return cached_lowerings(program, step.code);
}

// The cheapest plan of those that stage tiles, if it is cheaper than `best`; otherwise `best`.
PermutePlan choose_staged(CpuIsa isa, const PermutePlan& base, PermutePlan best) {
    const ShuffleLayout& l = base.layout;
    const auto blocks = static_cast<double>(l.C) / static_cast<double>(l.src_axis.block);
    for (const BlockedStep& step : blocked_steps(isa, base)) {
        if (step.single) continue;
        PermutePlan staged = base;
        staged.code = step.code;
        staged.step_pixels = step.pixels;
        if (!stage(staged)) continue;
        constexpr std::pair<bool, bool> kSides[] = {{true, false}, {false, true}, {true, true}};
        for (const auto& [stages_src, stages_dst] : kSides) {
            // Near sources write many blocks of the destination at once, which crowd the sets too.
            if (step.near_sources && !stages_dst) continue;
            if (!stages_src && staged.tile_pixels * l.src_axis.block * l.element < kMinUnstagedRun)
                continue;
            staged.stages_src = stages_src;
            staged.stages_dst = stages_dst;
            for (const auto& lowered : lowerings_of(staged, l, step)) {
                if (!stages_src && sections_of(*lowered) * kMinStagedBlocks > blocks) continue;
                staged.operations = lowered;
                staged.cycles = image_cycles(step, staged) + staging_cycles(staged);
                if (staged.cycles < best.cycles) best = staged;
            }
        }
    }
    return best;
}

Result<PermutePlan> choose_blocked(CpuIsa isa, const ShuffleDesc& desc) {
    const PermutePlan base = TOMBOLA_TRY(begin_blocked(desc));
    const ShuffleLayout& l = base.layout;
    const ShuffleLayout sample = with_fewer_channels(l);
    const bool far = machine().is_far(base.bytes);
    PermutePlan best = base;
    BlockedStep cheapest{};
    for (const BlockedStep& step : blocked_steps(isa, base))
        for (const auto& lowered : lowerings_of(base, sample, step)) {
            PermutePlan candidate = candidate_of(step, lowered, base);
            // In memory, programs that write several blocks at once through the caches took up to 1.7 times as long on Zen 4.
            if (step.near_sources && far && !bypasses_caches(candidate)) continue;
            candidate.cycles = image_cycles(step, candidate) - gain_of(candidate);
            if (candidate.cycles >= best.cycles) continue;
            cheapest = step;
            best = std::move(candidate);
        }
    if (sample.C < l.C) {
        best.operations = lowerings_of(base, l, cheapest).front();
        best.cycles *= static_cast<double>(l.C) / static_cast<double>(sample.C);
    } else if (!far && !fits_l1(base.bytes) && crowds_sets(l)) {
        return choose_staged(isa, base, std::move(best));
    }
    return best;
}

// ---- both ----------------------------------------------------------------------------------------------------

class PermuteShuffle : public Executable {
  public:
    // A kernel for destinations of one alignment, and the work of an execution with this kernel.
    struct Way {
        JitFunction<PermuteArgs> kernel;
        int64_t alignment;
        bool streams;  // bypasses the caches
        Work work;
    };

    // ways: in descending order of speed. The last one serves destinations of any alignment.
    PermuteShuffle(const ShuffleDesc& desc, const PermutePlan& plan, std::vector<Way> ways)
        : desc_(desc),
          padding_(plan.layout.has_padding ? Padding(desc.dst) : Padding()),
          plan_(plan),
          images_(plan.layout.loops.iterations()),
          tiles_(std::max<int64_t>(plan.pixels.count / plan.tile_pixels, 1)),
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
            const StreamingStores stores(way->streams);
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
        const bool prefetches = !plan.is_staged() && machine().prefetches_sources(plan.bytes);
        const Sources sources = prefetches ? prefetched_sources(run_bytes(plan)) : Sources::plain;
        const auto bytes = static_cast<size_t>(plan.bytes);
        std::vector<PermuteShuffle::Way> ways;
        for (const auto& [way, alignment] : streaming_of(plan)) {
            auto kernel = TOMBOLA_TRY(permute_function(plan.code, way, sources, plan.operations));
            ways.push_back({std::move(kernel), alignment, true, work_of(0, bytes, bytes / 2)});
        }
        auto kernel = TOMBOLA_TRY(
            permute_function(plan.code, stores, sources, plan.operations, unrolled(plan)));
        ways.push_back({std::move(kernel), 1, false, moving(bytes)});
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
