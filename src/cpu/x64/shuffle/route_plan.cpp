// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/route_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "cpu/x64/vec_traits.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kLeastPiece = 16, kLeastRegisters = 4;
// What a store over two cache lines costs, measured in the second-level cache: more than elsewhere, as all outputs of a
// transpose are stored together.
constexpr double kSplitCycles = 7;

// Puts pieces side by side into registers; none if they do not fill them.
std::vector<Route::Register> fill_registers(const std::vector<Piece>& pieces, int vector_bytes) {
    std::vector<Route::Register> registers;
    int filled = vector_bytes;
    for (const Piece& piece : pieces) {
        if (piece.bytes < kLeastPiece || vector_bytes % piece.bytes != 0) return {};
        if (filled == vector_bytes) {
            registers.push_back({});
            filled = 0;
        }
        auto& side_by_side = registers.back().pieces;
        if (!side_by_side.empty() && side_by_side[0].bytes != piece.bytes) return {};
        side_by_side.push_back(piece);
        filled += piece.bytes;
    }
    if (filled != vector_bytes) return {};
    return registers;
}

// The extents in vectors, or whole where they are shorter.
std::vector<Piece> pieces_of(const std::vector<Extent>& extents, int vector_bytes) {
    std::vector<Piece> pieces;
    for (const Extent& extent : extents)
        for (int64_t at = extent.begin; at < extent.end; at += vector_bytes)
            pieces.push_back(
                {at, static_cast<int>(std::min<int64_t>(extent.end - at, vector_bytes))});
    return pieces;
}

// Where a unit is and where it goes: register and unit within it, of sources and of outputs.
struct Unit {
    int source, from, output, to;
};

// Empty if some unit is padding, or in no source.
std::vector<Unit> units_of(const PermuteSection& section, int unit,
                           const std::vector<Route::Register>& sources, int vector_bytes) {
    std::vector<Unit> units;
    int64_t at = 0;  // in the outputs' registers, one behind the other
    for (const PermuteOutput& output : section.outputs)
        for (const int64_t offset : output.source) {
            int found = -1, from = 0;
            for (size_t w = 0; w < sources.size() && found < 0; ++w) {
                from = 0;
                for (const Piece& piece : sources[w].pieces) {
                    if (piece.offset <= offset && offset < piece.offset + piece.bytes) {
                        found = static_cast<int>(w);
                        from += static_cast<int>(offset - piece.offset);
                        break;
                    }
                    from += piece.bytes;
                }
            }
            if (found < 0) return {};
            units.push_back({found, from / unit, static_cast<int>(at / vector_bytes),
                             static_cast<int>(at % vector_bytes) / unit});
            at += unit;
        }
    return units;
}

// Numbers what belongs together: outputs that take from one source, sources that one output takes from.
std::vector<int> components(const std::vector<Unit>& units, size_t sources) {
    std::vector<int> component(sources);
    std::iota(component.begin(), component.end(), 0);
    std::vector<int> first_source(sources, -1);  // of each output
    for (const Unit& u : units) {
        int& first = first_source[static_cast<size_t>(u.output)];
        if (first < 0) first = u.source;
        const int from = component[static_cast<size_t>(u.source)];
        const int to = component[static_cast<size_t>(first)];
        if (from != to) std::replace(component.begin(), component.end(), from, to);
    }
    return component;
}

// The transpose of the units, all of one component; a route without sources if they are none.
Route transpose(const std::vector<Unit>& units, const std::vector<Route::Register>& sources,
                const std::vector<Route::Register>& outputs, int lanes) {
    Route route;
    std::vector<int> source_index(sources.size(), -1), output_index(outputs.size(), -1);
    for (const Unit& u : units) {
        int& w = source_index[static_cast<size_t>(u.source)];
        if (w < 0) {
            w = route.K();
            route.sources.push_back(sources[static_cast<size_t>(u.source)]);
        }
        int& o = output_index[static_cast<size_t>(u.output)];
        if (o < 0) {
            o = static_cast<int>(route.outputs.size());
            route.outputs.push_back(outputs[static_cast<size_t>(u.output)]);
        }
    }
    const int K = route.K();
    if ((K & (K - 1)) != 0 || K < kLeastRegisters || route.outputs.size() != route.sources.size() ||
        lanes % K != 0)
        return {};
    const int n = lanes / K;
    std::vector<int> placed(static_cast<size_t>(K * K));
    for (const Unit& u : units) {
        const int w = source_index[static_cast<size_t>(u.source)];
        const int o = output_index[static_cast<size_t>(u.output)];
        int& count = placed[static_cast<size_t>(w * K + o)];
        if (count == n) return {};
        const int lane = (w - o + K) % K * n + count++;
        route.sources[static_cast<size_t>(w)].order[static_cast<size_t>(lane)] =
            static_cast<uint8_t>(u.from);
        route.outputs[static_cast<size_t>(o)].order[static_cast<size_t>(u.to)] =
            static_cast<uint8_t>(lane);
    }
    return route;
}

