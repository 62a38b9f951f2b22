// SPDX-License-Identifier: Apache-2.0
#pragma once

// environment_probe, run with this or that environment, and what it printed.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace tombola::test {

struct Output {
    int exit_code = -1;
    std::vector<std::string> lines;

    std::vector<std::string> with(const std::string& text) const {
        std::vector<std::string> found;
        for (const std::string& line : lines)
            if (line.find(text) != std::string::npos) found.push_back(line);
        return found;
    }
    // What follows "probe NAME ".
    std::string probe(const std::string& name) const {
        const std::vector<std::string> found = with("probe " + name + " ");
        return found.size() == 1 ? found[0].substr(name.size() + 7) : "not printed";
    }
};

// `environment` as in a shell: "NAME=value NAME=value". Standard error is read too.
inline Output run_probe(const std::string& environment, const std::string& arguments = "") {
    const std::string command =
        "env " + environment + " " + TOMBOLA_TEST_PROBE + " " + arguments + " 2>&1";
    Output output;
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return output;
    std::string text;
    char buffer[4096];
    while (const size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, n);
    const int status = pclose(pipe);
    output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) output.lines.push_back(line);
    EXPECT_EQ(output.exit_code, 0) << command << '\n' << text;
    return output;
}

inline std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> parts;
    std::istringstream stream(line);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
}

}  // namespace tombola::test
