// SPDX-License-Identifier: Apache-2.0
#pragma once

// The descriptors of the operators: what a caller asks for, before an implementation is chosen. Each stands in
// primitives/ with its execution's arguments and its function of the C API, which checks every argument before it fills
// a descriptor. Implementations check none again, they only say whether they serve it.

#include <variant>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/primitives/multinomial.hpp"
#include "common/primitives/random_generator.hpp"
#include "common/primitives/random_uniform.hpp"
#include "common/primitives/shuffle.hpp"
#include "common/types.hpp"

namespace tombola::impl {

using OpDesc = std::variant<ShuffleDesc, RandomGeneratorDesc, RandomUniformDesc, MultinomialDesc>;

PrimitiveKind kind_of(const OpDesc& desc);
PropKind prop_kind_of(const OpDesc& desc);
// Of all fields but the defaults.
uint64_t hash_of(const OpDesc& desc);
bool operator==(const OpDesc& a, const OpDesc& b);
// Equal also in strides that are never taken, along dimensions of one step, which == passes over.
bool identical(const OpDesc& a, const OpDesc& b);

bool same_defaults(const OpDesc& a, const OpDesc& b);
// The descriptor's seeds; (0, 0) of a primitive that has none.
Seeds seeds_of(const OpDesc& desc);

// The arguments of an execution, in a fixed order, without the scratchpad.
std::vector<ArgSpec> arg_specs(const OpDesc& desc);

}  // namespace tombola::impl
