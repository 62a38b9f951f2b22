// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/implementation.hpp"

namespace tombola::impl::cpu {

// random_uniform, alignment tensorflow, in plain C++: every type and every layout.
class PortableTensorflowUniform {
  public:
    using Desc = RandomUniformDesc;
    static Result<Plan> plan(const Desc& desc);
    static Result<std::unique_ptr<Executable>> create(const Desc& desc, const Plan& plan);
};

}  // namespace tombola::impl::cpu
