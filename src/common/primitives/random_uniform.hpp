// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_uniform: uniform numbers in [MIN, MAX).

#include <array>
#include <tuple>
#include <vector>

#include "common/primitives/random_fill.hpp"

namespace tombola::impl {

struct RandomUniformDesc : RandomFillDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_uniform;
    // The types of DST.
    static constexpr std::array kTypes{DataType::f16, DataType::bf16, DataType::f32,
                                       DataType::f64, DataType::s32,  DataType::s64};
    IntDraws int_draws = IntDraws::spec;
    FloatDraws float_draws = FloatDraws::torch1;
    bool full_range = false;  // from 0 to the type's greatest value, without MIN and MAX

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::tuple_cat(RandomFillDesc::fields(),
                              std::make_tuple(field("int_draws", &RandomUniformDesc::int_draws),
                                              field("float_draws", &RandomUniformDesc::float_draws),
                                              field("full_range", &RandomUniformDesc::full_range)));
    }
};

}  // namespace tombola::impl
