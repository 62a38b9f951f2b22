// SPDX-License-Identifier: Apache-2.0

// The choice for channels in blocks.

#include <algorithm>
#include <set>
#include <utility>

#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/lowering_cache.hpp"
#include "cpu/x64/shuffle/permute_plan.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// All destination blocks are written for one tile of pixels before the next tile. Several destination blocks read the same source block, so
// the source blocks of a tile stay in the first-level cache or near it.
constexpr int64_t kMinTileBytesPerBlock = 2048;
constexpr int64_t kMaxBlocks = 4096;
constexpr int64_t kSingleStepVectors = 8;
constexpr int64_t kMinBytes = 4;  // minimum of pixels * block; lower_lanes.cpp stores no fewer
// Near sources: sections that write several blocks at once (blocked_program()). With them, transposes by AVX2 and whole images by AVX-512
// take this many times as long as their cost says. Measured on Sapphire Rapids alone.
constexpr double kNearFactor = 1.15;
// Beyond the second-level cache, near sources are candidates only for images of at most this many blocks. On Zen 4, in the third-level
// cache, shuffles of 25 to 46 blocks took up to 4.2 times as long with near sources.
constexpr int64_t kMaxNearBlocks = 16;
// The cycles of a load from the second-level cache, of a line that another section of the same pixels has loaded before. Measured on Zen 4
// alone.
constexpr double kReloadCycles = 2;
// If only the destination is staged, a tile has at least this many bytes of each block of the source. Shorter runs of loads from the
// second-level cache took 1.5 times as long on Zen 4.
constexpr int64_t kMinUnstagedRun = 4 * kLineBytes;
// If only the destination is staged, a section writes at least this many blocks on average. Stores to fewer blocks crowd no set. Staging
// them took up to 1.5 times as long on Zen 4.
constexpr double kMinStagedBlocks = 4;
// A program with more operations than this takes longer than the cost of its operations: see MachineRow::long_program. Measured on Zen 5
// alone.
constexpr double kMaxShortProgram = 700;
// MachineRow::near_store counts at most this many stores of a section. More stores took no longer. Measured on Zen 5 alone.
constexpr int64_t kMaxNearStores = 32;
// The minimum of MachineRow::near_store applies if destination blocks are a multiple of this many bytes apart. For other distances it gained
// nothing.
constexpr int64_t kNearStoreStride = 512;

