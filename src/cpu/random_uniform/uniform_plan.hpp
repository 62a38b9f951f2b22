// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the implementations of random_uniform share: which types they serve, and which descriptors are the other
// alignment's.

#include "common/implementation.hpp"
#include "cpu/rng/element_type.hpp"

namespace tombola::impl::cpu {

// plan(T{}) for the type of DST, if the alignment is the one that is served.
template <class Body>
Result<PlanPtr> plan_uniform(const RandomUniformDesc& desc, Alignment served, const Body& plan) {
    if (desc.alignment != served)
        return unimplemented("alignment is %s; this one serves %s", name_of(desc.alignment),
                             name_of(served));
    return with_element_type<Float16, BFloat16, float, double, int32_t, int64_t>(desc.dst.data_type,
                                                                                 plan);
}

}  // namespace tombola::impl::cpu
