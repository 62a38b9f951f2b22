// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which types the implementations of random_normal serve.

#include "common/implementation.hpp"
#include "cpu/rng/element_type.hpp"

namespace tombola::impl::cpu {

// plan(T{}) for the type of DST.
template <class Body>
Result<PlanPtr> plan_normal(const RandomNormalDesc& desc, const Body& plan) {
    return with_element_type<Float16, BFloat16, float, double>(desc.dst.data_type, plan);
}

}  // namespace tombola::impl::cpu
