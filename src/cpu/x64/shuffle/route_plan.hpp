// SPDX-License-Identifier: Apache-2.0
#pragma once

// A transpose of K registers, K a power of two: each of K outputs takes equally many units, n, from each of K
// sources. To permute what an output takes out of each source would cost K permutes an output. Instead every unit
// moves twice within its register and changes the register between, by blends that outputs share:
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
// So an output costs two permutes and log2 K blends. Where an ISA permutes units within lanes of 16 bytes only, a
// transpose is one of lanes, and two of them lie side by side in the registers.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/x64/shuffle/permute_program.hpp"

namespace tombola::impl::cpu::x64 {

struct Route {
    // Bytes of memory side by side in a register, and the order that its units are brought to: unit i becomes the
    // one that was at order[i].
    struct Register {
        std::vector<Piece> pieces;  // of 16, 32 or 64 bytes, one size in a register
        std::array<uint8_t, 64> order;
    };
    std::vector<Register> sources, outputs;

    int K() const { return static_cast<int>(sources.size()); }
    int stages() const;  // log2 K
};

struct RoutePlan {
    struct Section {
        std::vector<Route> routes;
        SectionLoop loop;
    };

    int unit;
    int lane_bytes;  // within which units are permuted: a register, or 16 bytes, of which all do the same
    ProgramLoop loop;
    std::vector<Section> sections;
    double cycles;  // estimate for one inner step of every section
};

// How many registers a transpose may have; 0 if `isa` has none for units of that size.
int max_transposed(CpuIsa isa, int unit);

// None if the program is not made of transposes of 4 to max_transposed() registers.
std::optional<RoutePlan> plan_routes(const PermuteProgram& program, CpuIsa isa);

}  // namespace tombola::impl::cpu::x64
