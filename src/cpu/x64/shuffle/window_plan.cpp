// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/window_plan.hpp"

#include <algorithm>

namespace tombola::impl::cpu::x64 {
namespace {

using Window = WindowPlan::Window;

// Vectors side by side over each extent; the last one is moved back to end where the extent does.
std::vector<Window> windows_over(const std::vector<Extent>& extents) {
    std::vector<Window> windows;
    for (const Extent& extent : extents)
        for (const Piece& piece :
             cut_into_vectors(extent.end - extent.begin, WindowPlan::kVectorBytes, true))
            windows.push_back({extent.begin + piece.offset, piece.bytes});
    return windows;
}

bool holds(const Window& window, int64_t source, int unit) {
    return window.offset <= source && source + unit <= window.offset + window.bytes;
}

// Takes the window that serves most of the units not served yet, until none is left.
WindowPlan::Output cover(const PermuteOutput& output, int unit,
                         const std::vector<Window>& windows) {
    WindowPlan::Output plan{
        output.dst_offset, static_cast<int>(output.source.size()) * unit, {}, {}};
    plan.units.assign(output.source.size(), {WindowPlan::kNoTerm, 0});
    for (;;) {
        int best = -1, best_count = 0;
        for (size_t w = 0; w < windows.size(); ++w) {
            int count = 0;
            for (size_t i = 0; i < output.source.size(); ++i)
                count += plan.units[i].term == WindowPlan::kNoTerm &&
                         output.source[i] != kZeroSource &&
                         holds(windows[w], output.source[i], unit);
            if (count > best_count) best = static_cast<int>(w), best_count = count;
        }
        if (best < 0) return plan;
        const int term = static_cast<int>(plan.windows.size());
        plan.windows.push_back(best);
        for (size_t i = 0; i < output.source.size(); ++i)
            if (plan.units[i].term == WindowPlan::kNoTerm && output.source[i] != kZeroSource &&
                holds(windows[best], output.source[i], unit))
                plan.units[i] = {term, static_cast<int>(output.source[i] - windows[best].offset)};
    }
}

// Windows that no output takes are not loaded.
void drop_unused(WindowPlan::Section& section) {
    std::vector<int> new_index(section.windows.size(), -1);
    for (const auto& output : section.outputs)
        for (int w : output.windows) new_index[w] = 0;
    std::vector<Window> kept;
    for (size_t w = 0; w < section.windows.size(); ++w)
        if (new_index[w] == 0) {
            new_index[w] = static_cast<int>(kept.size());
            kept.push_back(section.windows[w]);
        }
    section.windows = std::move(kept);
    for (auto& output : section.outputs)
        for (int& w : output.windows) w = new_index[w];
}

}  // namespace

WindowPlan plan_windows(const PermuteProgram& program, CpuIsa isa) {
    const bool bytes_and_words = program.unit <= 2;
    WindowPlan plan{};
    plan.unit = program.unit;
    plan.merging = bytes_and_words && isa >= CpuIsa::avx512_core_vbmi;
    plan.src_step = program.src_step;
    plan.dst_step = program.dst_step;
    for (const PermuteSection& section : program.sections) {
        WindowPlan::Section planned;
        planned.windows = windows_over(section.extents);
        int permutes = 0;
        for (const PermuteOutput& output : section.outputs) {
            planned.outputs.push_back(cover(output, program.unit, planned.windows));
            const int terms = static_cast<int>(planned.outputs.back().windows.size());
            // vpermt2w is two instructions on the one port that permutes.
            permutes += plan.merging ? terms : std::max(1, terms - 1) * (program.unit == 2 ? 2 : 1);
        }
        drop_unused(planned);
        const double loads = static_cast<double>(planned.windows.size() + permutes);
        const double stores = static_cast<double>(planned.outputs.size());
        plan.cycles += std::max({static_cast<double>(permutes), loads / 2, 2 * stores});
        plan.sections.push_back(std::move(planned));
    }
    return plan;
}

}  // namespace tombola::impl::cpu::x64
