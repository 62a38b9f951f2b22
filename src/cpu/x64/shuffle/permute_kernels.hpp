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

// The executable E of what was chosen for a descriptor, `plan` among it, with its kernel.
template <class E, class Chosen>
Result<std::unique_ptr<Executable>> make_permuted(const ShuffleDesc& desc, Result<Chosen> chosen,
                                                  CpuIsa isa) {
    if (!chosen.ok()) return chosen.take_status();
    auto kernel = make_permute_kernel(chosen.value().plan, isa);
    if (!kernel.ok()) return kernel.take_status();
    return std::unique_ptr<Executable>(std::make_unique<E>(desc, chosen.value(), kernel.take()));
}

}  // namespace tombola::impl::cpu::x64
