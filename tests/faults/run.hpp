// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs faults_probe in a process of its own, with a time limit, and collects what it prints.

#include <unistd.h>

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace tombola::test {

struct ProbeResult {
    int exit_code = -1;  // 124: the time limit passed; 128 + n: signal n ended it
    std::string output;  // standard output and standard error

    bool has(const std::string& text) const { return output.find(text) != std::string::npos; }
    // What follows "NAME=" up to the end of the line; empty when there is no such line.
    std::string value(const std::string& name) const {
        const size_t at = ("\n" + output).find("\n" + name + "=");
        if (at == std::string::npos) return "";
        const size_t begin = at + name.size() + 1;
        return output.substr(begin, output.find('\n', begin) - begin);
    }
};

// `environment` as in a shell: "NAME=value NAME=value".
inline ProbeResult run_faults_probe(const std::string& arguments,
                                    const std::string& environment = "", int seconds = 60,
                                    const std::string& program = FAULTS_PROBE) {
    const std::string command = "env " + environment + " timeout -k 1 " + std::to_string(seconds) +
                                " '" + program + "' " + arguments + " 2>&1";
    ProbeResult result;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return result;
    char buffer[4096];
    while (const size_t size = std::fread(buffer, 1, sizeof buffer, pipe))
        result.output.append(buffer, size);
    const int status = pclose(pipe);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

// Whether a program can count its threads: a bare root may have no /proc.
inline bool threads_can_be_counted() { return access("/proc/self/task", R_OK) == 0; }

}  // namespace tombola::test
