// SPDX-License-Identifier: Apache-2.0
#pragma once

// All planning functions: one per implementation. cpu/lists/lists.cpp has the table that names them.

#include "common/implementation.hpp"

namespace tombola::impl::cpu {

// Portable: the operator's definition in C++, for every type and layout. The ISA is ignored.
Result<PlanPtr> plan_portable_shuffle(CpuIsa isa, const ShuffleDesc& desc);
Result<PlanPtr> plan_portable_random_generator(CpuIsa isa, const RandomGeneratorDesc& desc);
Result<PlanPtr> plan_portable_tensorflow_uniform(CpuIsa isa, const RandomUniformDesc& desc);
Result<PlanPtr> plan_portable_pytorch_uniform(CpuIsa isa, const RandomUniformDesc& desc);
Result<PlanPtr> plan_portable_philox_permutation(CpuIsa isa, const RandomPermutationDesc& desc);
Result<PlanPtr> plan_portable_pytorch_permutation(CpuIsa isa, const RandomPermutationDesc& desc);
Result<PlanPtr> plan_portable_multinomial(CpuIsa isa, const MultinomialDesc& desc);
Result<PlanPtr> plan_portable_dropout(CpuIsa isa, const DropoutDesc& desc);
Result<PlanPtr> plan_portable_stochastic_rounding(CpuIsa isa, const StochasticRoundingDesc& desc);
Result<PlanPtr> plan_portable_tensorflow_normal(CpuIsa isa, const RandomNormalDesc& desc);
Result<PlanPtr> plan_portable_pytorch_normal(CpuIsa isa, const RandomNormalDesc& desc);
Result<PlanPtr> plan_portable_token_sampler(CpuIsa isa, const TokenSamplerDesc& desc);
Result<PlanPtr> plan_portable_exponential(CpuIsa isa, const RandomExponentialDesc& desc);
Result<PlanPtr> plan_portable_bernoulli(CpuIsa isa, const RandomBernoulliDesc& desc);

// By generated kernels, for the ISA of the row.
namespace x64 {

// nChw16c and its like.
Result<PlanPtr> plan_blocked_shuffle(CpuIsa isa, const ShuffleDesc& desc);
// nhwc and every innermost axis.
Result<PlanPtr> plan_interleaved_shuffle(CpuIsa isa, const ShuffleDesc& desc);
// nchw and every axis but the innermost.
Result<PlanPtr> plan_row_shuffle(CpuIsa isa, const ShuffleDesc& desc);
Result<PlanPtr> plan_random_generator(CpuIsa isa, const RandomGeneratorDesc& desc);
Result<PlanPtr> plan_tensorflow_uniform(CpuIsa isa, const RandomUniformDesc& desc);
Result<PlanPtr> plan_pytorch_uniform(CpuIsa isa, const RandomUniformDesc& desc);
Result<PlanPtr> plan_philox_permutation(CpuIsa isa, const RandomPermutationDesc& desc);
Result<PlanPtr> plan_pytorch_permutation(CpuIsa isa, const RandomPermutationDesc& desc);
Result<PlanPtr> plan_multinomial(CpuIsa isa, const MultinomialDesc& desc);
Result<PlanPtr> plan_dropout(CpuIsa isa, const DropoutDesc& desc);
Result<PlanPtr> plan_stochastic_rounding(CpuIsa isa, const StochasticRoundingDesc& desc);
Result<PlanPtr> plan_token_sampler(CpuIsa isa, const TokenSamplerDesc& desc);
Result<PlanPtr> plan_tensorflow_normal(CpuIsa isa, const RandomNormalDesc& desc);
Result<PlanPtr> plan_pytorch_normal(CpuIsa isa, const RandomNormalDesc& desc);
Result<PlanPtr> plan_exponential(CpuIsa isa, const RandomExponentialDesc& desc);
Result<PlanPtr> plan_bernoulli(CpuIsa isa, const RandomBernoulliDesc& desc);

}  // namespace x64
}  // namespace tombola::impl::cpu
