// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_generator: the raw words of a counter-based generator.

#include <array>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct RandomGeneratorDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::random_generator;
    // The types of DST.
    static constexpr std::array kTypes{DataType::u32};
    GeneratorKind generator = GeneratorKind::philox4x32_10;
    MemoryDesc dst;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::make_tuple(field("generator", &RandomGeneratorDesc::generator),
                               field("dst", &RandomGeneratorDesc::dst));
    }
};

}  // namespace tombola::impl
