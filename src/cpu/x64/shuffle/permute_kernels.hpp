// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernel for a permute program on an ISA, and what it will cost.

#include <memory>
#include <variant>

#include "common/cpu_isa.hpp"
#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/x64/shuffle/lane_plan.hpp"
#include "cpu/x64/shuffle/permute_kernel.hpp"
#include "cpu/x64/shuffle/route_plan.hpp"
#include "cpu/x64/shuffle/shuffle_programs.hpp"
#include "cpu/x64/shuffle/window_plan.hpp"

namespace tombola::impl::cpu::x64 {

using PermutePlan = std::variant<WindowPlan, LanePlan, RoutePlan>;

// Whether `isa` works on whole vectors (WindowKernel), or on lanes (LaneKernel): AVX2 has no permute of two
// registers, AVX-512 without VBMI none of bytes.
bool uses_windows(CpuIsa isa, int unit);
PermuteLimits limits_of(CpuIsa isa, int unit);

PermutePlan plan_permutes(const PermuteProgram& program, CpuIsa isa);
double cycles_of(const PermutePlan& plan);

Result<std::shared_ptr<const PermuteKernel>> make_permute_kernel(const PermutePlan& plan,
                                                                 CpuIsa isa);

// A plan for the executable E, which takes the descriptor, what was chosen for it, and the kernel of chosen.plan.
template <class E, class Chosen>
Result<PlanPtr> plan_permuted(CpuIsa isa, const ShuffleDesc& desc, Result<Chosen> chosen) {
    TOMBOLA_TRY(chosen.take_status());
    return make_plan(0,
                     [isa, desc, chosen = chosen.take()]() -> Result<std::unique_ptr<Executable>> {
                         auto kernel = make_permute_kernel(chosen.plan, isa);
                         TOMBOLA_TRY(kernel.take_status());
                         return make_executable<E>(desc, chosen, kernel.take());
                     });
}

}  // namespace tombola::impl::cpu::x64
