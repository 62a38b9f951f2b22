// SPDX-License-Identifier: Apache-2.0
#pragma once

// DST_SEEDS, the output in which a primitive reports the seeds that it used: those of its descriptor, or those that
// it drew from the operating system when they are 0:0.

#include <optional>

#include "common/arguments.hpp"
#include "common/value.hpp"

namespace tombola::bench {

// Sets what DST_SEEDS must hold, if the execution has it, and returns the seeds that the numbers must belong to.
// None: the library drew them and does not tell which. Throws CaseError if it says that it drew 0:0. Seeds that a state
// or given numbers take the place of (`are_used` is false) are not drawn.
std::optional<Seeds> expect_seeds(Arguments& args, const Seeds& own, bool are_used = true);

// Replaces seeds 0:0 by those that DST_SEEDS holds.
void pin_seeds(const Arguments& args, Seeds& seeds);

}  // namespace tombola::bench
