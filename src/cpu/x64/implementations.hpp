// SPDX-License-Identifier: Apache-2.0
#pragma once

// The implementations by generated kernels. Each plans for the ISA that its row of the table names.

#include "common/implementation.hpp"

namespace tombola::impl::cpu::x64 {

// nChw16c and its like.
Result<PlanPtr> plan_blocked_shuffle(CpuIsa isa, const ShuffleDesc& desc);
// nhwc and every innermost axis.
Result<PlanPtr> plan_interleaved_shuffle(CpuIsa isa, const ShuffleDesc& desc);
// nchw and every axis but the innermost.
Result<PlanPtr> plan_row_shuffle(CpuIsa isa, const ShuffleDesc& desc);
Result<PlanPtr> plan_random_generator(CpuIsa isa, const RandomGeneratorDesc& desc);
Result<PlanPtr> plan_tensorflow_uniform(CpuIsa isa, const RandomUniformDesc& desc);
Result<PlanPtr> plan_pytorch_uniform(CpuIsa isa, const RandomUniformDesc& desc);
Result<PlanPtr> plan_multinomial(CpuIsa isa, const MultinomialDesc& desc);

}  // namespace tombola::impl::cpu::x64
