// SPDX-License-Identifier: Apache-2.0

// benchtombola: runs problems of the library's primitives, compares them with references, measures them.

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "common/command_line.hpp"
#include "common/errors.hpp"
#include "common/report.hpp"
#include "common/run_case.hpp"

namespace {

using namespace tombola::bench;

// Beside the program, then in the sources it was built from.
std::vector<std::string> input_folders() {
    std::vector<std::string> folders;
    std::string path(4096, '\0');
    const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
    if (length > 0) {
        path.resize(static_cast<size_t>(length));
        folders.push_back(path.substr(0, path.rfind('/')) + "/inputs");
    }
    folders.push_back(TOMBOLA_BENCH_INPUTS);
    return folders;
}

int run(const std::vector<std::string>& args) {
    CommandLine command_line(input_folders());
    command_line.parse(args);
    if (command_line.help_wanted()) {
        fmt::print("{}", command_line.help());
        return 0;
    }
    if (command_line.verbose() >= 2) require(tombola_set_verbose(2), "tombola_set_verbose");

    std::vector<Case>& cases = command_line.cases();
    Report report(command_line.verbose(), cases.size());
    for (size_t i = 0; i < cases.size(); ++i) {
        Case& current = cases[i];
        const Settings& settings = *current.settings;
        report.start(*current.problem, current.repro());
        // The last of those that would write the file.
        const bool dump = !settings.dump.empty() &&
                          (i + 1 == cases.size() || cases[i + 1].settings->dump != settings.dump);
        const CaseResult result = run_case(*current.problem, settings, dump);
        report.finish(*current.problem, settings, current.repro(), result);
    }
    report.summary();
    return report.ok() ? 0 : kExitFailed;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(std::vector<std::string>(argv + 1, argv + argc));
    } catch (const UsageError& error) {
        fmt::print(stderr, "benchtombola: {}\n", error.what());
        return kExitUsage;
    } catch (const std::exception& error) {
        fmt::print(stderr, "benchtombola: {}\n", error.what());
        return kExitFailed;
    }
}
