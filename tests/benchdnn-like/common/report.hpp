// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the program prints: a line per case, the performance lines, the progress, the summary.

#include <map>
#include <string>
#include <vector>

#include "common/driver.hpp"
#include "common/measure.hpp"

namespace tombola::bench {

enum class State {
    passed,
    executed,     // ran, nothing was compared
    initialized,  // was created, nothing ran
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
    bool dumped = false;
    Measurement measurement;
};

// What --summary adds before the last line.
struct Summary {
    bool failures = false;  // the first failed cases once more
    bool impl = false;      // how many cases each implementation has run
    bool impl_csv = false;  // the same, separated by commas
};

// The line that a terminal shows while case number `index` (from 0) of `cases` runs, `seconds` after the first began.
std::string progress_line(size_t index, size_t cases, size_t failed, double seconds,
                          const std::string& repro);

class Report {
  public:
    Report(int verbose, size_t cases, const Summary& summary = {});
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
    Summary summary_;
    std::vector<std::string> failures_;
    std::map<std::string, size_t> impls_;
    size_t cases_, tests_ = 0;
    size_t passed_ = 0, skipped_ = 0, mistrusted_ = 0, unimplemented_ = 0, invalid_ = 0,
           failed_ = 0, listed_ = 0;
    bool progress_ = false;        // wanted
    bool progress_shown_ = false;  // a progress line is on the terminal
    double begin_time_, progress_time_ = 0;
    std::string shown_template_;
    bool measured_ = false;
    double total_best_ = 0, total_mean_ = 0;
};

}  // namespace tombola::bench
