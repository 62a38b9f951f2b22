// SPDX-License-Identifier: Apache-2.0
#include "common/command_line.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>

#include "common/errors.hpp"
#include "common/value.hpp"

namespace tombola::bench {

namespace {

// One option that all drivers share.
struct CommonOption {
    const char* name;
    const char* value;  // how the help names the value; null: the option takes none
    const char* help;
};

constexpr CommonOption kCommonOptions[] = {
    {"mode", "C|P|CP|R|L",
     "C: correctness, compare every output with the reference, bit for bit (default). P: "
     "performance. CP: both. "
     "R: run without comparing. L: list the cases"},
    {"batch", "FILE",
     "take options and problems from FILE; it is looked for here, beside the batch file that names "
     "it, and in "
     "inputs/<driver>/ (smoke and all are there for every driver). # begins a comment"},
    {"reset", nullptr, "set the driver's options, --match and --attr-scratchpad back"},
    {"match", "REGEX",
     "only problems whose line, as __REPRO prints it, contains a match, as grep -E has it; a "
     "--reset in a batch file "
     "keeps the "
     "pattern set outside of it"},
    {"impl", "NAME", "use the implementation of that name, or the first whose name contains NAME"},
    {"skip-impl", "NAME[,NAME]", "use no implementation whose name contains one of these"},
    {"attr-scratchpad", "library|user", "who provides the scratchpad; a list"},
    {"src", "FILE",
     "read the input tensor (DIFF_DST of a backward shuffle) from FILE: raw little-endian values "
     "in logical "
     "row-major order"},
    {"state", "FILE", "read the generator's state from FILE, as --dump writes it to FILE.state"},
    {"dump", "FILE",
     "write the destination of the last problem to FILE in that form, whatever its layout, and a "
     "state output "
     "to FILE.state"},
    {"perf-template", "def|csv|TEXT", "the line of performance mode; the fields are listed below"},
    {"fix-times-per-prb", "N",
     "performance mode: exactly N samples of one run each; 0 (default): as many as "
     "--max-ms-per-prb allows"},
    {"max-ms-per-prb", "MS",
     "performance mode: time spent on one problem, 1 to 60000; default 1000"},
    {"allow-unimpl", "true|false",
     "whether a problem that nothing implements is let pass; false: it counts as failed too. "
     "Default true"},
    {"allow-enum-tags-only", "true|false",
     "false: layouts beyond the library's named ones are given by strides. Default true"},
    {"canonical", "true|false", "print every field of a problem, defaults too. Default false"},
    {"engine", "cpu", "there is one"},
    {"verbose", "N",
     "also -vN. 0: a line a case (default). 1: also each problem before it runs, and the "
     "implementation. 2: also the library's verbose lines"},
    {"help", nullptr, "print this"},
};

std::string strip_quotes(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
    return text;
}

// A POSIX extended regular expression, as grep -E takes it; an empty one matches everything.
class Pattern {
  public:
    explicit Pattern(const std::string& text) {
        if (regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
            refuse_value("--match", text, "a regular expression as grep -E takes it");
    }
    Pattern(const Pattern&) = delete;
    ~Pattern() { regfree(&compiled_); }
    bool matches(const std::string& text) const {
        return regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
    }

  private:
    regex_t compiled_;
};

template <class T>
T value_in(const std::string& option, const std::string& text, T least, T greatest) {
    T value{};
    if (!parse_value(text, value) || value < least || value > greatest)
        refuse_value("--" + option, text, fmt::format("an integer from {} to {}", least, greatest));
    return value;
}

bool flag(const std::string& option, const std::string& text) {
    bool value = false;
    if (!parse_value(text, value)) refuse_value("--" + option, text, expected_value(value));
    return value;
}

Mode parse_mode(const std::string& text) {
    std::string upper = text;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (upper == "C") return {true, false, false, false};
    if (upper == "P") return {false, true, false, false};
    if (upper == "CP" || upper == "PC") return {true, true, false, false};
    if (upper == "R") return {false, false, false, true};
    if (upper == "L") return {false, false, true, false};
    refuse_value("--mode", text, "C, P, CP, R or L");
}

// Words separated by white space, which double quotes protect; a word that begins with # begins a comment.
std::vector<std::string> read_tokens(std::istream& file) {
    std::vector<std::string> tokens;
    std::string line;
    while (std::getline(file, line)) {
        std::string token;
        bool quoted = false;
        for (char c : line + " ") {
            if (c == '"') quoted = !quoted;
            if (quoted || !std::isspace(static_cast<unsigned char>(c))) {
                if (c == '#' && token.empty()) break;
                token += c;
            } else if (!token.empty()) {
                tokens.push_back(token);
                token.clear();
            }
        }
    }
    return tokens;
}

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
        name == "--engine")
        return Scope::run;
    return Scope::behind;
}

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

std::string Case::repro() const {
    std::string line = problem->repro(settings->canonical);
    std::string common;
    if (settings->scratchpad != tombola_scratchpad_mode_library)
        common += " --attr-scratchpad=" + print_value(settings->scratchpad);
    if (!settings->allow_enum_tags_only) common += " --allow-enum-tags-only=false";
    if (!settings->impl.empty()) common += " --impl=" + settings->impl;
    for (size_t i = 0; i < settings->skip_impl.size(); ++i)
        common += (i ? "," : " --skip-impl=") + settings->skip_impl[i];
    if (!settings->src.empty()) common += " --src=" + settings->src;
    if (!settings->state.empty()) common += " --state=" + settings->state;
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
    if (help_) return;
    if (!waiting.empty())
        throw UsageError(waiting + ": expected a problem or --batch=FILE behind this" +
                         (any ? "; an option holds for the problems behind it" : ""));
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
        throw UsageError(token + ": unknown option; --help lists them");
    } else {
        take_problem(token);
    }
}

