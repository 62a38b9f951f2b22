// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/window_plan.hpp"

#include <algorithm>
#include <array>

namespace tombola::impl::cpu::x64 {
namespace {

using Window = WindowPlan::Window;

// What a store over two cache lines costs, measured in the second-level cache.
constexpr double kSplitCycles = 4;

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

// The windows that hold a unit: windows ascend, and overlap at most their neighbour.
std::array<int, 2> windows_of(int64_t source, int unit, const std::vector<Window>& windows) {
    const auto above =
        std::upper_bound(windows.begin(), windows.end(), source,
                         [](int64_t at, const Window& window) { return at < window.offset; });
    const int last = static_cast<int>(above - windows.begin()) - 1;
    std::array<int, 2> found = {-1, -1};
    for (int i = 0; i < 2; ++i)
        if (last - i >= 0 && holds(windows[static_cast<size_t>(last - i)], source, unit))
            found[static_cast<size_t>(i)] = last - i;
    return found;
}

// Takes the window that serves most of the units not served yet, until none is left.
WindowPlan::Output cover(const PermuteOutput& output, int unit,
                         const std::vector<Window>& windows) {
    const size_t units = output.source.size();
    WindowPlan::Output plan{output.dst_offset, static_cast<int>(units) * unit, {}, {}};
    plan.units.assign(units, {WindowPlan::kNoTerm, 0});
    std::vector<std::array<int, 2>> candidates(units, {-1, -1});
    for (size_t i = 0; i < units; ++i)
        if (output.source[i] != kZeroSource)
            candidates[i] = windows_of(output.source[i], unit, windows);
    std::vector<int> counts(windows.size());
    for (;;) {
        std::fill(counts.begin(), counts.end(), 0);
        for (size_t i = 0; i < units; ++i)
            for (const int w : candidates[i])
                if (w >= 0) ++counts[static_cast<size_t>(w)];
        const auto most = std::max_element(counts.begin(), counts.end());
        if (*most == 0) return plan;
        const int best = static_cast<int>(most - counts.begin());
        const int term = static_cast<int>(plan.windows.size());
        plan.windows.push_back(best);
        for (size_t i = 0; i < units; ++i) {
            if (candidates[i][0] != best && candidates[i][1] != best) continue;
            candidates[i] = {-1, -1};
            plan.units[i] = {term, static_cast<int>(output.source[i] -
                                                    windows[static_cast<size_t>(best)].offset)};
        }
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
    plan.loop = loop_of(program);
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
        plan.cycles += static_cast<double>(section.repeats) *
                       (std::max({static_cast<double>(permutes), loads / 2, stores}) +
                        kSplitCycles * split_stores(program, section));
        planned.loop = loop_of(section);
        plan.sections.push_back(std::move(planned));
    }
    return plan;
}

}  // namespace tombola::impl::cpu::x64