// The section as transposes; none if it is not made of such.
std::vector<Route> routes_of(const PermuteSection& section, int unit, int vector_bytes,
                             int max_registers) {
    std::vector<Extent> stores;
    for (const PermuteOutput& output : section.outputs)
        stores.push_back({output.dst_offset,
                          output.dst_offset + static_cast<int64_t>(output.source.size()) * unit});
    const auto sources = fill_registers(pieces_of(section.extents, vector_bytes), vector_bytes);
    const auto outputs = fill_registers(pieces_of(stores, vector_bytes), vector_bytes);
    if (sources.empty() || sources.size() != outputs.size()) return {};
    const auto units = units_of(section, unit, sources, vector_bytes);
    if (units.empty()) return {};
    const std::vector<int> component = components(units, sources.size());
    std::vector<Route> routes;
    for (size_t c = 0; c < sources.size(); ++c) {
        std::vector<Unit> members;
        for (const Unit& u : units)
            if (component[static_cast<size_t>(u.source)] == static_cast<int>(c))
                members.push_back(u);
        if (members.empty()) continue;
        Route route = transpose(members, sources, outputs, vector_bytes / unit);
        if (route.K() == 0 || route.K() > max_registers) return {};
        routes.push_back(std::move(route));
    }
    return routes;
}

// Blends run on two ports or more, permutes, inserts and extracts on one; indices are loaded beside the sources.
double cycles_of(const Route& route) {
    const double blends = route.K() * route.stages();
    double permutes = 0, stores = 0;
    for (const Route::Register& r : route.sources) permutes += static_cast<double>(r.pieces.size());
    for (const Route::Register& r : route.outputs) stores += static_cast<double>(r.pieces.size());
    permutes += stores;
    return std::max({(blends + permutes) / 2, permutes, stores});
}

}  // namespace

int Route::stages() const {
    int stages = 0;
    while (1 << stages < K()) ++stages;
    return stages;
}

namespace {

// The bytes within which `isa` can permute units of that size: a register, or a lane of one.
int permuted_bytes(CpuIsa isa, int unit) {
    if (isa == CpuIsa::avx2) return unit < 4 ? 16 : 32;
    return unit == 1 && isa < CpuIsa::avx512_core_vbmi ? 0 : 64;
}

// Two transposes of as many lanes side by side, as one of registers.
Route side_by_side(const Route& low, const Route& high, int lane_bytes, int unit) {
    Route both = low;
    const auto join = [&](Route::Register& to, const Route::Register& from) {
        const int64_t next = to.pieces[0].offset + lane_bytes;
        if (from.pieces[0].offset == next && from.pieces[0].bytes == lane_bytes)
            to.pieces[0].bytes = 2 * lane_bytes;
        else
            to.pieces.insert(to.pieces.end(), from.pieces.begin(), from.pieces.end());
        const auto units = static_cast<size_t>(lane_bytes / unit);
        for (size_t i = 0; i < units; ++i)
            to.order[units + i] = static_cast<uint8_t>(units + from.order[i]);
    };
    for (size_t i = 0; i < both.sources.size(); ++i) {
        join(both.sources[i], high.sources[i]);
        join(both.outputs[i], high.outputs[i]);
    }
    return both;
}

// Lanes in pairs; the last without a partner goes with itself.
std::vector<Route> paired(const std::vector<Route>& lanes, int lane_bytes, int unit) {
    std::vector<Route> pairs;
    for (size_t i = 0; i < lanes.size();) {
        const size_t partner = i + 1 < lanes.size() && lanes[i + 1].K() == lanes[i].K() ? i + 1 : i;
        pairs.push_back(side_by_side(lanes[i], lanes[partner], lane_bytes, unit));
        i = partner + 1;
    }
    return pairs;
}

}  // namespace

int max_transposed(CpuIsa isa, int unit) {
    return permuted_bytes(isa, unit) == 0 ? 0 : shape_of(isa).registers / 2;
}

std::optional<RoutePlan> plan_routes(const PermuteProgram& program, CpuIsa isa) {
    const int max_registers = max_transposed(isa, program.unit);
    const int lane_bytes = permuted_bytes(isa, program.unit);
    if (lane_bytes == 0) return std::nullopt;
    RoutePlan plan{program.unit, lane_bytes, loop_of(program), {}, 0};
    for (const PermuteSection& section : program.sections) {
        RoutePlan::Section planned{routes_of(section, program.unit, lane_bytes, max_registers),
                                   loop_of(section)};
        if (planned.routes.empty()) return std::nullopt;
        if (lane_bytes < shape_of(isa).bytes)
            planned.routes = paired(planned.routes, lane_bytes, program.unit);
        double cycles = kSplitCycles * split_stores(program, section);
        for (const Route& route : planned.routes) cycles += cycles_of(route);
        plan.cycles += static_cast<double>(section.repeats) * cycles;
        plan.sections.push_back(std::move(planned));
    }
    return plan;
}

}  // namespace tombola::impl::cpu::x64
