// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/lane_plan.hpp"

#include <algorithm>

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kLaneBytes = LanePlan::kLaneBytes;
constexpr uint8_t kZeroByte = 0x80;
// What a store over two cache lines costs, measured in the second-level cache.
constexpr double kSplitCycles = 4;

struct Piece16 {
    int64_t offset;
    int bytes;
};

// Where to load from for the unit at `source`: at it, or at the multiple of 16 of its extent (`on_grid`); moved
// back from the extent's end.
Piece16 piece_for(int64_t source, const std::vector<Extent>& extents, bool on_grid) {
    const auto extent = std::find_if(extents.begin(), extents.end(), [&](const Extent& e) {
        return e.begin <= source && source < e.end;
    });
    int bytes = kLaneBytes;
    while (bytes > extent->end - extent->begin) bytes /= 2;
    int64_t offset = on_grid ? source - (source - extent->begin) % bytes : source;
    return {std::min(offset, extent->end - bytes), bytes};
}

struct LanePiece {
    Piece16 piece;
    std::array<uint8_t, kLaneBytes> control;
};

// The pieces that hold a lane's units, from the lowest address up.
std::vector<LanePiece> pieces_of_lane(const int64_t* source, int units, int unit,
                                      const std::vector<Extent>& extents, bool on_grid) {
    std::vector<int> order;
    for (int i = 0; i < units; ++i)
        if (source[i] != kZeroSource) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return source[a] < source[b]; });
    std::vector<LanePiece> pieces;
    for (int i : order) {
        const bool held =
            !pieces.empty() && pieces.back().piece.offset <= source[i] &&
            source[i] + unit <= pieces.back().piece.offset + pieces.back().piece.bytes;
        if (!held) {
            pieces.push_back({piece_for(source[i], extents, on_grid), {}});
            pieces.back().control.fill(kZeroByte);
        }
        for (int byte = 0; byte < unit; ++byte)
            pieces.back().control[i * unit + byte] =
                static_cast<uint8_t>(source[i] - pieces.back().piece.offset + byte);
    }
    if (pieces.empty()) {  // nothing but padding: any load will do
        pieces.push_back({piece_for(extents.front().begin, extents, true), {}});
        pieces.back().control.fill(kZeroByte);
    }
    return pieces;
}

LanePlan::Output plan_output(const PermuteOutput& output, int unit,
                             const std::vector<Extent>& extents, bool on_grid) {
    LanePlan::Output plan{output.dst_offset, static_cast<int>(output.source.size()) * unit, {}};
    const int units = static_cast<int>(output.source.size());
    const int units_a_lane = std::min(units, kLaneBytes / unit);
    std::vector<std::vector<LanePiece>> lanes;
    size_t terms = 1;
    for (int first = 0; first < units; first += units_a_lane) {
        lanes.push_back(
            pieces_of_lane(&output.source[first], units_a_lane, unit, extents, on_grid));
        terms = std::max(terms, lanes.back().size());
    }
    for (size_t t = 0; t < terms; ++t) {
        LanePlan::Term term{};
        term.control.fill(kZeroByte);
        for (size_t lane = 0; lane < lanes.size(); ++lane) {
            // A lane with fewer pieces loads its last one again, to no effect.
            const LanePiece& piece = lanes[lane][std::min(t, lanes[lane].size() - 1)];
            term.offsets[lane] = piece.piece.offset;
            term.load_bytes[lane] = piece.piece.bytes;
            if (t < lanes[lane].size())
                std::copy(piece.control.begin(), piece.control.end(),
                          term.control.begin() + lane * kLaneBytes);
        }
        plan.terms.push_back(term);
    }
    return plan;
}

double micro_operations(const LanePlan::Output& output) {
    double operations = 1;
    for (const LanePlan::Term& term : output.terms)
        operations += 3 + (is_contiguous(term, output.lanes()) ? 0 : 2 * (output.lanes() - 1));
    return operations;
}

}  // namespace

bool is_contiguous(const LanePlan::Term& term, int lanes) {
    for (int lane = 0; lane < lanes; ++lane)
        if (term.offsets[lane] != term.offsets[0] + lane * kLaneBytes ||
            term.load_bytes[lane] != kLaneBytes)
            return false;
    return true;
}

LanePlan plan_lanes(const PermuteProgram& program) {
    LanePlan plan{};
    plan.loop = loop_of(program);
    for (const PermuteSection& section : program.sections) {
        LanePlan::Section planned;
        double cycles = kSplitCycles * split_stores(program, section);
        for (const PermuteOutput& output : section.outputs) {
            const auto loose = plan_output(output, program.unit, section.extents, false);
            const auto grid = plan_output(output, program.unit, section.extents, true);
            planned.outputs.push_back(micro_operations(grid) <= micro_operations(loose) ? grid
                                                                                        : loose);
            cycles += micro_operations(planned.outputs.back()) / 3.5;
        }
        plan.cycles += static_cast<double>(section.repeats) * cycles;
        planned.loop = loop_of(section);
        plan.sections.push_back(std::move(planned));
    }
    return plan;
}

}  // namespace tombola::impl::cpu::x64
