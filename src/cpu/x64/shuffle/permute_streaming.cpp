// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_plan.hpp"

#include <algorithm>
#include <map>

#include "cpu/x64/machine.hpp"
#include "cpu/x64/vec_traits.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Where the destination begins: at the start of a cache line, or at any multiple of the size of a store.
enum class Begin : uint8_t { lines, anywhere };

// The maximum number of lines that the stores of a section have begun and not completed, over consecutive steps.
int open_lines(const Operations& o, const Operations::Section& section, int64_t part, Begin begin) {
    const bool in_parts = part == kLaneBytes;
    const int64_t first = begin == Begin::anywhere ? part : 0;
    const std::vector<uint32_t> lanes = lanes_stored(section);
    std::map<int64_t, int64_t> open;  // for each open line: its stored bytes
    size_t most = 0;
    for (int64_t step = 0; step < 2; ++step)
        for (size_t i = 0; i < section.list.size(); ++i) {
            const Operation& store = section.list[i];
            if (!store.is_store()) continue;
            const int64_t to = first + store.offset + step * o.loop.dst_step;
            for (int64_t at = to; at < to + store.bytes; at += part) {
                if (in_parts && (lanes[i] >> (at - to) / part & 1) == 0) continue;
                const int64_t line = at / kLineBytes;
                // The part of the first lines that lies before the first step was stored by an earlier step.
                const int64_t stored = begin == Begin::anywhere && step == 0 ? at % kLineBytes : 0;
                const auto known = open.emplace(line, stored).first;
                known->second += part;
                most = std::max(most, open.size());
                if (known->second >= kLineBytes) open.erase(known);
            }
        }
    return static_cast<int>(most);
}

// Where the steps begin, for the number of open lines, if the destination begins as `begin` says. If steps are half a line, the same number
// of lines is open wherever the blocks begin. Steps that align begin with lines. Both apply to stores of whole registers only.
Begin begin_of_steps(const Operations& o, int64_t part, Begin begin) {
    const bool are_halves = o.loop.dst_step < kLineBytes;
    return part > kLaneBytes && (are_halves || o.loop.aligns()) ? Begin::lines : begin;
}

// The maximum number of lines that may be open. If blocks begin within lines, each step completes one line of a block and begins the next
// one. The buffer of the completed line is not free at once, so fewer lines are allowed; in long steps this matters less.
int max_open_lines(const Operations& o, Begin begin) {
    const int buffers = machine().row.open_lines;
    if (begin == Begin::lines) return buffers;
    const bool is_long = o.loop.dst_step >= 2 * kLineBytes;
    return is_long ? buffers * 4 / 5 : buffers / 2;
}

// Whether the processor has a buffer for each line that is begun and not completed.
bool has_buffers(const Operations& o, const Operations::Section& section, int64_t part,
                 Begin begin) {
    const Begin steps = begin_of_steps(o, part, begin);
    return open_lines(o, section, part, steps) <= max_open_lines(o, steps);
}

// Whether all blocks and all stores of a step are at multiples of `bytes` bytes.
bool stores_are_multiples_of(const PermutePlan& plan, int64_t bytes) {
    const LoopNest& loops = plan.layout.loops;
    const auto fits = [&](int64_t offset) { return offset % bytes == 0; };
    for (int i = 0; i < loops.depth; ++i)
        if (!fits(loops.loops[i].dst.stride)) return false;
    for (const Operations::Section& section : plan.operations->sections) {
        if (!fits(section.loop.dst_repeat)) return false;
        for (const Operation& o : section.list)
            if (o.is_store() && !fits(o.offset)) return false;
    }
    return true;
}

bool has_lines(const PermutePlan& plan) { return plan.operations->sections[0].runs > 0; }

// Whether store_line writes whole cache lines. It does if each run begins at a multiple of its unit.
bool streams_lines(const PermutePlan& plan) {
    int64_t unit = 1;
    for (const Operations::Section& section : plan.operations->sections)
        for (const Operation& o : section.list)
            if (o.is_store()) unit = std::max<int64_t>(unit, o.unit);
    return stores_are_multiples_of(plan, unit) &&
           plan.tile_pixels * plan.pixels.dst.stride % unit == 0;
}

// Whether the stores can bypass the caches in parts of `part` bytes. Each of them must store a whole register.
bool streams_in(const PermutePlan& plan, int64_t part, Begin begin) {
    // Shorter runs of a block complete few lines.
    constexpr int64_t kMinRunInParts = 512;
    const int64_t vector = shape_of(plan.code).bytes, pixel = plan.pixels.dst.stride;
    const Operations& o = *plan.operations;
    const int64_t run = plan.pixels_of_tile() * pixel;
    if (part < vector && !plan.joins_tiles && run < kMinRunInParts) return false;
    // The last step is moved back. If all steps advance by aligned distances, its own place has to be aligned, and nothing else. With
    // AVX2, interleaved pixels have to be aligned: programs of whole pixels gather there, and take more time than they gain.
    const bool steps_suffice = plan.step_pixels > 0 && (!plan.joins_tiles || vector == kLineBytes);
    const int64_t place = (steps_suffice ? plan.pixels.count - plan.step_pixels : 1) * pixel;
    for (const int64_t offset :
         {plan.dst_last, o.loop.dst_step, place, steps_suffice ? 0 : o.loop.granule})
        if (offset % part != 0) return false;
    if (!stores_are_multiples_of(plan, part)) return false;
    for (const Operations::Section& section : o.sections) {
        if (!has_buffers(o, section, part, begin)) return false;
        for (const Operation& store : section.list)
            if (store.is_store() && store.bytes != vector) return false;
    }
    return true;
}

}  // namespace

bool bypasses_caches(const PermutePlan& plan) {
    if (!plan.is_far()) return false;
    return has_lines(plan) ? streams_lines(plan)
                           : streams_in(plan, shape_of(plan.code).bytes, Begin::lines);
}

std::vector<Streaming> streaming_of(const PermutePlan& plan) {
    if (!plan.is_far()) return {};
    std::vector<Streaming> ways;
    const int64_t vector = shape_of(plan.code).bytes;
    if (bypasses_caches(plan)) {
        const bool begins_anywhere = has_lines(plan) || streams_in(plan, vector, Begin::anywhere);
        const int64_t alignment = has_lines(plan) ? kMaxUnit : vector;
        ways.push_back({Stores::streaming, begins_anywhere ? alignment : kLineBytes});
    }
    if (!has_lines(plan) && streams_in(plan, kLaneBytes, Begin::anywhere))
        ways.push_back({Stores::streaming_parts, kLaneBytes});
    return ways;
}

}  // namespace tombola::impl::cpu::x64
