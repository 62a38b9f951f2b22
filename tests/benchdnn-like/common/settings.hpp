// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the options that every driver shares have been set to when a problem is met.

#include <string>
#include <vector>

#include "common/perf_template.hpp"
#include "common/value.hpp"

namespace tombola::bench {

struct Mode {
    bool correctness = true;
    bool performance = false;
    bool list = false;
    bool run = false;         // executes, compares nothing
    bool initialize = false;  // creates the primitive, executes nothing
};

struct Settings {
    Mode mode;
    std::vector<std::string> impl;  // names or parts of names; none: whatever the library chooses
    bool impl_may_miss = false;     // an --impl of a batch file, which is made for many machines
    std::vector<std::string> skip_impl;  // parts of names
    std::string src, state, dump;        // files; empty: none
    PerfTemplate perf_template;
    int fix_times = 0;  // 0: as many runs as max_ms allows
    int max_ms = 1000;
    int threads = 0;  // of an execution at most; 0: no limit
    int repeats = 1;  // of the whole case
    bool cold_cache = false;
    bool memory_check = true;
    bool check_ref_impl = false;  // running the portable implementation is a failure
    bool allow_unimplemented = true;
    bool allow_enum_tags_only = true;
    bool canonical = false;
    tombola_scratchpad_mode_t scratchpad = tombola_scratchpad_mode_library;

    // The attributes that are not the default, as options.
    std::string attributes() const {
        return scratchpad == tombola_scratchpad_mode_library
                   ? ""
                   : "--attr-scratchpad=" + print_value(scratchpad);
    }
    // Optional outputs cost time, so a mere measurement leaves them out.
    bool wants_optional_outputs() const {
        return !mode.performance || mode.correctness || !dump.empty();
    }
};

}  // namespace tombola::bench
