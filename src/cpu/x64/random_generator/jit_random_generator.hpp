// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/implementation.hpp"

namespace tombola::impl::cpu::x64 {

// random_generator on the Philox kernels, every layout.
template <CpuIsa isa>
struct JitRandomGenerator {
    using Desc = RandomGeneratorDesc;
    static Result<Plan> plan(const Desc& desc);
    static Result<std::unique_ptr<Executable>> create(const Desc& desc, const Plan& plan);
};

}  // namespace tombola::impl::cpu::x64
