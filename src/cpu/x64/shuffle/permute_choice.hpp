// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the plan of a permuting shuffle is chosen:
//
//   layout in bytes -> candidate programs -> operations of each, with their cost -> the cheapest

#include <cstdint>
#include <vector>

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/x64/shuffle/permute_plan.hpp"
#include "cpu/x64/shuffle/stores.hpp"

namespace tombola::impl::cpu::x64 {

// The cheapest plan for channels that lie side by side. Fails if no program is as fast as the portable implementation.
Result<PermutePlan> choose_interleaved(CpuIsa isa, const ShuffleDesc& desc);
// The cost of `pixels` pixels of such a plan, in cycles.
double pixel_cycles(const PermutePlan& plan, int64_t pixels);

// The cheapest plan for channels in blocks.
Result<PermutePlan> choose_blocked(CpuIsa isa, const ShuffleDesc& desc);

// ---- what both share

// The bytes of source and destination together.
int64_t tensor_bytes(const ShuffleDesc& desc);
// The instruction sets whose code an implementation for `isa` may use: `isa` itself, and AVX2, whose shorter vectors suit some shuffles
// better.
std::vector<CpuIsa> code_for(CpuIsa isa);
// How far the loops of the plan's kernel are unrolled.
Unrolled unrolled(const PermutePlan& plan);
// The overhead in cycles of one step of pixels, or of one section of a step of blocks.
double step_cycles(const PermutePlan& plan);

}  // namespace tombola::impl::cpu::x64
