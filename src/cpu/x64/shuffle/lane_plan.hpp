// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a permute program is carried out with the byte shuffle that all ISAs have, vpshufb, which works within
// lanes of 16 bytes: each lane of an output is put together from the 16-byte pieces of the source that hold its
// bytes, shuffled and or'ed.

#include <array>
#include <cstdint>
#include <vector>

#include "cpu/x64/shuffle/permute_program.hpp"

namespace tombola::impl::cpu::x64 {

struct LanePlan {
    static constexpr int kLaneBytes = 16;
    static constexpr int kMaxLanes = 4;

    // One load a lane (one for all if they follow each other), one shuffle. Control bytes of 0x80 give zero.
    struct Term {
        std::array<int64_t, kMaxLanes> offsets;
        std::array<int, kMaxLanes> load_bytes;  // 16, or 8 or 4 where the extent is shorter
        std::array<uint8_t, kLaneBytes * kMaxLanes> control;
    };
    struct Output {
        int64_t dst_offset;
        int bytes;  // 4, 8, 16, 32 or 64
        int lanes() const { return bytes <= kLaneBytes ? 1 : bytes / kLaneBytes; }
        std::vector<Term> terms;
    };
    struct Section {
        std::vector<Output> outputs;
        SectionLoop loop;
    };

    ProgramLoop loop;
    std::vector<Section> sections;
    double cycles;  // estimate for one inner step of every section
};

LanePlan plan_lanes(const PermuteProgram& program);

// Whether the lanes of a term are one contiguous load.
bool is_contiguous(const LanePlan::Term& term, int lanes);

}  // namespace tombola::impl::cpu::x64
