// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/report.hpp"

namespace tombola::bench {

// Runs one case as its settings say. `dump` tells whether --dump is for this one.
CaseResult run_case(Problem& problem, const Settings& settings, bool dump);

// Compares an output's memory with what it must be. Returns the number of elements that differ, counting
// padding and gaps, and describes the first ones.
struct Difference {
    size_t elements = 0;
    std::string first;    // one line
    std::string details;  // several
};
Difference compare(const Argument& argument, const uint8_t* actual, const Bytes& expected);

}  // namespace tombola::bench
