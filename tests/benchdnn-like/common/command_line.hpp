// SPDX-License-Identifier: Apache-2.0
#pragma once

// From arguments and batch files to the list of cases.
//
// The command line is a state machine, as benchdnn's: an option sets values for the problems behind it, a
// problem makes the product of all lists that are set at that moment. All of it is read before the first case
// runs, so a mistake anywhere runs nothing. An option with no problem behind it is a mistake too, except at the
// end of a batch file, where oneDNN's own have some.

#include <memory>
#include <string>
#include <vector>

#include "common/driver.hpp"
#include "common/report.hpp"
#include "common/settings.hpp"
#include "common/text.hpp"

namespace tombola::bench {

struct Case {
    std::unique_ptr<Problem> problem;
    std::shared_ptr<const Settings> settings;
    std::string repro() const;
};

class CommandLine {
  public:
    // Folders that hold <driver>/<batch file>.
    explicit CommandLine(std::vector<std::string> inputs);

    // Throws UsageError.
    void parse(const std::vector<std::string>& args);

    // Throws UsageError if an --impl names no implementation of any of the problems behind it. In a batch file it
    // may: such a file is made for many machines.
    void require_implementations() const;

    std::vector<Case>& cases() { return cases_; }
    size_t start() const { return start_; }  // number of the first case to run
    const Summary& summary() const { return summary_; }
    bool version_wanted() const { return version_; }
    int verbose() const { return verbose_; }
    bool help_wanted() const { return help_; }
    std::string help() const;

  private:
    // One option that all drivers share.
    struct Option {
        const char* name;
        const char* value;  // how the help names the value; null: the option takes none
        const char* help;
        void (*take)(CommandLine& line, const std::string& name, const std::string& value);
    };
    static const std::vector<Option>& options();

    void take(const std::string& token);
    void take_option(const std::string& name, const std::string& value, bool has_value);
    [[noreturn]] void refuse_unknown(const std::string& option) const;
    void take_problem(const std::string& text);
    // Refuses a case too many. `text_bytes`: what its texts take.
    void count_case(size_t text_bytes);
    void take_batch(const std::string& file);
    struct Batch {
        std::string path, text;
    };
    Batch find_batch(const std::string& file) const;
    void reset();
    Driver& driver(const std::string& token) const;
    std::string driver_names() const;

    std::vector<std::unique_ptr<Driver>> drivers_;
    Driver* driver_ = nullptr;
    std::vector<std::string> inputs_;
    std::vector<std::string> batches_;  // open ones, innermost last
    Settings settings_;
    std::vector<tombola_scratchpad_mode_t> scratchpads_{tombola_scratchpad_mode_library};
    // What --reset sets back. In a batch file it does not go further back than to what was set outside of it.
    struct Filters {
        std::shared_ptr<const Pattern> match;  // null: every case
        std::vector<std::string> impl, skip_impl;
        bool impl_may_miss = false;  // Settings::impl_may_miss
    };
    Filters filters_, outer_filters_;
    int verbose_ = 0;
    bool help_ = false, version_ = false;
    size_t start_ = 0;
    size_t problems_ = 0, text_bytes_ = 0;  // of all cases, also of those that --match leaves out
    size_t files_ = 0, file_bytes_ = 0;     // of batch files that were read
    Summary summary_;
    std::vector<std::string> global_impl_, global_skip_impl_;
    std::vector<Case> cases_;
};

}  // namespace tombola::bench
