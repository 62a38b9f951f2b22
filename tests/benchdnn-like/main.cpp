// SPDX-License-Identifier: Apache-2.0

// benchtombola: runs problems of the library's primitives, compares them with references, measures them.

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "common/command_line.hpp"
#include "common/errors.hpp"
#include "common/report.hpp"
#include "common/run_case.hpp"

namespace {

using namespace tombola::bench;

// Not by fmt, which throws if standard error cannot be written.
void print_error(const std::string& message) {
    std::fputs(("benchtombola: " + message + "\n").c_str(), stderr);
}

// Signals that end the process. The handler says on standard error which case was running, and leaves the rest to the handler that there was
// before, such as AddressSanitizer's.
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
struct sigaction before_crash[std::size(kCrashes)];
std::string running_case;

void name_case_of_crash(int signal, siginfo_t* info, void*) {
    const ssize_t written = ::write(STDERR_FILENO, running_case.data(), running_case.size());
    static_cast<void>(written);
    for (size_t i = 0; i < std::size(kCrashes); ++i)
        if (kCrashes[i] == signal) sigaction(signal, &before_crash[i], nullptr);
    // A fault comes again by itself.
    if (info->si_code <= 0) raise(signal);
}

void catch_crashes() {
    struct sigaction action {};
    action.sa_sigaction = name_case_of_crash;
    action.sa_flags = SA_SIGINFO;
    for (size_t i = 0; i < std::size(kCrashes); ++i)
        sigaction(kCrashes[i], &action, &before_crash[i]);
}

// Beside the program, then where they are installed.
std::vector<std::string> input_folders() {
    std::error_code failure;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
    if (failure) return {};
    const std::filesystem::path folder = program.parent_path();
    return {folder / "inputs", (folder / TOMBOLA_BENCH_INPUTS).lexically_normal()};
}

int run(const std::vector<std::string>& args) {
    CommandLine command_line(input_folders());
    command_line.parse(args);
    if (command_line.help_wanted()) {
        fmt::print("{}", command_line.help());
        return 0;
    }
    if (command_line.version_wanted()) {
        const tombola_version_t& version = *tombola_version();
        fmt::print("benchtombola {}.{}.{}, CPU run-time {}\n", version.major, version.minor,
                   version.patch, version.cpu_runtime);
        return 0;
    }
    command_line.require_implementations();
    if (command_line.verbose() >= 2) require(tombola_set_verbose(2), "tombola_set_verbose");

    std::vector<Case>& cases = command_line.cases();
    size_t total = 0;
    for (const Case& made : cases) total += static_cast<size_t>(made.settings->repeats);
    Report report(command_line.verbose(), total, command_line.summary());
    catch_crashes();
    size_t number = 0;
    bool dumps_written = true;
    for (size_t i = 0; i < cases.size(); ++i) {
        Case& current = cases[i];
        const Settings& settings = *current.settings;
        // The last of those that would write the file.
        const bool dump = !settings.dump.empty() &&
                          (i + 1 == cases.size() || cases[i + 1].settings->dump != settings.dump);
        for (int repeat = 0; repeat < settings.repeats; ++repeat, ++number) {
            const std::string repro = current.repro();
            running_case = "benchtombola: this case ended the process: " + repro + "\n";
            report.start(*current.problem, repro);
            const bool dumps = dump && repeat + 1 == settings.repeats;
            CaseResult result;
            if (number < command_line.start()) {
                result.state = State::skipped;
                result.reason = "before --start";
            } else {
                result = run_case(*current.problem, settings, dumps);
            }
            report.finish(*current.problem, settings, current.repro(), result);
            if (!dumps || result.dumped || settings.mode.list || settings.mode.initialize) continue;
            print_error(
                fmt::format("--dump={}: not written, because the last problem has no result: {}",
                            settings.dump, current.repro()));
            dumps_written = false;
        }
    }
    report.summary();
    if (cases.empty()) print_error("nothing has run: --match takes no case, or the batch has none");
    return report.ok() && dumps_written ? 0 : kExitFailed;
}

// What has been printed must have arrived: a full disk is a failure.
int with_output_checked(int status) {
    if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
    print_error(fmt::format("cannot write the standard output: {}", std::strerror(errno)));
    return status == 0 ? kExitFailed : status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return with_output_checked(run(std::vector<std::string>(argv + 1, argv + argc)));
    } catch (const UsageError& error) {
        print_error(error.what());
        return kExitUsage;
    } catch (const std::system_error& error) {  // of fmt::print
        print_error("cannot write the standard output: " + error.code().message());
        return kExitFailed;
    } catch (const std::exception& error) {
        print_error(error.what());
        return kExitFailed;
    }
}
