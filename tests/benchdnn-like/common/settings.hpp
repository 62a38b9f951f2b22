// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the options that every driver shares have been set to when a problem is met.

#include <string>
#include <vector>

#include "common/perf_template.hpp"
#include "tombola/tombola_types.h"

namespace tombola::bench {

struct Mode {
    bool correctness = true;
    bool performance = false;
    bool list = false;
    bool run = false;  // executes, compares nothing
};

struct Settings {
    Mode mode;
    std::string impl;                    // empty: whatever the library chooses
    std::vector<std::string> skip_impl;  // parts of names
    std::string src, state, dump;        // files; empty: none
    PerfTemplate perf_template;
    int fix_times = 0;  // 0: as many runs as max_ms allows
    int max_ms = 1000;
    bool allow_unimplemented = true;
    bool allow_enum_tags_only = true;
    bool canonical = false;
    tombola_scratchpad_mode_t scratchpad = tombola_scratchpad_mode_library;
};

}  // namespace tombola::bench
