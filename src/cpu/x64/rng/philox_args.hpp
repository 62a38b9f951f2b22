// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arguments of a Philox kernel that follow from the key and the counter.

#include <cstdint>

#include "cpu/rng/philox.hpp"
#include "cpu/rng/scatter.hpp"
#include "cpu/x64/rng/philox_generator.hpp"

namespace tombola::impl::cpu::x64 {

// Values of the lowest counter word. A call of a kernel ends where the word wraps.
inline constexpr uint64_t kPhiloxCounterWords = uint64_t{1} << 32;

// Blocks from this counter to the next one whose lowest word is 0.
inline int64_t philox_blocks_to_wrap(PhiloxCounter counter) {
    return static_cast<int64_t>(kPhiloxCounterWords - static_cast<uint32_t>(counter.lo));
}

// The rows that kernels can make at once for a tensor of `count` elements whose first element is number `first` of the stream that begins
// with the counter `start`. Each row must begin with a whole block, and the lowest word of the counter must not wrap.
RowsAtOnce philox_rows_at_once(const PhiloxRowFunctions& functions, int64_t block_elements,
                               PhiloxCounter start, Uint128 first, int64_t count);

// Sets what such a kernel writes: columns of rows that are `row_blocks` blocks apart.
void set_philox_rows(PhiloxArgs& args, int64_t rows, int64_t columns, int64_t row_blocks,
                     const Columns<char>& dst);

void set_philox_keys(PhiloxArgs& args, PhiloxKey key);

// Computes the constants of rounds 0 to 2 (fold0 to fold2 of philox_rounds.cpp) from the counter words that do not
// change.
void fold_philox_rounds(PhiloxArgs& args, PhiloxCounter counter, PhiloxKey key);

}  // namespace tombola::impl::cpu::x64
