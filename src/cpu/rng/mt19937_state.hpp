// SPDX-License-Identifier: Apache-2.0
#pragma once

// MT19937's state as users pass it: u32[625], the window of 624 words, then the position.

#include "common/status.hpp"
#include "cpu/rng/mt19937.hpp"

namespace tombola::impl::cpu {

// Refuses a position beyond the window, and words that are 0 in every bit that the recurrence uses. `name` is what
// messages call the state: "SRC_STATE".
Status check_state(const Mt19937& state, const char* name);

}  // namespace tombola::impl::cpu
