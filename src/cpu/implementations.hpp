// SPDX-License-Identifier: Apache-2.0
#pragma once

// The portable implementations: each is the operator's definition in C++, for every type and layout. Their plans
// ignore the ISA.

#include "common/implementation.hpp"

namespace tombola::impl::cpu {

Result<PlanPtr> plan_portable_shuffle(CpuIsa isa, const ShuffleDesc& desc);
Result<PlanPtr> plan_portable_random_generator(CpuIsa isa, const RandomGeneratorDesc& desc);
Result<PlanPtr> plan_portable_tensorflow_uniform(CpuIsa isa, const RandomUniformDesc& desc);
Result<PlanPtr> plan_portable_pytorch_uniform(CpuIsa isa, const RandomUniformDesc& desc);
Result<PlanPtr> plan_portable_multinomial(CpuIsa isa, const MultinomialDesc& desc);

}  // namespace tombola::impl::cpu
