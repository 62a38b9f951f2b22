// SPDX-License-Identifier: Apache-2.0
#include "common/report.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace tombola::bench {

namespace {

const char* name_of(State state) {
    switch (state) {
        case State::passed:
            return "PASSED";
        case State::executed:
            return "EXECUTED";
        case State::initialized:
            return "INITIALIZED";
        case State::skipped:
            return "SKIPPED";
        case State::mistrusted:
            return "MISTRUSTED";
        case State::unimplemented:
            return "UNIMPLEMENTED";
        case State::invalid_arguments:
            return "INVALID_ARGUMENTS";
        case State::failed:
            return "FAILED";
        case State::listed:
            return "LISTED";
    }
    return "";
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::string template_value(const PerfTemplate::Field& field, const Problem& problem,
                           const Settings& settings, size_t index, const std::string& repro,
                           const CaseResult& result) {
    const Measurement& m = result.measurement;
    const char modifier = field.modifier;
    const double seconds = modifier == '~'   ? m.median
                           : modifier == '0' ? m.mean
                           : modifier == '+' ? m.worst
                                             : m.best;
    const auto creation = [&](const CreationTimes& times) {
        return (modifier == '-' ? times.again : times.first) * 1e3;
    };
    const auto number = [&](double value) { return fmt::format("{:.6g}", value / field.unit); };
    if (field.name == "prb") return repro;
    if (field.name == "driver") return problem.driver_name();
    if (field.name == "desc") return problem.sizes();
    if (field.name == "name") return problem.name;
    if (field.name == "idx") return std::to_string(index);
    if (field.name == "engine") return "cpu";
    if (field.name == "impl") return result.impl;
    if (field.name == "attr") return settings.attributes();
    if (field.name == "time") return number(seconds * 1e3);
    if (field.name == "clocks") return number(seconds * m.clocks);
    if (field.name == "freq") return number(m.clocks);
    if (field.name == "bw") return number(m.bytes / seconds);
    if (field.name == "ibytes") return number(m.bytes_read);
    if (field.name == "obytes") return number(m.bytes_written);
    if (field.name == "iobytes") return number(m.bytes_read + m.bytes_written);
    if (field.name == "ops" || field.name == "flops") return "0";
    if (field.name == "cpdtime") return number(creation(m.descriptor));
    if (field.name == "cptime") return number(creation(m.primitive));
    if (field.name == "ctime") return number(creation(m.descriptor) + creation(m.primitive));
    if (field.name == "ceil") return fmt::format("{:.6g}", m.ceiling / 1e9);
    if (field.name == "bound") return m.bound;
    if (field.name == "share") return fmt::format("{:.3f}", m.share());
    if (field.name == "runs") return std::to_string(m.runs);
    return problem.field_value(field.name).value_or("");
}

std::string duration(double seconds) {
    const auto whole = static_cast<int64_t>(seconds + 0.5);
    if (whole < 60) return fmt::format("{}s", whole);
    if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
    return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string progress_line(size_t index, size_t cases, size_t failed, double seconds,
                          const std::string& repro) {
    // After a second the cases that have run tell something of those to come.
    std::string remaining;
    if (index > 0 && seconds >= 1)
        remaining = " ETA " + duration(seconds / static_cast<double>(index) *
                                       static_cast<double>(cases - index));
    return fmt::format("[{}/{}]{} failed:{} {}", index + 1, cases, remaining, failed, repro);
}

Report::Report(int verbose, size_t cases, const Summary& summary)
    : verbose_(verbose),
      summary_(summary),
      cases_(cases),
      progress_(cases > 1 && isatty(STDERR_FILENO)),
      begin_time_(now()) {}

Report::~Report() { clear_progress(); }

void Report::clear_progress() {
    if (!progress_shown_) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    progress_shown_ = false;
}

void Report::start(const Problem&, const std::string& repro) {
    if (verbose_ >= 1) {
        clear_progress();
        fmt::print("run: {}\n", repro);
        std::fflush(stdout);
    }
    if (!progress_ || now() - progress_time_ < 0.1) return;
    progress_time_ = now();
    struct winsize window {};
    const size_t columns =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
    std::string line = progress_line(tests_, cases_, failed_, progress_time_ - begin_time_, repro);
    line.resize(std::min(line.size(), columns - 1));
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    progress_shown_ = true;
}

void Report::finish(const Problem& problem, const Settings& settings, const std::string& repro,
                    const CaseResult& result) {
    clear_progress();
    std::string state = name_of(result.state);
    bool failed = result.state == State::failed;
    switch (result.state) {
        case State::passed:
        case State::executed:
        case State::initialized:
            ++passed_;
            break;
        case State::skipped:
            ++skipped_;
            break;
        case State::mistrusted:
            ++mistrusted_;
            break;
        case State::unimplemented:
            ++unimplemented_;
            failed = !settings.allow_unimplemented;
            if (failed) state += "_FAILED";
            break;
        case State::invalid_arguments:
            ++invalid_;
            break;
        case State::failed:
            break;
        case State::listed:
            ++listed_;
            break;
    }
    failed_ += failed;
    if (!result.impl.empty()) ++impls_[result.impl];
    constexpr size_t kFailuresShown = 10;
    if ((failed || result.state == State::invalid_arguments) && failures_.size() < kFailuresShown)
        failures_.push_back(
            fmt::format("{}:{} ({}) __REPRO: {}", tests_, state, result.reason, repro));

    // A measured case is told by its performance line.
    if (!result.measured || result.state != State::passed || settings.mode.correctness) {
        fmt::print("{}:{}", tests_, state);
        if (!result.reason.empty()) fmt::print(" ({})", result.reason);
        if (verbose_ >= 1 && !result.impl.empty()) fmt::print(" [{}]", result.impl);
        fmt::print(" __REPRO: {}\n{}", repro, result.details);
    }
    if (result.measured) {
        const PerfTemplate& perf = settings.perf_template;
        if (!perf.is_custom() && shown_template_ != perf.text()) {
            fmt::print("Output template: {}\n", perf.text());
            shown_template_ = perf.text();
        }
        fmt::print("{}\n", perf.expand([&](const PerfTemplate::Field& field) {
            return template_value(field, problem, settings, tests_, repro, result);
        }));
        measured_ = true;
        total_best_ += result.measurement.best;
        total_mean_ += result.measurement.mean;
    }
    std::fflush(stdout);
    ++tests_;
}

void Report::summary() {
    clear_progress();
    if (measured_ && !shown_template_.empty())
        fmt::print("total perf: min(ms):{:.6g} avg(ms):{:.6g}\n", total_best_ * 1e3,
                   total_mean_ * 1e3);
    if (summary_.failures && !failures_.empty()) {
        fmt::print("the first failed cases:\n");
        for (const std::string& failure : failures_) fmt::print("{}\n", failure);
    }
    if (summary_.impl)
        for (const auto& [impl, cases] : impls_) fmt::print("{:<24} {} cases\n", impl, cases);
    if (summary_.impl_csv) {
        fmt::print("implementation,cases\n");
        for (const auto& [impl, cases] : impls_) fmt::print("{},{}\n", impl, cases);
    }
    fmt::print(
        "tests:{} passed:{} skipped:{} mistrusted:{} unimplemented:{} invalid_arguments:{} "
        "failed:{} "
        "listed:{}\n",
        tests_, passed_, skipped_, mistrusted_, unimplemented_, invalid_, failed_, listed_);
    std::fflush(stdout);
}

bool Report::ok() const { return failed_ == 0 && invalid_ == 0; }

}  // namespace tombola::bench
