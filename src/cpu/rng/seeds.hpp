// SPDX-License-Identifier: Apache-2.0
#pragma once

// The seeds of one execution, as every primitive with seeds resolves them.

#include <cstdint>

#include "common/implementation.hpp"
#include "common/status.hpp"

namespace tombola::impl::cpu {

struct Seeds {
    uint64_t global, op;
};

// The argument SEEDS if there is one, otherwise the descriptor's; for (0, 0), numbers that the operating system
// draws, never (0, 0) again.
Result<Seeds> resolve_seeds(const ExecContext& context, Seeds of_descriptor);

// Writes the optional DST_SEEDS. After all that may fail: a failing execution writes nothing.
void report_seeds(const ExecContext& context, Seeds used);

// The optional OFFSET; 0 without.
uint64_t resolve_offset(const ExecContext& context);

}  // namespace tombola::impl::cpu
