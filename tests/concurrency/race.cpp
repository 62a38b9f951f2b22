// SPDX-License-Identifier: Apache-2.0

// Two tasks of one parallel() call, which run at the same time on two threads. By default both write the same variable,
// which ThreadSanitizer must report. With the argument "own" each writes its own, and the caller reads both afterwards,
// which it must not report. So scripts/concurrency knows that ThreadSanitizer understands the threading run-time.

#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "common/active_threadpool.hpp"
#include "common/parallel.hpp"
#include "gtests/common/test_threadpool.hpp"

int main(int argc, char** argv) {
    using namespace tombola::impl;
    const bool own = argc > 1 && std::strcmp(argv[1], "own") == 0;
    tombola::test::TestThreadpool pool(1);
    SpareJobs jobs;
    const ActiveThreadpool active(&pool, &jobs);  // other run-times do not look at it
    if (max_threads() < 2) {
        std::puts("race: there is one thread only");
        return 77;
    }

    std::array<int, 2> written{};
    // The tasks wait for each other. Relaxed operations order nothing, so they do not hide the race.
    std::atomic<int> arrived{0};
    parallel(2, [&](int part, int) {
        arrived.fetch_add(1, std::memory_order_relaxed);
        while (arrived.load(std::memory_order_relaxed) < 2) {
        }
        ++written[own ? static_cast<size_t>(part) : 0];
    });
    std::printf("race: %d and %d\n", written[0], written[1]);
    return 0;
}
