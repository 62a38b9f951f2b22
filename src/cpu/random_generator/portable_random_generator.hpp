// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/implementation.hpp"

namespace tombola::impl::cpu {

// The definition in C++.
struct PortableRandomGenerator {
    using Desc = RandomGeneratorDesc;
    static Result<Plan> plan(const RandomGeneratorDesc& desc);
    static Result<std::unique_ptr<Executable>> create(const RandomGeneratorDesc& desc,
                                                      const Plan& plan);
};

}  // namespace tombola::impl::cpu
