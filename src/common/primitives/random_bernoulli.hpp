// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_bernoulli: 1 with the probability P, otherwise 0.

#include <array>
#include <tuple>
#include <vector>

#include "common/primitives/random_fill.hpp"

namespace tombola::impl {

struct RandomBernoulliDesc : RandomFillDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_bernoulli;
    // The types of DST.
    static constexpr std::array kTypes{DataType::u8,   DataType::s32, DataType::s64, DataType::f16,
                                       DataType::bf16, DataType::f32, DataType::f64};
    MemoryDesc p;  // one element, or the dimensions of dst

    // One probability for all elements: P has the dimensions [1].
    bool has_one_p() const { return p.ndims == 1 && p.dims[0] == 1; }

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::tuple_cat(RandomFillDesc::fields(),
                              std::make_tuple(field("p", &RandomBernoulliDesc::p)));
    }
};

}  // namespace tombola::impl
