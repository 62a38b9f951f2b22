// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shuffles whose channels lie side by side, one by one or in blocks, on the permuting kernels.

#include <memory>

#include "common/implementation.hpp"

namespace tombola::impl::cpu::x64 {

// nhwc and every innermost axis.
template <CpuIsa isa>
struct JitInterleavedShuffle {
    using Desc = ShuffleDesc;
    static Result<Plan> plan(const ShuffleDesc& desc);
    static Result<std::unique_ptr<Executable>> create(const ShuffleDesc& desc, const Plan& plan);
};

// nChw16c and its like.
template <CpuIsa isa>
struct JitBlockedShuffle {
    using Desc = ShuffleDesc;
    static Result<Plan> plan(const ShuffleDesc& desc);
    static Result<std::unique_ptr<Executable>> create(const ShuffleDesc& desc, const Plan& plan);
};

}  // namespace tombola::impl::cpu::x64
