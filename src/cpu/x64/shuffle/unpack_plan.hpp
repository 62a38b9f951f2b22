// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which lanes of the source go through networks of unpacks, and which of the results are stored where. This decides, and emits
// nothing; lower_unpacks.cpp emits the operations.
//
//   section --> lanes that are stored --> tiles (networks of half a register) --> networks (of whole registers)
//
// A network of unpacks works on lanes of 16 bytes. A lane has N = 2^n units, and K = 2^k registers hold one lane each:
//
//   level     register 2i + h = half h of the registers i and i + K/2, unit by unit
//
// A unit is numbered by its register and its place in the lane, the register's bits first. A level rotates the bits of the
// number to the left by one. So after L levels, k <= L <= n, the output j has at its place p the unit whose number is
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
// So L = n transposes. With fewer registers than a lane has units, a lane of the source then has several rows. With L = k < n,
// outputs interleave rows: of two rows L = 1, of four L = 2. What an output needs says where the lanes of the registers begin.
// Outputs whose lanes are the same make a tile.
//
// Tiles are found, output by output, or cut from the matrix that the channels are: every N rows and N columns are a tile, and of
// the last rows as many as there are. Then a column goes on from tile to tile, and the lane that is stored may be one column's end,
// another one, and the begin of a third.
//
// A lane of blocks may begin within a block and end in the next one: then it is aligned from two loads. A lane that is stored
// consists of at most four segments of outputs, one behind the other, which are aligned likewise.
//
// Where a block has 8 bytes, a lane has two pixels. Their units lie side by side in a network, and count as units of twice the
// size.
//
// The two lanes of a register belong to two tiles, mostly of two pixels. A tile with K = N that has no such partner is folded: it
// has in its registers the lanes i and i + N/2. The level that would join them comes last, and is a permute of pieces of 8 bytes,
// after which a register has the outputs 2j and 2j + 1. A pair of tiles with K = N = 16 has more values than there are registers.

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
        bool is_other = false;  // it is in the lane that is not Part::lane

        auto fields() const { return std::tie(network, output, skipped, units, is_other); }
        bool operator<(const Segment& other) const { return fields() < other.fields(); }
        bool operator==(const Segment& other) const { return fields() == other.fields(); }
    };
    // A lane that is stored, or less.
    struct Part {
        int64_t dst;
        int bytes;
        // One behind the other. The later ones may have no units.
        std::array<Segment, kMaxSegments> from;
        int lane = kNone;  // of the registers; kNone: either
    };
    // One lane of a register, 16 bytes: those of the lane at `first` from byte `moved` on, then the first `moved` bytes of the lane at
    // `next`. Both may be the same.
    struct SourceLane {
        bool is_used = false;  // otherwise, it may have anything
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

// How tiles come about. `found`: with K < N, the fewest levels and, of these, the fewest registers. The others are cut from the
// matrix; those with K = N = 16 have no partner if `folded`.
enum class UnpackTiles { found, folded, paired };

// Empty if the outputs are not what a network of unpacks makes of lanes of the source.
std::optional<UnpackPlan> plan_unpacks(const PermuteProgram& program, const PermuteSection& section,
                                       UnpackTiles tiles);

}  // namespace tombola::impl::cpu::x64
