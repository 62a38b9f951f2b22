// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shuffles of rows: nchw and every axis but the innermost.

#include <memory>

#include "common/implementation.hpp"

namespace tombola::impl::cpu::x64 {

template <CpuIsa isa>
struct JitRowShuffle {
    using Desc = ShuffleDesc;
    static Result<Plan> plan(const ShuffleDesc& desc);
    static Result<std::unique_ptr<Executable>> create(const ShuffleDesc& desc, const Plan& plan);
};

}  // namespace tombola::impl::cpu::x64
