// SPDX-License-Identifier: Apache-2.0

// What the suite `faults` runs: one scenario for each process, named by the first argument. Prints NAME=value lines.
// Exit codes: 0 the scenario ran; 1 an unexpected error; 2 an unknown scenario.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "faults/work.hpp"
#include "tombola/tombola.hpp"

namespace {

using namespace tombola;
using namespace tombola::test;

int count_threads() {
    using std::filesystem::directory_iterator;
    return static_cast<int>(
        std::distance(directory_iterator("/proc/self/task"), directory_iterator()));
}

// threads LIMIT: how many threads the process has after an execution on a stream with that limit.
void run_threads(const char* limit) {
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    strm.set_max_threads(std::atoi(limit));
    const BigFill fill(eng);
    fill.execute(strm);
    std::printf("sum=%llu\nthreads=%d\n", static_cast<unsigned long long>(fill.sum()),
                count_threads());
}

const std::map<std::string, std::function<void(const char*)>> kScenarios = {
    {"threads", run_threads},
};

}  // namespace

int main(int argc, char** argv) {
    const auto scenario = kScenarios.find(argc > 1 ? argv[1] : "");
    if (scenario == kScenarios.end()) return 2;
    try {
        scenario->second(argc > 2 ? argv[2] : "");
    } catch (const std::exception& error) {
        std::printf("error=%s\n", error.what());
        return 1;
    }
    return 0;
}
