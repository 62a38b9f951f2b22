// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lowerings of permute programs, kept from one primitive descriptor to the next. Shuffles that differ in the size of the batch or
// of the images mostly have the same programs, and to lower all candidates takes nearly all the time of planning.

#include <memory>
#include <vector>

#include "cpu/x64/shuffle/operations.hpp"

namespace tombola::impl::cpu::x64 {

using Lowerings = std::vector<std::shared_ptr<const Operations>>;

// What all_lowerings() returns, and perhaps some results that cost more than `max_cycles`. The programs that were used last are kept, up to a
// few MiB. Thread-safe.
Lowerings cached_lowerings(const PermuteProgram& program, CpuIsa isa,
                           double max_cycles = kAnyCycles);

}  // namespace tombola::impl::cpu::x64