void CommandLine::take_option(const std::string& given, const std::string& raw, bool has_value) {
    std::string name = given;
    const std::string value = name == "perf-template" || name == "match" ? raw : strip_quotes(raw);
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
    const auto* option =
        std::find_if(std::begin(kCommonOptions), std::end(kCommonOptions),
                     [&](const CommonOption& known) { return name == known.name; });
    if (option == std::end(kCommonOptions)) {
        std::string of_drivers;
        for (const auto& driver : drivers_)
            if (driver->has_field(name))
                of_drivers += (of_drivers.empty() ? "" : ", ") + driver->option();
        throw UsageError("--" + name + ": " +
                         (of_drivers.empty() ? "unknown option; --help lists them"
                          : driver_
                              ? "not an option of " + driver_->option() + ", but of " + of_drivers
                              : "an option of " + of_drivers + ", which must stand before it"));
    }
    if (!option->value && has_value)
        throw UsageError("--" + name + ": '" + value + "': the option takes no value");
    if (option->value && !has_value)
        throw UsageError("--" + name + ": expected a value, " + option->value);

    if (name == "mode") {
        settings_.mode = parse_mode(value);
    } else if (name == "batch") {
        take_batch(value);
    } else if (name == "reset") {
        reset();
    } else if (name == "match") {
        match_ = strip_quotes(value);
        Pattern unused(match_);
    } else if (name == "impl") {
        settings_.impl = value;
    } else if (name == "skip-impl") {
        settings_.skip_impl.clear();
        for (const std::string& part : split(value, ','))
            if (!part.empty()) settings_.skip_impl.push_back(part);
    } else if (name == "attr-scratchpad") {
        scratchpads_.clear();
        for (const std::string& piece : split(value, ',')) {
            tombola_scratchpad_mode_t mode{};
            if (!parse_value(piece, mode)) refuse_value("--" + name, piece, expected_value(mode));
            scratchpads_.push_back(mode);
        }
    } else if (name == "src") {
        settings_.src = value;
    } else if (name == "state") {
        settings_.state = value;
    } else if (name == "dump") {
        settings_.dump = value;
    } else if (name == "perf-template") {
        settings_.perf_template = PerfTemplate(value);
    } else if (name == "fix-times-per-prb") {
        settings_.fix_times = value_in<int>(name, value, 0, 1000000);
    } else if (name == "max-ms-per-prb") {
        settings_.max_ms = value_in<int>(name, value, 1, 60000);
    } else if (name == "allow-unimpl") {
        settings_.allow_unimplemented = flag(name, value);
    } else if (name == "allow-enum-tags-only") {
        settings_.allow_enum_tags_only = flag(name, value);
    } else if (name == "canonical") {
        settings_.canonical = flag(name, value);
    } else if (name == "engine") {
        if (value != "cpu") refuse_value("--engine", value, "cpu");
    } else if (name == "verbose") {
        verbose_ = value_in<int>(name, value, 0, 99);
    } else if (name == "help") {
        help_ = true;
    }
}

