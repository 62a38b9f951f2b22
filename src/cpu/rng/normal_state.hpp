// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of normal numbers from MT19937 as users pass it: u32[628] = the u32[625] of Mt19937, then 1 or 0 (whether a
// normal number is kept for the next call), then the low and the high word of that f64 number.

#include <cstdint>

#include "common/status.hpp"
#include "cpu/rng/mt19937.hpp"

namespace tombola::impl::cpu {

// The second normal number of a pair. PyTorch's generator keeps it if a call has taken only the first.
struct KeptNormal {
    bool valid = false;
    double value = 0;
};

inline constexpr int kMtStateWords = kMtWords + 1;

// Reads the last three words of a state. `name` is what messages call the state: "SRC_STATE". Refuses a flag that is
// neither 0 nor 1, and a kept number that is not finite.
Result<KeptNormal> load_kept_normal(const uint32_t* state, const char* name);
void store_kept_normal(const KeptNormal& kept, uint32_t* state);

}  // namespace tombola::impl::cpu
