// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_exponential: numbers with the density LAMBDA * e^(-LAMBDA * x), x >= 0.

#include <array>
#include <vector>

#include "common/primitives/random_fill.hpp"

namespace tombola::impl {

struct RandomExponentialDesc : RandomFillDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_exponential;
    // The types of DST.
    static constexpr std::array kTypes = kFloatTypes;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;
};

}  // namespace tombola::impl
