// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/shuffle/permute_kernels.hpp"

#include <utility>

#include "cpu/x64/shuffle/lane_kernel.hpp"
#include "cpu/x64/shuffle/route_kernel.hpp"
#include "cpu/x64/shuffle/window_kernel.hpp"

namespace tombola::impl::cpu::x64 {

bool uses_windows(CpuIsa isa, int unit) {
    return isa >= CpuIsa::avx512_core_vbmi || (isa >= CpuIsa::avx512_core && unit >= 2);
}

PermuteLimits limits_of(CpuIsa isa, int unit) {
    const int transposed = max_transposed(isa, unit);
    if (uses_windows(isa, unit)) return {WindowPlan::kVectorBytes, true, 64 * 64, 32, transposed};
    return {32, false, 64 * 32, 16, transposed};
}

PermutePlan plan_permutes(const PermuteProgram& program, CpuIsa isa) {
    const auto cheaper = [&](auto plan) -> PermutePlan {
        auto routes = plan_routes(program, isa);
        if (routes && routes->cycles < plan.cycles) return std::move(*routes);
        return plan;
    };
    return uses_windows(isa, program.unit) ? cheaper(plan_windows(program, isa))
                                           : cheaper(plan_lanes(program));
}

double cycles_of(const PermutePlan& plan) {
    return std::visit([](const auto& p) { return p.cycles; }, plan);
}

namespace {

template <class Kernel>
Result<std::shared_ptr<const PermuteKernel>> make(const typename Kernel::Key& key) {
    auto kernel = make_kernel<Kernel>(key);
    if (!kernel.ok()) return kernel.take_status();
    return std::shared_ptr<const PermuteKernel>(kernel.take());
}

}  // namespace

Result<std::shared_ptr<const PermuteKernel>> make_permute_kernel(const PermutePlan& plan,
                                                                 CpuIsa isa) {
    if (const auto* windows = std::get_if<WindowPlan>(&plan))
        return make<WindowKernel>({isa, windows});
    if (const auto* routes = std::get_if<RoutePlan>(&plan)) return make<RouteKernel>({isa, routes});
    return make<LaneKernel>({isa, &std::get<LanePlan>(plan)});
}

}  // namespace tombola::impl::cpu::x64
