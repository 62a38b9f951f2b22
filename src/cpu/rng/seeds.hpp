// SPDX-License-Identifier: Apache-2.0
#pragma once

// Resolves the seeds of one execution, in the same way for every primitive that has seeds.

#include <cstdint>

#include "common/implementation.hpp"
#include "common/status.hpp"

namespace tombola::impl::cpu {

// Which of the two seeds determine an execution's numbers. The other ones are never drawn.
enum class SeedUse {
    both,
    global,  // a state takes the place of the op seed
    none,    // a state, or numbers that the caller gives, take the place of both
};

// Returns the argument SEEDS if there is one, otherwise the descriptor's seeds. If they are (0, 0), the operating
// system draws new values for the seeds that are used, which are then not all 0.
Result<Seeds> resolve_seeds(const ExecContext& context, SeedUse use = SeedUse::both);

// Returns the given seeds. If they are (0, 0), the operating system draws new values, which are not both 0.
Result<Seeds> seeds_or_entropy(Seeds given);

// Writes the optional DST_SEEDS. Call it after everything that may fail: a failing execution writes nothing.
void report_seeds(const ExecContext& context, Seeds used);

// Reads the optional OFFSET; 0 if it is absent. Element numbers have 64 bits, so OFFSET + elements above 2^64 is
// refused.
Result<uint64_t> resolve_offset(const ExecContext& context, dim_t elements);

}  // namespace tombola::impl::cpu
