// SPDX-License-Identifier: Apache-2.0
#pragma once

// The layouts whose permute programs are tested.

#include <cstdint>
#include <vector>

#include "common/cpu_isa.hpp"
#include "cpu/shuffle/shuffle_layout.hpp"

namespace tombola::impl::cpu::x64 {

inline constexpr int64_t kPixels = 11;

// The one in force, as ctest runs this for each; none if it generates no code.
inline std::vector<CpuIsa> isas_in_force() {
    if (effective_isa() == CpuIsa::none) return {};
    return {effective_isa()};
}

inline ShuffleLayout side_by_side(int64_t Q, int64_t G, int64_t E) {
    ShuffleLayout layout;
    layout.C = Q * G;
    layout.Q = Q;
    layout.G = G;
    layout.element = layout.inner = E;
    layout.src_axis = layout.dst_axis = {E, 1, E};
    return layout;
}

// Images of kPixels pixels, whose channels lie in blocks.
inline ShuffleLayout in_blocks(int64_t Q, int64_t G, int64_t E, int64_t block) {
    ShuffleLayout layout = side_by_side(Q, G, E);
    layout.src_axis = layout.dst_axis = {kPixels * block * E, block, E};
    return layout;
}

}  // namespace tombola::impl::cpu::x64
