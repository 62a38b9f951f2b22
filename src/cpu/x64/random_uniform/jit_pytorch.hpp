// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_uniform as PyTorch's CPU generator has it, on generated kernels: any type, any layout.

#include <memory>

#include "common/cpu_isa.hpp"
#include "common/implementation.hpp"

namespace tombola::impl::cpu::x64 {

template <CpuIsa isa>
class JitPytorchUniform {
  public:
    using Desc = RandomUniformDesc;
    static Result<Plan> plan(const Desc& desc);
    static Result<std::unique_ptr<Executable>> create(const Desc& desc, const Plan& plan);
};

extern template class JitPytorchUniform<CpuIsa::avx2>;
extern template class JitPytorchUniform<CpuIsa::avx512_core>;

}  // namespace tombola::impl::cpu::x64
