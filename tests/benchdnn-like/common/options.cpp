// SPDX-License-Identifier: Apache-2.0

// The options that all drivers share.

#include <fmt/format.h>

#include <cctype>

#include "common/command_line.hpp"
#include "common/text.hpp"
#include "common/value.hpp"

namespace tombola::bench {
namespace {

template <class T>
T value_in(const std::string& option, const std::string& text, T min, T max) {
    T value{};
    if (!parse_value(text, value) || value < min || value > max)
        refuse_value("--" + option, text, fmt::format("an integer from {} to {}", min, max));
    return value;
}

bool flag(const std::string& option, const std::string& text) {
    bool value = false;
    if (!parse_value(text, value)) refuse_value("--" + option, text, expected_value(value));
    return value;
}

void set_mode(const std::string& text, Settings& settings) {
    std::string upper = text;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    Mode mode;
    mode.correctness = upper == "C" || upper == "B" || upper == "CP" || upper == "PC";
    mode.performance = upper == "P" || upper == "F" || upper == "CP" || upper == "PC";
    mode.run = upper == "R";
    mode.initialize = upper == "I";
    mode.list = upper == "L";
    if (!mode.correctness && !mode.performance && !mode.run && !mode.initialize && !mode.list)
        refuse_value("--mode", text, "C, P, CP, R or L, or benchdnn's B, F or I");
    settings.mode = mode;
    if (upper == "F") settings.max_ms = 10;
}

std::vector<std::string> parse_names(const std::string& text) {
    std::vector<std::string> names;
    for (const std::string& name : split(text, ','))
        if (!name.empty()) names.push_back(name);
    return names;
}

std::string parse_file(const std::string& option, const std::string& text) {
    if (text.empty()) refuse_value("--" + option, text, "the name of a file");
    return text;
}

Summary parse_summary(const std::string& text) {
    Summary summary;
    for (const std::string& piece : split(text, '+')) {
        const bool wanted = piece.compare(0, 3, "no-") != 0;
        const std::string name = wanted ? piece : piece.substr(3);
        if (name == "failures")
            summary.failures = wanted;
        else if (name == "impl")
            summary.impl = wanted;
        else if (name == "impl-csv")
            summary.impl_csv = wanted;
        else
            refuse_value("--summary", text,
                         "failures, impl and impl-csv, also with no- in front, joined by +");
    }
    return summary;
}

}  // namespace

const std::vector<CommandLine::Option>& CommandLine::options() {
    using Line = CommandLine;
    using Text = std::string;
    static const std::vector<Option> kOptions = {
        {"mode", "C|P|CP|R|L",
         "C: correctness, compare every output with the reference, bit for bit (default; "
         "benchdnn's B is the same). P: performance; F: the same with --max-ms-per-prb=10. CP: "
         "both. R: run without comparing. I: create the primitive only. L: list the cases",
         [](Line& line, const Text&, const Text& value) { set_mode(value, line.settings_); }},
        {"batch", "FILE",
         "take options and problems from FILE; it is looked for here, beside the batch file that "
         "names it, and in inputs/<driver>/ (smoke and all are there for every driver). # begins "
         "a comment",
         [](Line& line, const Text&, const Text& value) { line.take_batch(value); }},
        {"reset", nullptr,
         "set the driver's options, --match, --impl, --skip-impl, --attr-scratchpad and "
         "--allow-enum-tags-only back; in a batch file the second to fourth keep what was set "
         "outside of it",
         [](Line& line, const Text&, const Text&) { line.reset(); }},
        {"match", "REGEX",
         "only problems whose line, as __REPRO prints it, contains a match, as grep -E has it",
         [](Line& line, const Text&, const Text& value) {
             line.filters_.match = std::make_shared<const Pattern>("--match", value);
         }},
        {"impl", "NAME[,NAME]",
         "use the implementation of one of these names, or the first whose name contains one. A "
         "name that is none of the primitive's is an error, but in a batch file",
         [](Line& line, const Text&, const Text& value) {
             line.filters_.impl = parse_names(value);
             line.filters_.impl_may_miss = !line.batches_.empty();
         }},
        {"skip-impl", "NAME[,NAME]", "use no implementation whose name contains one of these",
         [](Line& line, const Text&, const Text& value) {
             line.filters_.skip_impl = parse_names(value);
         }},
        {"global-impl", "NAME[,NAME]",
         "in place of every --impl and --skip-impl, those of batch files too; --reset keeps it",
         [](Line& line, const Text&, const Text& value) {
             line.global_impl_ = parse_names(value);
         }},
        {"global-skip-impl", "NAME[,NAME]", "likewise",
         [](Line& line, const Text&, const Text& value) {
             line.global_skip_impl_ = parse_names(value);
         }},
        {"check-ref-impl", "true|false",
         "true: a problem that the portable implementation runs is failed. Default false",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.check_ref_impl = flag(name, value);
         }},
        {"attr-scratchpad", "library|user", "who provides the scratchpad; a list",
         [](Line& line, const Text& name, const Text& value) {
             line.scratchpads_.clear();
             for (const std::string& piece : split(value, ',')) {
                 tombola_scratchpad_mode_t mode{};
                 if (!parse_value(piece, mode))
                     refuse_value("--" + name, piece, expected_value(mode));
                 line.scratchpads_.push_back(mode);
             }
         }},
        {"src", "FILE",
         "read the input tensor (DIFF_DST of a backward shuffle) from FILE: raw little-endian "
         "values in logical row-major order",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.src = parse_file(name, value);
         }},
        {"state", "FILE", "read the generator's state from FILE, as --dump writes it to FILE.state",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.state = parse_file(name, value);
         }},
        {"dump", "FILE",
         "write the destination of the last problem to FILE in that form, whatever its layout, "
         "and a state output to FILE.state",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.dump = parse_file(name, value);
         }},
        {"perf-template", "def|csv|TEXT",
         "the line of performance mode; the fields are listed below",
         [](Line& line, const Text&, const Text& value) {
             line.settings_.perf_template = PerfTemplate(value);
         }},
        {"fix-times-per-prb", "N",
         "performance mode: exactly N samples of one run each; 0 (default): as many as "
         "--max-ms-per-prb allows",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.fix_times = value_in<int>(name, value, 0, 1000000);
         }},
        {"max-ms-per-prb", "MS",
         "performance mode: time spent on one problem, 1 to 60000; default 1000",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.max_ms = value_in<int>(name, value, 1, 60000);
         }},
        {"cold-cache", "none|all",
         "performance mode. all: the tensors are put out of the caches before each run. Default "
         "none, as benchdnn's wei is here",
         [](Line& line, const Text& name, const Text& value) {
             if (value != "none" && value != "wei" && value != "all")
                 refuse_value("--" + name, value, "none, wei or all");
             line.settings_.cold_cache = value == "all";
         }},
        {"threads", "N",
         "no more than N threads for an execution and for what it is compared with in performance "
         "mode; 0 (default): as many as the run-time gives",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.threads = value_in<int>(name, value, 0, 1000000);
         }},
        {"ctx-exe", "N",
         "the same in benchdnn's words; auto: no limit. What follows a colon says nothing here",
         [](Line& line, const Text& name, const Text& value) {
             const std::string threads = split(value, ':')[0];
             line.settings_.threads =
                 threads == "auto" ? 0 : value_in<int>(name, threads, 1, 1000000);
         }},
        {"repeats-per-prb", "N", "run each case N times; default 1",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.repeats = value_in<int>(name, value, 1, 1000000);
         }},
        {"start", "N", "skip the cases before number N",
         [](Line& line, const Text& name, const Text& value) {
             line.start_ = static_cast<size_t>(value_in<int64_t>(name, value, 0, INT64_MAX));
         }},
        {"summary", "failures+impl",
         "before the last line. failures: the first ten failed cases once more. impl: how many "
         "cases each implementation has run; impl-csv: the same, separated by commas",
         [](Line& line, const Text&, const Text& value) { line.summary_ = parse_summary(value); }},
        {"mem-check", "true|false",
         "whether a problem that the machine's memory does not hold is skipped. Default true",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.memory_check = flag(name, value);
         }},
        {"allow-unimpl", "true|false",
         "whether a problem that nothing implements is let pass; false: it counts as failed too. "
         "Default true",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.allow_unimplemented = flag(name, value);
         }},
        {"allow-enum-tags-only", "true|false",
         "false: layouts beyond the library's named ones are given by strides. Default true",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.allow_enum_tags_only = flag(name, value);
         }},
        {"canonical", "true|false", "print every field of a problem, defaults too. Default false",
         [](Line& line, const Text& name, const Text& value) {
             line.settings_.canonical = flag(name, value);
         }},
        {"engine", "cpu", "there is one; cpu:0 is its name too",
         [](Line&, const Text& name, const Text& value) {
             if (value != "cpu" && value != "cpu:0") refuse_value("--" + name, value, "cpu");
         }},
        {"verbose", "N",
         "also -vN. 0: a line per case (default). 1: also each problem before it runs, and the "
         "implementation. 2, and benchdnn's levels above it: also the library's verbose lines",
         [](Line& line, const Text& name, const Text& value) {
             line.verbose_ = value_in<int>(name, value, 0, 99);
         }},
        {"version", nullptr, "print the library's version",
         [](Line& line, const Text&, const Text&) { line.version_ = true; }},
        {"help", nullptr, "print this",
         [](Line& line, const Text&, const Text&) { line.help_ = true; }},
    };
    return kOptions;
}

}  // namespace tombola::bench
