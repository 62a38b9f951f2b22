// SPDX-License-Identifier: Apache-2.0
#include "common/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/benchdnn_options.hpp"
#include "common/errors.hpp"
#include "common/execution.hpp"
#include "common/text.hpp"
#include "common/value.hpp"

namespace tombola::bench {
namespace {

// What an argument of the command line is for.
enum class Scope {
    run,       // all of the run, wherever it stands
    behind,    // the problems behind it
    problems,  // it is a problem, or brings some along
};
Scope scope_of(const std::string& token) {
    if (token.compare(0, 1, "-") != 0 || token.compare(0, 8, "--batch=") == 0)
        return Scope::problems;
    const std::string name = token.substr(0, token.find('='));
    if (token.compare(0, 2, "-v") == 0 || name == "-h" || name == "--verbose" || name == "--help" ||
        name == "--version" || name == "--engine" || name == "--summary" || name == "--start")
        return Scope::run;
    return Scope::behind;
}

}  // namespace

std::string Case::repro() const {
    std::string line = problem->repro(settings->canonical);
    std::string common;
    if (const std::string attributes = settings->attributes(); !attributes.empty())
        common += " " + attributes;
    if (!settings->allow_enum_tags_only) common += " --allow-enum-tags-only=false";
    if (!settings->impl.empty()) common += " --impl=" + join(settings->impl, ",");
    if (!settings->skip_impl.empty()) common += " --skip-impl=" + join(settings->skip_impl, ",");
    if (settings->threads > 0) common += " --threads=" + std::to_string(settings->threads);
    if (!settings->memory_check) common += " --mem-check=false";
    if (!settings->allow_unimplemented) common += " --allow-unimpl=false";
    if (settings->check_ref_impl) common += " --check-ref-impl=true";
    if (!settings->src.empty()) common += " --src=" + quoted(settings->src);
    if (!settings->state.empty()) common += " --state=" + quoted(settings->state);
    // Between the driver's option and its own.
    const size_t space = line.find(' ');
    return line.insert(space, common);
}

CommandLine::CommandLine(std::vector<std::string> inputs)
    : drivers_(make_drivers()), inputs_(std::move(inputs)) {}

void CommandLine::parse(const std::vector<std::string>& args) {
    bool any = false;
    std::string waiting;  // arguments that no problem stands behind yet
    for (const std::string& arg : args) {
        take(arg);
        switch (scope_of(arg)) {
            case Scope::run:
                break;
            case Scope::behind:
                waiting += (waiting.empty() ? "" : " ") + arg;
                break;
            case Scope::problems:
                any = true;
                waiting.clear();
                break;
        }
    }
    if (help_ || version_) return;
    if (!waiting.empty())
        throw UsageError(waiting + ": expected a problem or --batch=FILE behind this" +
                         (any ? "; an option applies to the problems after it" : ""));
    if (!any) throw UsageError("expected a driver and a problem; --help tells more");
}

void CommandLine::take(const std::string& token) {
    if (token.compare(0, 2, "-v") == 0) {
        take_option("verbose", token == "-v" ? "1" : token.substr(2), true);
    } else if (token == "-h") {
        help_ = true;
    } else if (token.compare(0, 2, "--") == 0) {
        const size_t equals = std::min(token.find('='), token.size());
        const bool has_value = equals < token.size();
        take_option(token.substr(2, equals - 2), has_value ? token.substr(equals + 1) : "",
                    has_value);
    } else if (token.compare(0, 1, "-") == 0) {
        refuse_unknown(token);
    } else {
        take_problem(token);
    }
}

void CommandLine::take_option(const std::string& given, const std::string& raw, bool has_value) {
    std::string name = given;
    // Quotes may be part of a template, and of the line that --match looks at. Only a batch file encloses such a value in quotes.
    const bool may_have_quotes = name == "perf-template" || name == "match";
    const std::string value = !may_have_quotes   ? strip_quotes(raw)
                              : batches_.empty() ? raw
                                                 : strip_enclosing_quotes(raw);
    if (!has_value)
        for (const auto& driver : drivers_)
            if ("--" + name == driver->option()) {
                driver_ = driver.get();
                return;
            }
    if (name == "fmt") name = "tag";  // oneDNN's older batch files

    if (driver_ && driver_->has_field(name)) {
        if (!has_value)
            throw UsageError("--" + name + ": expected a value, as in --" + name + "=VALUE");
        driver_->set(name, value);
        return;
    }
    for (const WithoutEffect& known : kWithoutEffect) {
        if (name != known.name) continue;
        const Pattern pattern("--" + name, known.values);
        if (!has_value && !pattern.matches(""))
            throw UsageError("--" + name + ": expected a value, " + known.expected);
        for (const std::string& piece : split(value, ','))
            if (!pattern.matches(piece)) refuse_value("--" + name, value, known.expected);
        return;
    }
    const auto option = std::find_if(options().begin(), options().end(),
                                     [&](const Option& known) { return name == known.name; });
    if (option == options().end()) refuse_unknown("--" + given);
    if (!option->value && has_value)
        throw UsageError("--" + name + ": '" + value + "': the option takes no value");
    if (option->value && !has_value)
        throw UsageError("--" + name + ": expected a value, " + option->value);
    option->take(*this, name, value);
}

void CommandLine::refuse_unknown(const std::string& option) const {
    const std::string name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
    std::vector<std::string> known, of_drivers;
    for (const auto& driver : drivers_) {
        if (driver->has_field(name)) of_drivers.push_back(driver->option());
        known.push_back(driver->option());
        if (driver_ && driver_ != driver.get()) continue;
        for (const std::string& field : driver->field_names()) known.push_back("--" + field);
    }
    if (!of_drivers.empty()) {
        const std::string names = join(of_drivers, ", ");
        throw UsageError(option + ": " +
                         (driver_ ? "not an option of " + driver_->option() + ", but of " + names
                                  : "an option of " + names + ", which must stand before it"));
    }
    for (const Option& common : options()) known.push_back(std::string("--") + common.name);
    // The last word of a name stands for all of it, as --uniform for --random-uniform. Behind a driver, an option that
    // differs in one letter is nearer.
    const std::string tail = "-" + name;
    const auto far = [&](const std::string& candidate) -> size_t {
        const size_t begin = candidate.size() - std::min(tail.size(), candidate.size());
        if (candidate.compare(begin, tail.size(), tail) == 0) return driver_ ? 2 : 0;
        return edit_distance("--" + name, candidate);
    };
    const auto closest = std::min_element(
        known.begin(), known.end(),
        [&](const std::string& a, const std::string& b) { return far(a) < far(b); });
    // A third of the letters may be wrong.
    const bool is_near = far(*closest) * 3 <= std::max<size_t>(name.size(), 3);
    if (!driver_ && !is_near)
        throw UsageError(option + ": unknown option; expected a driver, one of " + driver_names());
    throw UsageError(option + ": unknown option; " +
                     (is_near ? "did you mean " + *closest + "? " : "") + "--help lists them");
}

std::string CommandLine::driver_names() const {
    std::vector<std::string> names;
    for (const auto& driver : drivers_) names.push_back(driver->option());
    return join(names, ", ");
}

Driver& CommandLine::driver(const std::string& token) const {
    if (driver_) return *driver_;
    throw UsageError("'" + token + "': expected a driver before it, one of " + driver_names());
}

void CommandLine::take_problem(const std::string& text) {
    Driver& current = driver(text);
    for (const std::string& name : settings_.perf_template.driver_names())
        if (!current.has_field(name))
            throw UsageError("--perf-template: '%" + name + "%' is no field of " +
                             current.option() + "; --help lists them");
    for (tombola_scratchpad_mode_t scratchpad : scratchpads_) {
        auto settings = std::make_shared<Settings>(settings_);
        settings->scratchpad = scratchpad;
        const bool is_global = !global_impl_.empty() || !global_skip_impl_.empty();
        settings->impl = is_global ? global_impl_ : filters_.impl;
        settings->impl_may_miss = !is_global && filters_.impl_may_miss;
        settings->skip_impl = is_global ? global_skip_impl_ : filters_.skip_impl;
        current.make_problems(text, [&](std::unique_ptr<Problem> problem) {
            Case made{std::move(problem), settings};
            const std::string line = made.repro();
            count_case(line.size() + settings->dump.size());
            if (!filters_.match || filters_.match->matches(line)) cases_.push_back(std::move(made));
        });
    }
}

void CommandLine::count_case(size_t text_bytes) {
    if (++problems_ > kMaxCases)
        throw UsageError(fmt::format(
            "expected at most {} cases in all: lists that commas separate multiply, and "
            "so do batch files that name others",
            kMaxCases));
    text_bytes_ += text_bytes;
    if (text_bytes_ > kMaxTextBytes)
        throw UsageError(
            fmt::format("the lines and --dump of {} cases have {} bytes; expected at "
                        "most {} in all",
                        problems_, text_bytes_, kMaxTextBytes));
}

void CommandLine::reset() {
    if (driver_) driver_->reset();
    filters_ = outer_filters_;
    scratchpads_ = {tombola_scratchpad_mode_library};
    settings_.allow_enum_tags_only = true;
}

void CommandLine::require_implementations() const {
    struct Asked {
        std::string driver;
        std::vector<std::string> impl;
        std::vector<std::string> seen;  // names of the problems' implementations
        bool found = false;
    };
    std::vector<Asked> all;
    for (const Case& made : cases_) {
        const Settings& settings = *made.settings;
        if (settings.impl.empty() || settings.impl_may_miss || settings.mode.list) continue;
        const std::string driver = made.problem->driver_name();
        auto asked = std::find_if(all.begin(), all.end(), [&](const Asked& other) {
            return other.driver == driver && other.impl == settings.impl;
        });
        if (asked == all.end()) asked = all.insert(all.end(), {driver, settings.impl, {}});
        if (asked->found) continue;
        try {
            for (const std::string& name : implementations(*made.problem, settings)) {
                asked->found = asked->found || is_wanted(name, settings.impl);
                if (std::count(asked->seen.begin(), asked->seen.end(), name) == 0)
                    asked->seen.push_back(name);
            }
        } catch (const CaseError&) {
            continue;  // it will be told when the case runs
        }
    }
    for (const Asked& asked : all)
        if (!asked.found && !asked.seen.empty())
            refuse_value(asked.impl == global_impl_ ? "--global-impl" : "--impl",
                         join(asked.impl, ","),
                         "a name, or a part of one, of " + asked.driver +
                             "'s implementations for these problems: " + join(asked.seen, ", "));
}

std::string CommandLine::help() const {
    std::string text =
        "benchtombola: correctness and performance of tombola's primitives\n\n"
        "Usage: benchtombola DRIVER [options] PROBLEM ... [options] PROBLEM ...\n\n"
        "An option applies to the problems after it, and needs one there. Values that commas "
        "separate "
        "(LIST)\ngive the product of cases. A problem may carry a name: 2x8x3x3_n\"name\". Numbers "
        "are decimal or 0x hex.\n\n"
        "Drivers, with their own options:\n";
    for (const auto& driver : drivers_)
        if (!driver_ || driver_ == driver.get()) text += driver->help() + "\n";
    text += "Options of all drivers:\n";
    for (const Option& option : options())
        text += help_line(
            std::string("--") + option.name + (option.value ? "=" + std::string(option.value) : ""),
            option.help);
    text += "Options of benchdnn that are taken and say nothing here:\n";
    for (const WithoutEffect& option : kWithoutEffect)
        text += help_line(std::string("--") + option.name, option.expected);
    text += "\nFields of --perf-template, beside the driver's options (%dt%):\n";
    for (const auto& [name, help] : PerfTemplate::common_names())
        text += help_line("%" + name + "%", help);
    text +=
        "\nThe last line counts the cases. Exit status: 0 nothing failed and no arguments were "
        "invalid, 1 "
        "otherwise,\n2 the command line is wrong.\n";
    return text;
}

}  // namespace tombola::bench
