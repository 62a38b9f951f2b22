// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/implementation.hpp"

namespace tombola::impl::cpu::x64 {

// random_uniform, alignment tensorflow, on the Philox kernels: every type and every layout.
template <CpuIsa isa>
struct JitTensorflowUniform {
    using Desc = RandomUniformDesc;
    static Result<Plan> plan(const Desc& desc);
    static Result<std::unique_ptr<Executable>> create(const Desc& desc, const Plan& plan);
};

}  // namespace tombola::impl::cpu::x64
