// SPDX-License-Identifier: Apache-2.0

// benchtombola's command line and batch files, in this process. The input is a command line of lines, or, where its first
// byte says so, a batch file. What is taken must print a line that is taken again as the same problem; and of small
// problems the library's results are those of the references.

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "common/command_line.hpp"
#include "common/errors.hpp"
#include "common/report.hpp"
#include "common/run_case.hpp"
#include "fuzz/fuzz.hpp"

namespace tombola::fuzz {
namespace {

using namespace tombola::bench;

constexpr size_t kMostCases = 2;  // of an input that are looked at

std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) all.push_back(word);
    return all;
}

bool at_most(const Problem& problem, const char* field, uint64_t most) {
    const auto value = problem.field_value(field);
    return !value || (value->size() < 12 && std::strtoull(value->c_str(), nullptr, 0) <= most);
}

// Whether the references are done with it in no time.
bool is_small(const Problem& problem) {
    int64_t elements = 1;
    for (const int64_t size : parse_dims(problem.sizes()))
        if (size > 300 || (elements *= std::max<int64_t>(size, 1)) > 300) return false;
    return at_most(problem, "samples", 30) && at_most(problem, "range", 1000) &&
           at_most(problem, "offset", 1000);
}

void check_repro(const Case& made) {
    const std::string line = made.repro();
    // A name, a file or an implementation may have spaces and quotes in it, which a shell would protect.
    if (line.find_first_of("\"' \t\n\\") != line.find(' ')) return;
    CommandLine again({});
    try {
        again.parse(words(line));
    } catch (const UsageError& error) {
        report("the line " + line + " is refused: " + error.what());
    }
    if (again.cases().size() != 1 ||
        again.cases()[0].problem->repro(true) != made.problem->repro(true))
        report("the line " + line + " makes another problem");
}

void run(Case& made) {
    Settings settings;
    settings.scratchpad = made.settings->scratchpad;
    settings.allow_enum_tags_only = made.settings->allow_enum_tags_only;
    const CaseResult result = run_case(*made.problem, settings, false);
    if (result.state == State::failed) report(made.repro() + ": " + result.reason);
}

void parse(const std::vector<std::string>& args) {
    CommandLine line({TOMBOLA_BENCH_INPUTS});
    try {
        line.parse(args);
    } catch (const UsageError& error) {
        expect(error.what()[0] != '\0', "a mistake without a message");
        return;
    }
    if (line.help_wanted()) {
        expect(!line.help().empty(), "no help");
        return;
    }
    std::vector<Case>& cases = line.cases();
    for (size_t i = 0; i < std::min(cases.size(), kMostCases); ++i) {
        check_repro(cases[i]);
        if (is_small(*cases[i].problem)) run(cases[i]);
    }
}

// One path for all inputs of this process.
std::string batch_path() {
    static const std::string path = "/dev/shm/tombola_fuzz_batch." + std::to_string(getpid());
    static const bool registered = std::atexit([] { unlink(path.c_str()); }) == 0;
    expect(registered, "atexit");
    return path;
}

}  // namespace
}  // namespace tombola::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace tombola::fuzz;
    const std::string text(reinterpret_cast<const char*>(data), size);
    // A name of a file that is read or written is no business of a fuzzer.
    for (const char* option : {"--dump", "--src", "--state", "--uniforms", "/dev", "/proc"})
        if (text.find(option) != std::string::npos) return -1;
    if (size > 0 && data[0] == '#') {
        std::ofstream(batch_path(), std::ios::binary) << text;
        parse({"--batch=" + batch_path()});
    } else {
        // An argument is a line, so that it can have spaces in it.
        std::vector<std::string> args;
        std::istringstream stream(text);
        for (std::string arg; std::getline(stream, arg);) args.push_back(arg);
        parse(args);
    }
    return 0;
}
