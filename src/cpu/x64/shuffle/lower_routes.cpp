// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <utility>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/vec_traits.hpp"

// A transpose of K registers, K a power of two: each of K outputs takes equally many units, n, from each of K
// sources. Permuting each source for each output would cost K permutes per output. Instead every unit moves twice
// within its register. Between the two moves it changes the register, by blends that outputs share:
//
//   permute   source w, so that its n units for output o lie in section d = (w - o) mod K of the register
//   blend     log2 K times over all: T[i] = T[i], and in the sections d with bit s set, T[i + 2^s mod K]
//   permute   T[o], whose section d comes from source o + d mod K, into the order of the output
//
// K = 4, n = 1 (the letter is the source, the digit the output):
//
//   sources    a0 a1 a2 a3    permuted   a0 a3 a2 a1    s = 0   a0 b0 a2 b2    s = 1   a0 b0 c0 d0
//              b0 b1 b2 b3               b1 b0 b3 b2            b1 c1 b3 c3            b1 c1 d1 a1
//              c0 c1 c2 c3               c2 c1 c0 c3            c2 d2 c0 d0            c2 d2 a2 b2
//              d0 d1 d2 d3               d3 d2 d1 d0            d3 a3 d1 a1            d3 a3 b3 c3
//
// So an output costs two permutes and log2 K blends. If an ISA permutes units only within lanes of 16 bytes, a
// transpose works on lanes, and two transposes lie side by side in the registers.

