// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which uniform number u random_bernoulli compares with P, as doc/random_bernoulli.md defines it. An element is 1 if
// and only if u < P.
//
//     tensorflow                           u23 of one word, with P rounded to f32
//     pytorch, one P, or a tensor of f64   u53 of two words, with P in f64
//     pytorch, a tensor P of f32           u24 of one word, with P in f32

#include <cstdint>

#include "common/op_desc.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

enum class BernoulliDraw { u23, u24, u53 };

inline BernoulliDraw draw_of(const RandomBernoulliDesc& desc) {
    if (desc.alignment == Alignment::tensorflow) return BernoulliDraw::u23;
    return desc.has_one_p() || desc.p.data_type == DataType::f64 ? BernoulliDraw::u53
                                                                 : BernoulliDraw::u24;
}

constexpr int words_of(BernoulliDraw draw) { return draw == BernoulliDraw::u53 ? 2 : 1; }

// The bits of 1 in a type that random_bernoulli draws.
constexpr uint64_t one_bits(DataType type) {
    if (type == DataType::f16) return 0x3C00;
    if (type == DataType::bf16) return 0x3F80;
    if (type == DataType::f32) return 0x3F800000;
    return type == DataType::f64 ? 0x3FF0000000000000 : 1;
}

}  // namespace tombola::impl::cpu
