// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the program prints: a line a case, the performance lines, the progress, the summary.

#include <string>

#include "common/driver.hpp"
#include "common/measure.hpp"

namespace tombola::bench {

enum class State {
    passed,
    executed,  // ran, nothing was compared
    skipped,
    mistrusted,
    unimplemented,
    invalid_arguments,
    failed,
    listed,
};

struct CaseResult {
    State state = State::passed;
    std::string reason;
    std::string details;  // further lines: the differences found
    std::string impl;
    bool measured = false;
    Measurement measurement;
};

class Report {
  public:
    Report(int verbose, size_t cases);
    ~Report();

    void start(const Problem& problem, const std::string& repro);
    void finish(const Problem& problem, const Settings& settings, const std::string& repro,
                const CaseResult& result);
    // Prints the totals; the last line of all.
    void summary();
    bool ok() const;

  private:
    void clear_progress();

    int verbose_;
    size_t cases_, tests_ = 0;
    size_t passed_ = 0, skipped_ = 0, mistrusted_ = 0, unimplemented_ = 0, invalid_ = 0,
           failed_ = 0, listed_ = 0;
    bool progress_ = false;        // wanted
    bool progress_shown_ = false;  // a progress line is on the terminal
    double progress_time_ = 0;
    std::string shown_template_;
    bool measured_ = false;
    double total_best_ = 0, total_mean_ = 0;
};

}  // namespace tombola::bench
