// SPDX-License-Identifier: Apache-2.0
#include "common/command_line.hpp"

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "common/errors.hpp"
#include "common/execution.hpp"
#include "common/value.hpp"

namespace tombola::bench {

namespace {

std::string strip_quotes(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
    return text;
}

// A POSIX extended regular expression, as grep -E takes it; an empty one matches everything.
class Pattern {
  public:
    Pattern(const std::string& option, const std::string& text) {
        if (regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
            refuse_value(option, text, "a regular expression as grep -E takes it");
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
std::string join(const std::vector<std::string>& pieces, const char* separator) {
    std::string text;
    for (const std::string& piece : pieces) text += (text.empty() ? "" : separator) + piece;
    return text;
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

// Options of benchdnn's that say nothing here. They are taken with the values with which the run is the same, so that
// its batch files and command lines need no change.
struct WithoutEffect {
    const char* name;
    const char* values;    // a regular expression for each value of a list
    const char* expected;  // of the values
};
constexpr const char* kNoAttribute = "no value: no primitive of this library has the attribute";
constexpr WithoutEffect kWithoutEffect[] = {
    {"mode-modifier", "^[PpMm]*$", "P, M or both"},
    {"fast-ref", "^(true|false|1|0)$", "true or false"},
    {"attr-same-pd-check", "^(true|false|1|0)$", "true or false"},
    {"attr-deterministic", "^(true|false|1|0)$", "true or false"},
    {"attr-fpmath", "^(strict|bf16|f16|tf32|any|)(:(true|false))?$",
     "strict, bf16, f16, tf32, any"},
    {"attr-acc-mode", "^(strict|relaxed|any|f32|s32|f16|)$", "strict, relaxed, any, f32, s32, f16"},
    {"attr-rounding-mode", "^$", kNoAttribute},
    {"attr-scales", "^$", kNoAttribute},
    {"attr-zero-points", "^$", kNoAttribute},
    {"attr-precomputed-reductions", "^$", kNoAttribute},
    {"attr-post-ops", "^$", kNoAttribute},
    {"attr-dropout", "^$", kNoAttribute},
    {"buffer-prefix", "^$", "no value; --src=FILE gives the input tensor"},
    {"cpu-isa-hints", "^(none|no_hints|prefer_ymm)$", "none, no_hints or prefer_ymm"},
    {"ctx-init", "^(auto|[1-9][0-9]*)(:(auto|[0-9]+))*$", "auto or a number of threads"},
    {"execution-mode", "^direct$", "direct"},
    {"memory-kind", "^(usm|buffer|usm_device|usm_shared)$", "usm, buffer, usm_device, usm_shared"},
    {"num-streams", "^1$", "1"},
    {"stream-kind", "^(def|in_order|out_of_order)$", "def, in_order or out_of_order"},
};

// Levenshtein's distance with transpositions of neighbours: the number of letters to insert, delete, replace or swap.
size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); ++i)
        for (size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                                d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

struct Token {
    std::string text;
    size_t line;
};
// Words separated by white space, which double quotes protect; a word that begins with # begins a comment.
std::vector<Token> read_tokens(const std::string& path) {
    std::ifstream file(path);
    std::vector<Token> tokens;
    std::string line;
    for (size_t number = 1; std::getline(file, line); ++number) {
        std::string token;
        bool quoted = false;
        if (line.find('\0') != std::string::npos)
            throw UsageError(fmt::format("in {}:{}: a byte of 0; expected text", path, number));
        for (char c : line + " ") {
            if (c == '"') quoted = !quoted;
            if (quoted || !std::isspace(static_cast<unsigned char>(c))) {
                if (c == '#' && token.empty()) break;
                token += c;
            } else if (!token.empty()) {
                tokens.push_back({token, number});
                token.clear();
            }
        }
        if (quoted)
            throw UsageError(
                fmt::format("in {}:{}: {}: expected a closing \"", path, number, token));
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
        name == "--version" || name == "--engine" || name == "--summary" || name == "--start")
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
    if (const std::string attributes = settings->attributes(); !attributes.empty())
        common += " " + attributes;
    if (!settings->allow_enum_tags_only) common += " --allow-enum-tags-only=false";
    if (!settings->impl.empty()) common += " --impl=" + join(settings->impl, ",");
    if (!settings->skip_impl.empty()) common += " --skip-impl=" + join(settings->skip_impl, ",");
    if (settings->threads > 0) common += " --threads=" + std::to_string(settings->threads);
    if (!settings->src.empty()) common += " --src=" + settings->src;
    if (!settings->state.empty()) common += " --state=" + settings->state;
    // Between the driver's option and its own.
    const size_t space = line.find(' ');
    return line.insert(space, common);
}

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
             line.filters_.match = strip_quotes(value);
             const Pattern checked("--match", line.filters_.match);
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
         "implementation. 2: also the library's verbose lines",
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
    for (const WithoutEffect& known : kWithoutEffect) {
        if (name != known.name) continue;
        const Pattern pattern("--" + name, known.values);
        for (const std::string& piece : split(value, ','))
            if (!has_value || !pattern.matches(piece))
                refuse_value("--" + name, value, known.expected);
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
    const auto far = [&](const std::string& candidate) { return distance("--" + name, candidate); };
    const auto closest = std::min_element(
        known.begin(), known.end(),
        [&](const std::string& a, const std::string& b) { return far(a) < far(b); });
    // A third of the letters may be wrong.
    const bool is_near = far(*closest) * 3 <= std::max<size_t>(name.size(), 3);
    throw UsageError(option + ": unknown option; " +
                     (is_near ? "did you mean " + *closest + "? " : "") + "--help lists them");
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
    const Pattern pattern("--match", filters_.match);
    for (tombola_scratchpad_mode_t scratchpad : scratchpads_) {
        auto settings = std::make_shared<Settings>(settings_);
        settings->scratchpad = scratchpad;
        const bool is_global = !global_impl_.empty() || !global_skip_impl_.empty();
        settings->impl = is_global ? global_impl_ : filters_.impl;
        settings->impl_may_miss = !is_global && filters_.impl_may_miss;
        settings->skip_impl = is_global ? global_skip_impl_ : filters_.skip_impl;
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
    const auto tokens = read_tokens(path);
    const Filters outside = outer_filters_;
    outer_filters_ = filters_;
    batches_.push_back(path);
    for (const Token& token : tokens) {
        try {
            take(token.text);
        } catch (const UsageError& error) {
            const std::string message = error.what();
            // Of files that name one another the innermost is told.
            if (message.compare(0, 3, "in ") == 0) throw;
            throw UsageError(fmt::format("in {}:{}: {}", path, token.line, message));
        }
    }
    batches_.pop_back();
    outer_filters_ = outside;
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
            refuse_value("--impl", join(asked.impl, ","),
                         "a name, or a part of one, of " + asked.driver +
                             "'s implementations: " + join(asked.seen, ", "));
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