Result<PermutePlan> begin_blocked(const ShuffleDesc& desc) {
    PermutePlan base = TOMBOLA_TRY(begin_plan(desc));
    ShuffleLayout& l = base.layout;
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

// Whether one step takes all pixels of an image.
bool is_single_step(const PermutePlan& plan) { return plan.step_pixels == plan.pixels.count; }

// Whether steps of near sources are candidates. Between Machine::near_sources_bytes() and far tensors they are not: they write too many
// blocks at once, and took up to five times as long. For far tensors they are, because open_lines excludes programs that write too many
// blocks.
bool may_be_near(const PermutePlan& base, CpuIsa code) {
    const int64_t bytes = base.bytes;
    if (bytes <= machine().caches.l2) return true;
    const bool far = base.is_far();
    const int64_t alias = far ? machine().row.far_alias : machine().row.near_alias;
    if (code == CpuIsa::avx2 && alias > 0 && base.layout.dst_axis.stride % alias == 0) return false;
    return (bytes <= machine().near_sources_bytes() || far) &&
           base.layout.C <= kMaxNearBlocks * base.layout.src_axis.block;
}

// The candidates, without their operations. If several have the lowest cost, the first one is taken.
std::vector<PermutePlan> blocked_plans(CpuIsa isa, const PermutePlan& base) {
    const ShuffleLayout& l = base.layout;
    const int64_t block_bytes = l.src_axis.block * l.element, pixels = base.pixels.count;
    const int64_t tile =
        std::max(machine().tile_bytes() / (l.C * l.element), kMinTileBytesPerBlock / block_bytes);
    const bool far = base.is_far();
    std::vector<PermutePlan> plans;
    for (const CpuIsa code : code_for(isa)) {
        const bool may_near = may_be_near(base, code);
        const int64_t vector_bytes = limits_of(code, static_cast<int>(l.element)).vector_bytes;
        // A longer step of near sources would only repeat the operations of one vector, or of two pixels. For far tensors a step may be
        // longer: it may write a whole line to each block.
        const int64_t longest_near =
            std::max<int64_t>((far ? kLineBytes : vector_bytes) / block_bytes, 2);
        const auto add = [&](int64_t step) {
            PermutePlan plan = base;
            plan.code = code;
            plan.step_pixels = step;
            plan.tile_pixels = std::max<int64_t>(tile / step, 1) * step;
            plans.push_back(plan);
            plan.near_sources = true;
            if (may_near && (is_single_step(plan) || step <= longest_near)) plans.push_back(plan);
        };
        // The whole of a small image may be one step. An image of one pixel has no shorter one.
        if (pixels == 1 || pixels * block_bytes <= kSingleStepVectors * vector_bytes) add(pixels);
        std::set<int64_t> shorter;
        for (const int64_t vectors : {1, 2, 4})
            shorter.insert(std::max<int64_t>(vectors * vector_bytes / block_bytes, 1));
        for (const int64_t step : shorter)
            if (step < pixels) add(step);
    }
    return plans;
}

// The number of steps for the pixels of a block. The second step is moved back to an aligned address, and the last one to the end of the
// block. If blocks begin anywhere in a line, the result is an average.
double steps_of_block(const PermutePlan& plan) {
    if (is_single_step(plan)) return 1;
    const int64_t pixels = plan.pixels.count, each = plan.step_pixels;
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
template <class Program>
double sections_of(const Program& program) {
    double sections = 0;
    for (const auto& section : program.sections)
        sections += static_cast<double>(section.loop.repeats);
    return sections;
}

// How many lines the program stores for all pixels of an image.
double lines_of_image(const PermutePlan& candidate) {
    return candidate.operations->stored_lines / static_cast<double>(candidate.step_pixels) *
           static_cast<double>(candidate.pixels.count);
}

// The extra cycles of a program of many operations, for all pixels of an image.
double long_program_cycles(const PermutePlan& candidate) {
    // Programs for very many blocks are compared on fewer channels, so how long their own code is, is not known here.
    const ShuffleLayout& l = candidate.layout;
    if (l.C > kManyBlocks * l.src_axis.block) return 0;
    const auto operations = static_cast<double>(candidate.operations->size());
    return machine().row.long_program * static_cast<double>(candidate.tiles()) *
           std::max(operations - kMaxShortProgram, 0.0);
}

// The minimum cost of all pixels of an image, for programs of near sources. There is none if the destination is staged: the program then
// writes to the stack, which was not measured.
double least_near_cycles(const PermutePlan& candidate) {
    const MachineRow& row = machine().row;
    const bool in_l2 = !fits_l1(candidate.bytes) && candidate.bytes <= machine().caches.l2;
    const bool share_sets = candidate.layout.dst_axis.stride % kNearStoreStride == 0;
    if (row.near_store == 0 || !in_l2 || !share_sets || candidate.stages_dst) return 0;
    int64_t most = 0;
    for (const Operations::Section& section : candidate.operations->sections) {
        const auto& list = section.list;
        most = std::max<int64_t>(most, std::count_if(list.begin(), list.end(),
                                                     [](const auto& o) { return o.is_store(); }));
    }
    const auto stores = static_cast<double>(std::min(most, kMaxNearStores));
    return lines_of_image(candidate) * (row.copy_cycles + row.near_store * stores);
}

// The cost of all pixels of an image, in cycles.
double image_cycles(const PermutePlan& candidate) {
    const Operations& lowered = *candidate.operations;
    const double sections = sections_of(lowered);
    const double cycles =
        steps_of_block(candidate) * (lowered.cycles + kReloadCycles * lowered.reloaded_lines +
                                     step_cycles(candidate) * sections) +
        lowered.run_cycles + long_program_cycles(candidate);
    if (!candidate.near_sources) return cycles;
    const bool takes_longer =
        candidate.code == CpuIsa::avx2 ? lowered.transposes : is_single_step(candidate);
    return std::max(takes_longer ? kNearFactor * cycles : cycles, least_near_cycles(candidate));
}

// The cycles that the program gains by bypassing the caches, for all pixels of an image.
double gain_of(const PermutePlan& candidate) {
    if (!candidate.is_far() || !bypasses_caches(candidate)) return 0;
    return machine().row.streamed_gain * static_cast<double>(kLineBytes) *
           lines_of_image(candidate);
}

// An upper bound of gain_of() for programs of this layout. A step stores fewer than twice the bytes that it writes, because only the last vector
// of a range overlaps another one, and a vector is not longer than the range.
double max_gain_of(const PermutePlan& plan, const ShuffleLayout& layout) {
    if (!plan.is_far()) return 0;
    const int64_t channels = layout.blocks() * layout.src_axis.block;
    return machine().row.streamed_gain *
           static_cast<double>(2 * channels * layout.element * plan.pixels.count);
}

// The program for a layout, in which staged blocks have the stride of the plan's stage.
PermuteProgram program_of(const PermutePlan& plan, ShuffleLayout layout) {
    if (plan.stages_src) layout.src_axis.stride = plan.staged_stride;
    if (plan.stages_dst) layout.dst_axis.stride = plan.staged_stride;
    PermuteProgram program =
        blocked_program(layout, plan.step_pixels, is_single_step(plan), plan.near_sources,
                        limits_of(plan.code, static_cast<int>(layout.element)));
    program.in_l1 = fits_l1(plan.bytes);
    const bool may_crowd = !program.in_l1 && !plan.is_far();
    program.crowds_src = may_crowd && !plan.stages_src;
    program.crowds_dst = may_crowd && !plan.stages_dst;
    return program;
}

// The cheapest plan of those that stage tiles, if it is cheaper than `best`; otherwise `best`.
PermutePlan choose_staged(CpuIsa isa, const PermutePlan& base, PermutePlan best) {
    const ShuffleLayout& l = base.layout;
    const auto blocks = static_cast<double>(l.C) / static_cast<double>(l.src_axis.block);
    for (PermutePlan& staged : blocked_plans(isa, base)) {
        if (is_single_step(staged) || !stage(staged)) continue;
        constexpr std::pair<bool, bool> kSides[] = {{true, false}, {false, true}, {true, true}};
        for (const auto& [stages_src, stages_dst] : kSides) {
            // Near sources write many blocks of the destination at once, which crowd the sets too.
            if (staged.near_sources && !stages_dst) continue;
            if (!stages_src && staged.tile_pixels * l.src_axis.block * l.element < kMinUnstagedRun)
                continue;
            staged.stages_src = stages_src;
            staged.stages_dst = stages_dst;
            const double staging = staging_cycles(staged);
            if (staging >= best.cycles) continue;
            const PermuteProgram program = program_of(staged, l);
            if (!stages_src && sections_of(program) * kMinStagedBlocks > blocks) continue;
            const double max_cycles = (best.cycles - staging) / steps_of_block(staged);
            for (const auto& lowered : cached_lowerings(program, staged.code, max_cycles)) {
                staged.operations = lowered;
                staged.cycles = image_cycles(staged) + staging;
                if (staged.cycles < best.cycles) best = staged;
            }
        }
    }
    return best;
}

}  // namespace

Result<PermutePlan> choose_blocked(CpuIsa isa, const ShuffleDesc& desc) {
    const PermutePlan base = TOMBOLA_TRY(begin_blocked(desc));
    const ShuffleLayout& l = base.layout;
    const ShuffleLayout sample = with_fewer_channels(l);
    const bool far = base.is_far();
    // A program gains at most this by bypassing the caches. So a program that costs more than the best plan and this gain together is never
    // chosen, and its lowering may stop.
    const double max_gain = max_gain_of(base, sample);
    PermutePlan best = base;
    for (PermutePlan& candidate : blocked_plans(isa, base)) {
        const double max_cycles = (best.cycles + max_gain) / steps_of_block(candidate);
        for (const auto& lowered :
             cached_lowerings(program_of(candidate, sample), candidate.code, max_cycles)) {
            candidate.operations = lowered;
            // In memory, programs that write several blocks at once through the caches took up to 1.7 times as long on Zen 4.
            if (candidate.near_sources && far && !bypasses_caches(candidate)) continue;
            candidate.cycles = image_cycles(candidate) - gain_of(candidate);
            if (candidate.cycles < best.cycles) best = candidate;
        }
    }
    if (sample.C < l.C) {
        best.operations = cached_lowerings(program_of(best, l), best.code).front();
        best.cycles *= static_cast<double>(l.C) / static_cast<double>(sample.C);
    } else if (!far && !fits_l1(base.bytes) && crowds_sets(l)) {
        return choose_staged(isa, base, std::move(best));
    }
    return best;
}

}  // namespace tombola::impl::cpu::x64
