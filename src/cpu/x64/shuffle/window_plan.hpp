// SPDX-License-Identifier: Apache-2.0
#pragma once

// How AVX-512 carries out a permute program: full-width loads ("windows") of the source, and for each output
// one permutation a window it needs.

#include <cstdint>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/x64/shuffle/permute_program.hpp"

namespace tombola::impl::cpu::x64 {

struct WindowPlan {
    static constexpr int kVectorBytes = 64;
    static constexpr int kNoTerm = -1;

    struct Window {
        int64_t offset;
        int bytes;  // 64, or fewer under a mask where the extent is shorter
    };
    // Unit i of the output is the unit at byte `local` of window windows[term], or zero for kNoTerm.
    struct Unit {
        int term;
        int local;
    };
    struct Output {
        int64_t dst_offset;
        int bytes;
        std::vector<int> windows;  // indices into Section::windows
        std::vector<Unit> units;
    };
    struct Section {
        std::vector<Window> windows;
        std::vector<Output> outputs;
        SectionLoop loop;
    };

    int unit;      // granularity of the permutes, in bytes
    bool merging;  // permute every window, merge under masks; otherwise two-source permutes
    ProgramLoop loop;
    std::vector<Section> sections;
    double cycles;  // estimate for one inner step of every section
};

WindowPlan plan_windows(const PermuteProgram& program, CpuIsa isa);

}  // namespace tombola::impl::cpu::x64
