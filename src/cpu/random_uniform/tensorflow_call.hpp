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
#include "cpu/random_uniform/bounds.hpp"
#include "cpu/random_uniform/element_type.hpp"
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

// One execution: generate(bounds, call), with the Bounds<T> of the type, writes the values.
template <class Generate>
Status execute_tensorflow(const ExecContext& context, const RandomUniformDesc& desc,
                          const Generate& generate) {
    return with_uniform_type(desc.dst.data_type, [&](auto type) -> Status {
        auto bounds = resolve_bounds<decltype(type)>(context);
        TOMBOLA_TRY(bounds.take_status());
        auto call = resolve_tensorflow_call(desc, context);
        TOMBOLA_TRY(call.take_status());
        report_tensorflow_call(desc, context, call.value());
        generate(bounds.value(), call.value());
        return {};
    });
}

}  // namespace tombola::impl::cpu
