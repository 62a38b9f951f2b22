// SPDX-License-Identifier: Apache-2.0
#pragma once

// All planning functions, one per implementation. The tables in cpu/lists/lists.cpp name them.

#include "common/implementation.hpp"

namespace tombola::impl::cpu {

// Portable implementations: the operator's definition in C++, for every type and layout. They ignore the ISA.
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

// Implementations with generated kernels, for the ISA of the row.
namespace x64 {

// A row of a shuffle for AVX-512 uses code for AVX2 where that costs less on this machine.

// For layouts in blocks of channels, such as nChw16c.
Result<PlanPtr> plan_blocked_shuffle(CpuIsa isa, const ShuffleDesc& desc);
// For every innermost axis, such as the channels of nhwc, and for blocks that follow one another, as in images of one pixel.
Result<PlanPtr> plan_interleaved_shuffle(CpuIsa isa, const ShuffleDesc& desc);
// For every axis but the innermost, such as the channels of nchw.
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
