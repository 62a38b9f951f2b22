// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one execution of random_uniform, alignment tensorflow, draws from: the Philox stream with
//
//     counter (n_lo, n_hi, op_lo, op_hi), n = 0 at first      key (global_lo, global_hi)
//
// SRC_STATE, u64[2] {n, op}, gives the whole counter in place of the op seed. DST_STATE is where TensorFlow
// would go on: it reserves 256 blocks for each element.

#include <cstdint>

#include "common/implementation.hpp"
#include "common/op_desc.hpp"
#include "common/status.hpp"
#include "cpu/rng/philox.hpp"
#include "cpu/rng/seeds.hpp"

namespace tombola::impl::cpu {

struct TensorflowCall {
    Seeds seeds;
    PhiloxKey key;
    PhiloxCounter start;
    uint64_t offset;

    // The word at which element `element` of the tensor begins, when each takes `words`.
    Uint128 first_word(int64_t element, int words) const {
        return (Uint128{offset} + static_cast<uint64_t>(element)) * static_cast<unsigned>(words);
    }
};

Result<TensorflowCall> resolve_tensorflow_call(const RandomUniformDesc& desc,
                                               const ExecContext& context);

// Writes the optional outputs. After all that may fail.
void report_tensorflow_call(const RandomUniformDesc& desc, const ExecContext& context,
                            const TensorflowCall& call);

}  // namespace tombola::impl::cpu
