// SPDX-License-Identifier: Apache-2.0
#pragma once

// token_sampler: token ids, drawn from the logits of a language model through filters.

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "common/arg_spec.hpp"
#include "common/field.hpp"
#include "common/memory_desc.hpp"
#include "common/types.hpp"

namespace tombola::impl {

struct TokenSamplerDesc {
    static constexpr PrimitiveKind kKind = PrimitiveKind::token_sampler;
    // The types of SRC.
    static constexpr std::array kTypes{DataType::f16, DataType::bf16, DataType::f32};
    MemoryDesc src;  // logits, [batch, classes]
    MemoryDesc dst;  // class indices, [batch, samples]
    FilterOrder filter_order = FilterOrder::transformers;
    Logprobs logprobs = Logprobs::none;
    dim_t top_n = 0;
    uint64_t global_seed = 0;
    uint64_t op_seed = 0;

    // The arguments of an execution, in a fixed order, without the scratchpad.
    std::vector<ArgSpec> args() const;

    dim_t batch() const { return src.dims[0]; }
    dim_t classes() const { return src.dims[1]; }
    dim_t samples() const { return dst.dims[1]; }
    // The number of words of a row of MASK.
    dim_t mask_words() const { return (classes() + 31) / 32; }

    static constexpr auto fields() {
        return std::make_tuple(field("src", &TokenSamplerDesc::src),
                               field("dst", &TokenSamplerDesc::dst),
                               field("filter_order", &TokenSamplerDesc::filter_order),
                               field("logprobs", &TokenSamplerDesc::logprobs),
                               field("top_n", &TokenSamplerDesc::top_n),
                               default_field("global_seed", &TokenSamplerDesc::global_seed),
                               default_field("op_seed", &TokenSamplerDesc::op_seed));
    }
};

}  // namespace tombola::impl
