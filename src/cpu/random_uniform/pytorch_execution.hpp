// SPDX-License-Identifier: Apache-2.0
#pragma once

// One execution of random_uniform under the pytorch alignment, but for the making of the values: where the
// stream starts (SEEDS or SRC_STATE, then OFFSET), its parts for threads, DST_STATE and DST_SEEDS.

#include "common/implementation.hpp"
#include "common/op_desc.hpp"
#include "common/parallel.hpp"
#include "common/status.hpp"
#include "cpu/random_uniform/pytorch_draw.hpp"
#include "cpu/rng/fill.hpp"
#include "cpu/rng/mt19937.hpp"
#include "cpu/rng/mt19937_jump.hpp"

namespace tombola::impl::cpu {

// generate(state, part) writes the values of a part, whose first takes the state's next words, and leaves the
// state behind the last of them. `loops` are those of the jumps. Parts run at the same time, each with a state of its own.
Status execute_pytorch(const ExecContext& context, const RandomUniformDesc& desc,
                       int words_per_value, const MtJumpLoops& loops,
                       FunctionRef<void(Mt19937& state, const FillPart& part)> generate);

// The portable way to make a part's values.
template <class T>
void generate_pytorch(const PytorchDraw<T>& draw, Mt19937& state, const FillPart& part) {
    part.for_each_run([&](const Run& run) {
        T* to = static_cast<T*>(run.to);
        for (int64_t i = 0; i < run.count; ++i) {
            uint64_t bits = state.next();
            if (draw.words() == 2) bits = bits << 32 | state.next();
            to[i] = draw.value(bits);
        }
    });
}

}  // namespace tombola::impl::cpu
