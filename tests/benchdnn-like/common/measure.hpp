// SPDX-License-Identifier: Apache-2.0
#pragma once

// Times of a problem and of what bounds it, taken in turns in one process.

#include <string>

#include "common/execution.hpp"

namespace tombola::bench {

struct Measurement {
    int runs = 0;
    double best = 0, median = 0, mean = 0, worst = 0;  // seconds of one execution
    double bytes = 0;                          // moved by one execution, as the ceiling counts
    double bytes_read = 0, bytes_written = 0;  // of all arguments
    double clocks = 0;                         // time-stamp counter, clocks a second
    CreationTimes descriptor, primitive;
    double ceiling = 0;  // bytes a second
    std::string bound;   // what the ceiling is

    double share() const { return ceiling > 0 ? bytes / best / ceiling : 0; }
};

Measurement measure(const Problem& problem, const Settings& settings, Execution& execution);

}  // namespace tombola::bench
