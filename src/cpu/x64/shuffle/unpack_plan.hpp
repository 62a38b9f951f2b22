// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides which lanes of the source go through networks of unpacks, and where their results are stored. It emits nothing: lower_unpacks.cpp
// emits the operations.
//
//   section --> lanes that are stored --> tiles (networks of half a register) --> networks (of whole registers)
//
// A network of unpacks works on lanes of 16 bytes. A lane has N = 2^n units, and K = 2^k registers hold one lane each:
//
//   level     register 2i + h = half h of the registers i and i + K/2, unit by unit
//
// The number of a unit is the number of its register followed by its place in the lane, as bits. Each level rotates the bits of the number
// to the left by one. So after L levels, k <= L <= n, the unit at place p of output j is the one whose number has these bits:
//
//   the low L bits of p, then the k bits of j, then the other bits of p
//
// N = 4, K = 4 (the letter is the register, the digit the place):
//
//   loads   a0 a1 a2 a3    L = 1   a0 c0 a1 c1    L = 2   a0 b0 c0 d0
//           b0 b1 b2 b3            a2 c2 a3 c3            a1 b1 c1 d1
//           c0 c1 c2 c3            b0 d0 b1 d1            a2 b2 c2 d2
//           d0 d1 d2 d3            b2 d2 b3 d3            a3 b3 c3 d3
//
// So L = n levels make a transpose. If there are fewer registers than units in a lane, a lane of the source has several rows. L = k < n
// levels make outputs that interleave rows: two rows if L = 1, four if L = 2. The units of an output determine where the lanes of the
// registers begin. Outputs with the same lanes form a tile.
//
// Tiles are found, output by output, or cut from the matrix that the channels form. In a cut, every N rows and N columns are a tile, and
// the last rows are a tile of fewer rows. A column then goes on from tile to tile. A lane that is stored may have the end of one column,
// the whole of another, and the start of a third.
//
// A lane of the source may begin within a block and end in the next one. It is then aligned from two loads. A lane that is stored consists
// of at most four segments of outputs, one after the other. They are joined by the same instruction.
//
// If a block has 8 bytes, a lane has two pixels. In a network, their units lie side by side and count as units of twice the size.
//
// The two lanes of a register belong to two tiles, mostly of two pixels. A tile with K = N that has no such partner is folded: its
// registers have the lanes i and i + N/2. The level that would join these two comes last; it is a permute of pieces of 8 bytes, after which
// a register has the outputs 2j and 2j + 1. A pair of tiles with K = N = 16 has more values than there are registers.

#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "cpu/x64/shuffle/operations.hpp"

namespace tombola::impl::cpu::x64 {

struct UnpackPlan {
    static constexpr int kZeros = -2;  // in place of a network: units that are zero
    static constexpr int kMaxSegments = 4;

    // So many units of one output of a network, from the place `skipped` on.
    struct Segment {
        int network = kNone;
        int output = 0, skipped = 0, units = 0;
        bool is_other = false;  // the segment is in the other lane than Part::lane

        auto fields() const { return std::tie(network, output, skipped, units, is_other); }
        bool operator<(const Segment& other) const { return fields() < other.fields(); }
        bool operator==(const Segment& other) const { return fields() == other.fields(); }
    };
    // A lane that is stored, or less.
    struct Part {
        int64_t dst;
        int bytes;
        // The segments, one after the other. Later ones may have no units.
        std::array<Segment, kMaxSegments> from;
        int lane = kNone;  // of the registers; kNone: either
    };
    // One lane of a register, 16 bytes: bytes `moved` to 15 of the lane at `first`, then the first `moved` bytes of the lane at `next`.
    // Both may be the same lane.
    struct SourceLane {
        bool is_used = false;  // if not, the lane may have any value
        int64_t first = 0, next = 0;
        int moved = 0;

        bool is_one_load() const { return first == next; }
    };
    struct Network {
        bool folded;
        int levels;  // of unpacks
        std::vector<std::array<SourceLane, 2>> registers;
        uint32_t outputs = 0;  // bit j: output j is stored. It is register j after the last level
    };

    int unit;             // bytes, in the network
    bool has_two_pixels;  // in a lane
    std::vector<Network> networks;
    std::vector<Part> parts;
};

// How tiles are made. `found`: output by output, with K < N, the fewest levels and, among these, the fewest registers. The others are cut
// from the matrix. If `folded`, tiles with K = N = 16 have no partner.
enum class UnpackTiles { found, folded, paired };

// Returns nothing if no network of unpacks makes the outputs from lanes of the source.
std::optional<UnpackPlan> plan_unpacks(const PermuteProgram& program, const PermuteSection& section,
                                       UnpackTiles tiles);

}  // namespace tombola::impl::cpu::x64
