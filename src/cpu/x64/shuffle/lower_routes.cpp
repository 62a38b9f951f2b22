// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "cpu/x64/shuffle/operations.hpp"
#include "cpu/x64/vec_traits.hpp"

// A transpose of K registers, where K is a power of two: each of K outputs takes n units from each of K sources.
// Permuting each source for each output would cost K permutes per output. Instead every unit moves twice within a
// register. Between these moves, blends that the outputs share bring it to another register:
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
// So an output costs two permutes and log2 K blends.
//
// Blocks begin at different places of a cache line, so only a few of the outputs of a step can be stored as whole lines. On AVX-512 the
// second permute may take units of this step and of the step before, so that the result is a whole line: Kind::store_line.

namespace tombola::impl::cpu::x64 {
namespace {

constexpr int kMinPiece = 16, kMinRegisters = 4, kMaxRuns = 8;

// A register that holds pieces of memory side by side, and a permutation of its units: unit i becomes the unit that
// was at order[i].
struct Register {
    std::vector<Piece> pieces;  // of 16, 32 or 64 bytes, one size in a register
    std::array<uint8_t, 64> order;
};

struct Route {
    std::vector<Register> sources, outputs;
    int K() const { return static_cast<int>(sources.size()); }
};

// Distributes extents of memory to registers of `bytes` bytes. A register holds one piece, or several shorter pieces of equal size. Returns
// an empty list if this is not possible.
std::vector<Register> registers_over(const std::vector<Piece>& extents, int bytes) {
    std::vector<Piece> pieces;
    for (const Piece& extent : extents)
        for (int64_t at = extent.offset; at < extent.end(); at += bytes)
            pieces.push_back({at, static_cast<int>(std::min<int64_t>(extent.end() - at, bytes))});
    std::vector<Register> registers;
    for (auto first = pieces.begin(), end = first; first != pieces.end(); first = end) {
        const int size = first->bytes, count = bytes / size;
        if (size < kMinPiece || bytes % size != 0 || pieces.end() - first < count) return {};
        end = first + count;
        if (std::any_of(first, end, [&](const Piece& piece) { return piece.bytes != size; }))
            return {};
        registers.push_back({{first, end}, {}});
    }
    return registers;
}

class RouteLowering : public Lowering {
  public:
    RouteLowering(const PermuteProgram& program, CpuIsa isa, bool by_lines)
        : Lowering(program, shape_of(isa).bytes, true),
          by_lines_(by_lines),
          units_(shape_of(isa).bytes / program.unit),
          max_registers_(shape_of(isa).registers / 2) {}

  private:
    bool lower_section(const PermuteSection& section) override {
        if (by_lines_ && !steps_fill_lines()) return false;
        const auto routes = routes_of(section);
        const auto runs = static_cast<int>(by_lines_ ? section.outputs.size() : 0);
        if (routes.empty() || runs > kMaxRuns) return false;
        // In addition to the registers of the values: one for exchange() and one for indices.
        use_registers((by_lines_ ? runs : max_registers_) + 2, runs);
        for (size_t first = 0, end; first < routes.size(); first = end) {
            int used = 0;
            for (end = first; end < routes.size() && used + routes[end].K() <= max_registers_;
                 ++end)
                used += routes[end].K();
            lower_together(&routes[first], &routes[0] + end);
        }
        return true;
    }

    // Whether each output begins where it ended in the step before, and consists of whole registers of a line's size.
    bool steps_fill_lines() const {
        return vector_bytes() == kLineBytes && program().loop.granule >= 4 &&
               program().loop.dst_step == kLineBytes && !program().loop.single_step;
    }

    // The section as a list of transposes; empty if it is not made of transposes.
    std::vector<Route> routes_of(const PermuteSection& section) const {
        const std::vector<Register> sources = registers_over(section.extents, vector_bytes());
        const std::vector<Register> outputs =
            registers_over(pieces_of(program(), section), vector_bytes());
        if (sources.size() != outputs.size()) return {};
        std::vector<int64_t> addresses;  // of the units of the sources, in ascending order
        for (const Register& source : sources)
            for (const Piece& piece : source.pieces)
                for (int i = 0; i < piece.bytes; i += unit()) addresses.push_back(piece.offset + i);
        // The index of each unit of the outputs among the units of the sources.
        std::vector<int> from;
        for (const PermuteOutput& output : section.outputs)
            for (int i = 0; i < output.units; ++i) {
                const int64_t address = program().source(output)[i];
                const auto found = std::lower_bound(addresses.begin(), addresses.end(), address);
                if (found == addresses.end() || *found != address) return {};
                from.push_back(static_cast<int>(found - addresses.begin()));
            }
        // A transpose is stored at the index of the source that holds its first unit.
        std::vector<Route> routes(sources.size());
        std::vector<bool> done(outputs.size());
        for (size_t o = 0; o < done.size(); ++o) {
            if (done[o]) continue;
            Route route = route_of(o, sources, outputs, from, done);
            if (route.K() == 0) return {};
            routes[static_cast<size_t>(from[o * units_] / units_)] = std::move(route);
        }
        routes.erase(std::remove_if(routes.begin(), routes.end(),
                                    [](const Route& route) { return route.K() == 0; }),
                     routes.end());
        return routes;
    }

