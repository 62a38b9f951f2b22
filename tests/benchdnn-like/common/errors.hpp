// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace tombola::bench {

// The command line is wrong: the program says so and ends with kExitUsage before it has run anything.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One case cannot go on: it counts as failed.
struct CaseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The machine's memory does not hold the case: it counts as skipped.
struct TooLarge : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

}  // namespace tombola::bench
