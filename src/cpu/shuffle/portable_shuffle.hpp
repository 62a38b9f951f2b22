// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "common/implementation.hpp"

namespace tombola::impl::cpu {

// The definition in C++: any axis, any pair of layouts, any type.
struct PortableShuffle {
    using Desc = ShuffleDesc;
    static Result<Plan> plan(const ShuffleDesc& desc);
    static Result<std::unique_ptr<Executable>> create(const ShuffleDesc& desc, const Plan& plan);
};

}  // namespace tombola::impl::cpu
