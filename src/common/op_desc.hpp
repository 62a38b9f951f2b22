// SPDX-License-Identifier: Apache-2.0
#pragma once

// The descriptors of the operators: what a caller asks for, before an implementation is chosen. Each is defined in
// primitives/, together with the arguments of an execution and the function of the C API. That function checks every
// argument before it fills the descriptor. Implementations do not check them again; they only decide whether they serve
// the descriptor.

#include <variant>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/primitives/dropout.hpp"
#include "common/primitives/multinomial.hpp"
#include "common/primitives/random_bernoulli.hpp"
#include "common/primitives/random_exponential.hpp"
#include "common/primitives/random_generator.hpp"
#include "common/primitives/random_normal.hpp"
#include "common/primitives/random_permutation.hpp"
#include "common/primitives/random_uniform.hpp"
#include "common/primitives/shuffle.hpp"
#include "common/primitives/stochastic_rounding.hpp"
#include "common/primitives/token_sampler.hpp"
#include "common/types.hpp"

namespace tombola::impl {

using OpDesc =
    std::variant<ShuffleDesc, RandomGeneratorDesc, RandomUniformDesc, MultinomialDesc,
                 RandomNormalDesc, RandomPermutationDesc, DropoutDesc, StochasticRoundingDesc,
                 TokenSamplerDesc, RandomExponentialDesc, RandomBernoulliDesc>;

PrimitiveKind kind_of(const OpDesc& desc);
PropKind prop_kind_of(const OpDesc& desc);
// The hash of all fields but the default fields (field.hpp).
uint64_t hash_of(const OpDesc& desc);
// Compares all fields but the default fields. Strides of dimensions with a single step are not used and not compared.
bool operator==(const OpDesc& a, const OpDesc& b);
// Like ==, but it also compares the strides that are not used.
bool identical(const OpDesc& a, const OpDesc& b);

// Whether the default fields are equal.
bool same_defaults(const OpDesc& a, const OpDesc& b);
// The descriptor's seeds; (0, 0) if the primitive has none.
Seeds seeds_of(const OpDesc& desc);
// Whether the numbers are those of PyTorch's generator, MT19937.
bool draws_mt19937(const OpDesc& desc);

// The arguments of an execution, in a fixed order, without the scratchpad.
std::vector<ArgSpec> arg_specs(const OpDesc& desc);

}  // namespace tombola::impl