Driver& CommandLine::driver(const std::string& token) const {
    if (driver_) return *driver_;
    std::string names;
    for (const auto& driver : drivers_) names += (names.empty() ? "" : ", ") + driver->option();
    throw UsageError("'" + token + "': expected a driver before it, one of " + names);
}

void CommandLine::take_problem(const std::string& text) {
    Driver& current = driver(text);
    for (const std::string& name : settings_.perf_template.driver_names())
        if (!current.has_field(name))
            throw UsageError("--perf-template: '%" + name + "%' is no field of " +
                             current.option() + "; --help lists them");
    const Pattern pattern(match_);
    for (tombola_scratchpad_mode_t scratchpad : scratchpads_) {
        auto settings = std::make_shared<Settings>(settings_);
        settings->scratchpad = scratchpad;
        for (auto& problem : current.problems(text)) {
            Case made{std::move(problem), settings};
            if (pattern.matches(made.repro())) cases_.push_back(std::move(made));
        }
    }
}

std::string CommandLine::find_batch(const std::string& file) const {
    std::vector<std::string> candidates{file};
    if (file.compare(0, 1, "/") != 0) {
        if (!batches_.empty()) candidates.push_back(folder_of(batches_.back()) + "/" + file);
        if (driver_)
            for (const std::string& inputs : inputs_)
                candidates.push_back(inputs + "/" + driver_->name() + "/" + file);
        // shuffle/smoke and inputs/shuffle/smoke, from wherever the program is called
        for (const std::string& inputs : inputs_) candidates.push_back(inputs + "/" + file);
        for (const std::string& inputs : inputs_)
            candidates.push_back(folder_of(inputs) + "/" + file);
    }
    std::string tried;
    for (const std::string& candidate : candidates) {
        std::ifstream stream(candidate);
        if (stream.is_open() && stream.peek() != std::ifstream::traits_type::eof())
            return candidate;
        // An empty file, but no folder, is a batch of nothing.
        if (stream.is_open() && stream.eof() && !stream.bad()) return candidate;
        tried += "\n    " + candidate;
    }
    throw UsageError("--batch=" + file + ": cannot open any of" + tried);
}

void CommandLine::take_batch(const std::string& file) {
    constexpr size_t kMaxDepth = 16;
    const std::string path = find_batch(file);
    if (batches_.size() == kMaxDepth)
        throw UsageError("--batch=" + file + ": batch files include one another more than 16 deep");
    std::ifstream stream(path);
    const auto tokens = read_tokens(stream);
    const std::string outer_base = match_base_;
    match_base_ = match_;
    batches_.push_back(path);
    for (const std::string& token : tokens) {
        try {
            take(token);
        } catch (const UsageError& error) {
            const std::string message = error.what();
            const std::string mark = "in " + path + ": ";
            throw UsageError(message.compare(0, 3, "in ") == 0 ? message : mark + message);
        }
    }
    batches_.pop_back();
    match_base_ = outer_base;
}

void CommandLine::reset() {
    if (driver_) driver_->reset();
    match_ = match_base_;
    scratchpads_ = {tombola_scratchpad_mode_library};
    settings_.allow_enum_tags_only = true;
}

std::string CommandLine::help() const {
    std::string text =
        "benchtombola: correctness and performance of tombola's primitives\n\n"
        "Usage: benchtombola DRIVER [options] PROBLEM ... [options] PROBLEM ...\n\n"
        "An option holds for the problems behind it, and needs one there. Values that commas "
        "separate "
        "(LIST)\ngive the product of cases. A problem may carry a name: 2x8x3x3_n\"name\". Numbers "
        "are decimal or 0x hex.\n\n"
        "Drivers, with their own options:\n";
    for (const auto& driver : drivers_)
        if (!driver_ || driver_ == driver.get()) text += driver->help() + "\n";
    text += "Options of all drivers:\n";
    for (const CommonOption& option : kCommonOptions)
        text += help_line(
            std::string("--") + option.name + (option.value ? "=" + std::string(option.value) : ""),
            option.help);
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
