// SPDX-License-Identifier: Apache-2.0
#pragma once

// multinomial: class indices, drawn with probabilities proportional to weights.

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct MultinomialDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::multinomial;
    // The types of SRC.
    static constexpr std::array kTypes = kFloatTypes;
    MemoryDesc src;  // weights or logits, [batch, classes]
    MemoryDesc dst;  // class indices, [batch, samples]
    bool with_replacement = true;
    bool log_probs = false;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    static constexpr auto fields() {
        return std::make_tuple(field("src", &MultinomialDesc::src),
                               field("dst", &MultinomialDesc::dst),
                               field("with_replacement", &MultinomialDesc::with_replacement),
                               field("log_probs", &MultinomialDesc::log_probs),
                               default_field("global_seed", &MultinomialDesc::global_seed),
                               default_field("op_seed", &MultinomialDesc::op_seed));
    }
};

}  // namespace tombola::impl
