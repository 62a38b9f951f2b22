// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_normal: normal numbers with a mean and a standard deviation.

#include <array>
#include <vector>

#include "common/primitives/random_fill.hpp"

namespace tombola::impl {

struct RandomNormalDesc : RandomFillDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_normal;
    // The types of DST.
    static constexpr std::array kTypes = kFloatTypes;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;
};

}  // namespace tombola::impl
