// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_uniform as PyTorch's CPU generator has it, one value at a time: any type, any layout.

#include <memory>

#include "common/implementation.hpp"

namespace tombola::impl::cpu {

class PortablePytorchUniform {
  public:
    using Desc = RandomUniformDesc;
    static Result<Plan> plan(const Desc& desc);
    static Result<std::unique_ptr<Executable>> create(const Desc& desc, const Plan& plan);
};

}  // namespace tombola::impl::cpu
