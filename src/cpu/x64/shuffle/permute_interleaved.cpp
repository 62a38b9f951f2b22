// SPDX-License-Identifier: Apache-2.0

// The choice for channels that lie side by side.

#include <algorithm>
#include <utility>

#include "cpu/x64/machine.hpp"
#include "cpu/x64/shuffle/lowering_cache.hpp"
#include "cpu/x64/shuffle/permute_plan.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// If channels are this many bytes or more apart, copying rows is faster than permuting.
constexpr int64_t kMaxInner = 16;
// Above this many cycles per element, the portable implementation is as fast.
constexpr double kMaxCyclesPerElement = 0.9;
// The time of a copy within the first-level cache, relative to one within the second-level cache. The two stores of 32 bytes that limit the
// copy take 0.45 times as long there on Sapphire Rapids, and 0.49 times on Zen 4.
constexpr double kCopyInL1 = 0.5;
// In blocks: the cycles of the zeros in the padding of a pixel, and of the call that writes them. Estimated from the number of
// instructions.
constexpr double kPaddedPixel = 8, kPaddedTensor = 40;

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
    PermutePlan base = TOMBOLA_TRY(begin_plan(desc));
    ShuffleLayout& l = base.layout;
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

// The minimum cost of a step, whatever its operations are.
double least_cycles_of_step(const PixelProgram& pixel, const PermutePlan& candidate) {
    const MachineRow& row = machine().row;
    // The model assumes that no program is faster than a copy.
    const double copy = row.copy_cycles * (fits_l1(candidate.bytes) ? kCopyInL1 : 1);
    // Far programs that write to several places take longer than their costs say. With words (2 bytes) the other programs take longer too,
    // so words are left out here.
    const bool writes_far_apart =
        candidate.is_far() && candidate.layout.inner != 2 && writes_apart(pixel.program);
    const double line = writes_far_apart ? std::max(row.apart_cycles, copy) : copy;
    return line / kLineBytes * static_cast<double>(stored_bytes(pixel.program));
}

// `least`: see least_cycles_of_step().
double cycles_per_byte(const PixelProgram& pixel, const PermutePlan& candidate, double least) {
    const double cycles =
        std::max(candidate.operations->cycles + step_cycles(candidate) + load_cycles(candidate),
                 least) /
        pixel.bytes;
    return bypasses_caches(candidate) ? cycles - machine().row.streamed_gain : cycles;
}

// Whether so few operations are necessary that the program is faster than the portable implementation, which waits for memory as well.
bool gathers_fast(const PixelProgram& pixel, const PermutePlan& candidate) {
    return cycles_per_byte(pixel, candidate, 0) * static_cast<double>(candidate.layout.inner) <=
           kMaxCyclesPerElement;
}

}  // namespace

Result<PermutePlan> choose_interleaved(CpuIsa isa, const ShuffleDesc& desc) {
    PermutePlan best = TOMBOLA_TRY(begin_interleaved(desc));
    const ShuffleLayout& l = best.layout;
    const int64_t pixel_bytes = l.C * l.inner;
    const bool dense =
        best.pixels.src.stride == pixel_bytes && best.pixels.dst.stride == pixel_bytes;
    // A program gains at most this by bypassing the caches. So a program that costs more than the best plan and this gain together is never
    // chosen, and its lowering may stop.
    const double max_gain = best.is_far() ? machine().row.streamed_gain : 0;
    for (const CpuIsa code : code_for(isa)) {
        const PermuteLimits limits = limits_of(code, static_cast<int>(l.inner & -l.inner));
        for (PixelProgram& pixel : pixel_programs(l, best.pixels.count, dense, limits)) {
            pixel.program.in_l1 = fits_l1(best.bytes);
            const double least = least_cycles_of_step(pixel, best);
            if (least / pixel.bytes - max_gain >= best.cycles) continue;
            const double max_cycles = (best.cycles + max_gain) * pixel.bytes;
            // All programs that are as fast as a copy have the same cost. The first of them is taken, because its steps are short.
            for (const auto& lowered : cached_lowerings(pixel.program, code, max_cycles)) {
                PermutePlan candidate = best;
                candidate.code = code;
                candidate.step_pixels = pixel.pixels;
                candidate.src_last = pixel.src_last;
                candidate.dst_last = pixel.dst_last;
                candidate.operations = lowered;
                if (!gathers_fast(pixel, candidate)) continue;
                candidate.cycles = cycles_per_byte(pixel, candidate, least);
                if (candidate.cycles < best.cycles) best = std::move(candidate);
            }
        }
    }
    if (best.operations == nullptr)
        return unimplemented("C/G and G are too large, or a pixel is too small, for registers");
    // A step of one pixel needs no loop over steps: the kernel's outer loop goes from pixel to pixel.
    if (best.step_pixels == 1) best.step_pixels = 0;
    best.tile_pixels = std::max<int64_t>(best.step_pixels, 1);
    return best;
}

double pixel_cycles(const PermutePlan& plan, int64_t pixels) {
    const ShuffleLayout& l = plan.layout;
    const auto all = static_cast<double>(l.loops.iterations() * plan.pixels.count);
    const double padded = l.has_padding ? kPaddedPixel + kPaddedTensor / all : 0;
    return static_cast<double>(pixels) *
           (plan.cycles * static_cast<double>(l.C * l.inner) + padded);
}

}  // namespace tombola::impl::cpu::x64