    // The transpose that output `first` belongs to. Its sources are the sources of that output. Its outputs are all outputs that begin with
    // a unit of these sources; they are marked in `done`. If this is not a transpose, the returned route has no sources.
    Route route_of(size_t first, const std::vector<Register>& sources,
                   const std::vector<Register>& outputs, const std::vector<int>& from,
                   std::vector<bool>& done) const {
        Route route;
        std::vector<int> index(sources.size(), kNone);  // of a source in the route
        for (size_t i = first * units_; i < (first + 1) * units_; ++i) {
            int& w = index[from[i] / units_];
            if (w != kNone) continue;
            w = route.K();
            route.sources.push_back(sources[from[i] / units_]);
        }
        const int K = route.K();
        if ((K & (K - 1)) != 0 || K < kMinRegisters || K > max_registers_ || units_ % K != 0)
            return {};
        const int n = units_ / K;
        for (size_t output = first; output < outputs.size(); ++output) {
            const int* units = &from[output * units_];
            if (index[units[0] / units_] == kNone) continue;
            const auto o = static_cast<int>(route.outputs.size());
            if (o == K) return {};
            done[output] = true;
            route.outputs.push_back(outputs[output]);
            std::vector<int> placed(static_cast<size_t>(K));  // units of each source
            for (int i = 0; i < units_; ++i) {
                const int w = index[units[i] / units_];
                if (w == kNone || placed[w] == n) return {};
                const int place = (w - o + K) % K * n + placed[w]++;
                route.sources[w].order[place] = static_cast<uint8_t>(units[i] % units_);
                route.outputs[o].order[i] = static_cast<uint8_t>(place);
            }
        }
        return static_cast<int>(route.outputs.size()) == K ? route : Route{};
    }

    // Lowers routes that fit into the registers together. Stores are sorted by ascending address, because two vectors
    // that share a cache line are best stored one after the other.
    void lower_together(const Route* first, const Route* end) {
        std::vector<std::pair<const Register*, int>> outputs;
        for (const Route* route = first; route != end; ++route) {
            std::vector<int> values;
            for (const Register& source : route->sources)
                values.push_back(reorder(source, load_pieces(source.pieces)));
            exchange(values);
            for (size_t o = 0; o < values.size(); ++o)
                outputs.emplace_back(&route->outputs[o], values[o]);
        }
        std::stable_sort(outputs.begin(), outputs.end(), [](const auto& a, const auto& b) {
            return a.first->pieces[0].offset < b.first->pieces[0].offset;
        });
        int run = 0;
        for (const auto& [output, value] : outputs) {
            if (by_lines_) {
                store_as_line(*output, value, run++);
                continue;
            }
            const int ordered = reorder(*output, value);
            int position = 0;
            for (const Piece& piece : output->pieces) store(ordered, piece, position++);
        }
    }

    // Permutes of two registers move units of 4 or 8 bytes. Smaller units that do not stay together are moved to their places before.
    void store_as_line(const Register& output, int value, int run) {
        const int64_t at = output.pieces[0].offset;
        const int widest = static_cast<int>(std::min<int64_t>(program().loop.granule, kMaxUnit));
        for (int width = widest; width >= 4; width /= 2) {
            const auto from = [&](int i) {
                return output.order[i * width / unit()] * unit() / width;
            };
            if (stay_together(output, width))
                return store_line(width, value, indices(width, from), at, run);
        }
        const Table in_order = indices(widest, [](int i) { return i; });
        store_line(widest, reorder(output, value), in_order, at, run);
    }

    // Whether units that share `width` bytes of the output share `width` bytes of the register, in the same order.
    bool stay_together(const Register& output, int width) const {
        const int units = width / unit();
        for (int i = 0; i < vector_bytes() / unit(); ++i) {
            const int first = output.order[i - i % units];
            if (first % units != 0 || output.order[i] != first + i % units) return false;
        }
        return true;
    }

    int load_pieces(const std::vector<Piece>& pieces) {
        int value = load(pieces[0]);
        for (size_t i = 1; i < pieces.size(); ++i)
            value = insert(value, pieces[i], static_cast<int>(i));
        return value;
    }

    // For each stage s: T[i] keeps the sections whose number has bit s clear, and takes the other sections from T[i + 2^s mod K]. The
    // registers i, i + 2^s, i + 2 * 2^s, ... form a ring, which is processed in order.
    void exchange(std::vector<int>& values) {
        const int K = static_cast<int>(values.size());
        const int section_bytes = vector_bytes() / K, width = std::min(section_bytes, 4);
        for (int stage = 0; 1 << stage < K; ++stage) {
            const std::vector<int> before = values;
            uint64_t mask = 0;
            for (int bit = 0; bit < vector_bytes() / width; ++bit)
                if ((bit * width / section_bytes >> stage & 1) != 0) mask |= uint64_t{1} << bit;
            for (int first = 0; first < 1 << stage; ++first)
                for (int i = first; i < K; i += 1 << stage)
                    values[i] = blend(width, before[i], before[(i + (1 << stage)) % K], mask);
        }
    }

    // Indices count bytes, words or double words; a unit of 8 bytes has two of them.
    int reorder(const Register& r, int value) {
        const int width = std::min(unit(), 4), parts = unit() / width;
        const Table from =
            indices(width, [&](int i) { return r.order[i / parts] * parts + i % parts; });
        return moves(from, width, vector_bytes(), vector_bytes()) ? permute(width, value, from)
                                                                  : value;
    }

    bool by_lines_;
    int units_;  // units in a register
    int max_registers_;
};

}  // namespace

std::vector<Operations> lower_to_routes(const PermuteProgram& program, CpuIsa isa,
                                        double max_cycles) {
    std::vector<Operations> all;
    if (program.unit < shape_of(isa).permutes_from) return all;
    for (const bool by_lines : {false, true})
        RouteLowering(program, isa, by_lines).add_to(all, max_cycles);
    return all;
}

}  // namespace tombola::impl::cpu::x64