namespace tombola::impl::cpu::x64 {
namespace {

using Kind = Operation::Kind;

constexpr int kMinPiece = 16, kMinRegisters = 4;
// The cycles of a store that crosses a cache line, measured in the second-level cache. They are more than elsewhere,
// because all outputs of a transpose are stored together.
constexpr double kSplitCycles = 7;

// Pieces of memory side by side in a register, and the order into which its units are brought: unit i becomes the unit
// that was at order[i].
struct Register {
    std::vector<Piece> pieces;  // of 16, 32 or 64 bytes, one size in a register
    std::array<uint8_t, 64> order;
};

struct Route {
    std::vector<Register> sources, outputs;
    int K() const { return static_cast<int>(sources.size()); }
};

// Puts pieces side by side into registers; none if they do not fill them.
std::vector<Register> fill_registers(const std::vector<Piece>& pieces, int vector_bytes) {
    std::vector<Register> registers;
    int filled = vector_bytes;
    for (const Piece& piece : pieces) {
        if (piece.bytes < kMinPiece || vector_bytes % piece.bytes != 0) return {};
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

// Empty if a unit is padding or is in no source. Pieces are in ascending order and fill registers one after the other.
std::vector<Unit> units_of(const PermuteProgram& program, const PermuteSection& section,
                           const std::vector<Piece>& pieces, int vector_bytes) {
    std::vector<int64_t> starts;  // of each piece, in the concatenated registers of the sources
    int64_t start = 0;
    for (const Piece& piece : pieces) {
        starts.push_back(start);
        start += piece.bytes;
    }
    std::vector<Unit> units;
    int64_t at = 0;  // in the concatenated registers of the outputs
    for (const PermuteOutput& output : section.outputs)
        for (int i = 0; i < output.units; ++i, at += program.unit) {
            const int64_t offset = program.source(output)[i];
            const auto above =
                std::upper_bound(pieces.begin(), pieces.end(), offset,
                                 [](int64_t o, const Piece& piece) { return o < piece.offset; });
            if (above == pieces.begin()) return {};
            const auto piece = static_cast<size_t>(above - pieces.begin()) - 1;
            if (offset >= pieces[piece].offset + pieces[piece].bytes) return {};
            const int64_t from = starts[piece] + offset - pieces[piece].offset;
            units.push_back({static_cast<int>(from / vector_bytes),
                             static_cast<int>(from % vector_bytes) / program.unit,
                             static_cast<int>(at / vector_bytes),
                             static_cast<int>(at % vector_bytes) / program.unit});
        }
    return units;
}

// Numbers the connected components: an output is connected with every source that it takes from.
std::vector<int> components(const std::vector<Unit>& units, size_t sources) {
    std::vector<int> component(sources);
    std::iota(component.begin(), component.end(), 0);
    std::vector<int> first_source(sources, kNone);  // of each output
    for (const Unit& u : units) {
        int& first = first_source[u.output];
        if (first == kNone) first = u.source;
        const int from = component[u.source];
        const int to = component[first];
        if (from != to) std::replace(component.begin(), component.end(), from, to);
    }
    return component;
}

// The transpose of the units, which are all of one component. A route without sources if the units are not a transpose.
Route transpose(const std::vector<Unit>& units, const std::vector<Register>& sources,
                const std::vector<Register>& outputs, int lanes) {
    Route route;
    std::vector<int> source_index(sources.size(), kNone), output_index(outputs.size(), kNone);
    for (const Unit& u : units) {
        int& w = source_index[u.source];
        if (w == kNone) {
            w = route.K();
            route.sources.push_back(sources[u.source]);
        }
        int& o = output_index[u.output];
        if (o == kNone) {
            o = static_cast<int>(route.outputs.size());
            route.outputs.push_back(outputs[u.output]);
        }
    }
    const int K = route.K();
    if ((K & (K - 1)) != 0 || K < kMinRegisters || route.outputs.size() != route.sources.size() ||
        lanes % K != 0)
        return {};
    const int n = lanes / K;
    std::vector<int> placed(static_cast<size_t>(K * K));
    for (const Unit& u : units) {
        const int w = source_index[u.source];
        const int o = output_index[u.output];
        int& count = placed[w * K + o];
        if (count == n) return {};
        const int lane = (w - o + K) % K * n + count++;
        route.sources[w].order[lane] = static_cast<uint8_t>(u.from);
        route.outputs[o].order[u.to] = static_cast<uint8_t>(lane);
    }
    return route;
}

// The section as a list of transposes; empty if it is not made of transposes.
std::vector<Route> routes_of(const PermuteProgram& program, const PermuteSection& section,
                             int vector_bytes, int max_registers) {
    std::vector<Extent> stores;
    for (const PermuteOutput& output : section.outputs)
        stores.push_back({output.dst_offset, output.dst_offset + program.bytes(output)});
    const auto pieces = pieces_of(section.extents, vector_bytes);
    const auto sources = fill_registers(pieces, vector_bytes);
    if (sources.empty()) return {};
    const auto outputs = fill_registers(pieces_of(stores, vector_bytes), vector_bytes);
    if (sources.size() != outputs.size()) return {};
    const auto units = units_of(program, section, pieces, vector_bytes);
    if (units.empty()) return {};
    const std::vector<int> component = components(units, sources.size());
    std::vector<Route> routes;
    for (size_t c = 0; c < sources.size(); ++c) {
        std::vector<Unit> members;
        for (const Unit& u : units)
            if (component[u.source] == static_cast<int>(c)) members.push_back(u);
        if (members.empty()) continue;
        Route route = transpose(members, sources, outputs, vector_bytes / program.unit);
        if (route.K() == 0 || route.K() > max_registers) return {};
        routes.push_back(std::move(route));
    }
    return routes;
}

// The bytes within which units of that size are permuted: a register, or a lane of one. 0: not at all, as vectors of 64
// bytes are not blended in lanes.
int permuted_bytes(CpuIsa isa, int unit) {
    const VecShape shape = shape_of(isa);
    if (unit >= shape.permutes_from) return shape.bytes;
    return shape.masks ? 0 : 16;
}

// Two transposes of equally many lanes, side by side, as one transpose of registers.
Route side_by_side(const Route& low, const Route& high, int lane_bytes, int unit) {
    Route both = low;
    const auto join = [&](Register& to, const Register& from) {
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

// Joins transposes of lanes in pairs. The last one without a partner is paired with itself.
std::vector<Route> paired(const std::vector<Route>& lanes, int lane_bytes, int unit) {
    std::vector<Route> pairs;
    for (size_t i = 0; i < lanes.size();) {
        const size_t partner = i + 1 < lanes.size() && lanes[i + 1].K() == lanes[i].K() ? i + 1 : i;
        pairs.push_back(side_by_side(lanes[i], lanes[partner], lane_bytes, unit));
        i = partner + 1;
    }
    return pairs;
}

class RouteLowering {
  public:
    RouteLowering(const PermuteProgram& program, CpuIsa isa)
        : program_(program),
          unit_(program.unit),
          lane_bytes_(permuted_bytes(isa, program.unit)),
          vector_bytes_(shape_of(isa).bytes),
          max_registers_(shape_of(isa).registers / 2),
          to_(program, vector_bytes_) {}

    std::optional<Operations> lower() {
        if (lane_bytes_ == 0) return std::nullopt;
        for (const PermuteSection& section : program_.sections) {
            auto routes = routes_of(program_, section, lane_bytes_, max_registers_);
            if (routes.empty()) return std::nullopt;
            if (in_lanes()) routes = paired(routes, lane_bytes_, unit_);
            // In addition to the values: one free register for the rings, and one for indices.
            to_.begin_section(max_registers_ + 2);
            for (size_t first = 0, end; first < routes.size(); first = end) {
                int used = 0;
                for (end = first; end < routes.size() && used + routes[end].K() <= max_registers_;
                     ++end)
                    used += routes[end].K();
                lower_together(&routes[first], &routes[0] + end);
            }
            to_.end_section(section, kSplitCycles);
        }
        return to_.take();
    }

  private:
    bool in_lanes() const { return lane_bytes_ < vector_bytes_; }

    // Lowers routes that fit into the registers together. Stores are sorted by ascending address, because two vectors
    // that share a cache line are best stored one after the other.
    void lower_together(const Route* first, const Route* end) {
        std::vector<std::pair<const Register*, int>> outputs;
        for (const Route* route = first; route != end; ++route) {
            std::vector<int> values;
            for (const Register& source : route->sources)
                values.push_back(permute(source, load(source.pieces)));
            blend(values);
            for (size_t o = 0; o < values.size(); ++o)
                outputs.emplace_back(&route->outputs[o], values[o]);
        }
        std::stable_sort(outputs.begin(), outputs.end(), [](const auto& a, const auto& b) {
            return a.first->pieces[0].offset < b.first->pieces[0].offset;
        });
        for (const auto& [output, value] : outputs) {
            const int permuted = permute(*output, value);
            int position = 0;
            for (const Piece& piece : output->pieces)
                to_.store(permuted, piece.offset, piece.bytes, position++);
        }
    }

    int load(const std::vector<Piece>& pieces) {
        int value = to_.load(pieces[0].offset, pieces[0].bytes);
        for (size_t i = 1; i < pieces.size(); ++i)
            value = to_.insert(value, pieces[i].offset, pieces[i].bytes, static_cast<int>(i));
        return value;
    }

    // T[i] = T[i], or T[i + 2^s mod K] in the sections whose number has bit s. The registers i, i + 2^s, i + 2 * 2^s ...
    // form a ring, which is processed in order.
    void blend(std::vector<int>& values) {
        const int K = static_cast<int>(values.size());
        const int section_bytes = lane_bytes_ / K, width = std::min(section_bytes, 4);
        for (int stage = 0; 1 << stage < K; ++stage) {
            const std::vector<int> before = values;
            Operation o{Kind::blend, vector_bytes_, width};
            for (int bit = 0; bit < vector_bytes_ / width; ++bit)
                if ((bit * width % lane_bytes_ / section_bytes >> stage & 1) != 0)
                    o.mask |= uint64_t{1} << bit;
            for (int first = 0; first < 1 << stage; ++first)
                for (int i = first; i < K; i += 1 << stage) {
                    o.a = before[i];
                    o.b = before[static_cast<size_t>((i + (1 << stage)) % K)];
                    values[i] = to_.emit(o);
                }
        }
    }

    int permute(const Register& r, int value) {
        bool moves = false;
        for (int i = 0; i < vector_bytes_ / unit_; ++i) moves = moves || r.order[i] != i;
        if (!moves) return value;
        // Indices count bytes, words, or double words: two of these for a unit of 8. Within a lane they count from its
        // start.
        const int width = in_lanes() ? 1 : std::min(unit_, 4), parts = unit_ / width;
        Table indices{};
        for (int i = 0; i < vector_bytes_ / width; ++i) {
            const int from = r.order[i / parts] * parts + i % parts;
            indices[i * width] = static_cast<uint8_t>(from % (lane_bytes_ / width));
        }
        Operation o{in_lanes() ? Kind::permute_lanes : Kind::permute, vector_bytes_, width};
        o.a = value;
        o.table = to_.table(indices);
        return to_.emit(o);
    }

    const PermuteProgram& program_;
    int unit_;
    int lane_bytes_;  // units are permuted within this many bytes: a register, or 16 bytes, where all lanes do the same
    int vector_bytes_, max_registers_;
    Lowering to_;
};

}  // namespace

int max_transposed(CpuIsa isa, int unit) {
    return permuted_bytes(isa, unit) == 0 ? 0 : shape_of(isa).registers / 2;
}

std::optional<Operations> lower_to_routes(const PermuteProgram& program, CpuIsa isa) {
    return RouteLowering(program, isa).lower();
}

}  // namespace tombola::impl::cpu::x64
