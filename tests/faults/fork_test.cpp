// SPDX-License-Identifier: Apache-2.0

// Children of fork(): they create and execute primitives as their parent does. The time limit of run_faults_probe() is
// what finds a child that hangs.

#include <gtest/gtest.h>

#include <cstring>

#include "faults/run.hpp"
#include "tombola/tombola.hpp"

namespace tombola::test {
namespace {

TEST(Fork, ChildOfAProcessThatExecutedInParallelExecutes) {
    const ProbeResult result =
        run_faults_probe("fork-after-execution", "OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive", 30);
    EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(Fork, ChildOfAProcessWhoseThreadsCreatePrimitivesCreates) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    // malloc() of the C library is usable in the child; the sanitizers' own is not.
    GTEST_SKIP() << "the sanitizer's malloc() keeps locks of lost threads in the child";
#endif
    const ProbeResult result = run_faults_probe("fork-while-creating", "", 60);
    EXPECT_EQ(result.exit_code, 0) << result.output;
}

TEST(Fork, ChildOfAProcessWhoseThreadIsInsideItsFirstCallCreates) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer's malloc() keeps locks of lost threads in the child";
#endif
    const ProbeResult result = run_faults_probe("fork-in-first-call", "");
    EXPECT_EQ(result.exit_code, 0) << result.output;
}

// A child whose parent had no other thread loses nothing.
TEST(Fork, ChildOfAProcessWithOneThreadUsesThreads) {
    if (std::strcmp(version()->cpu_runtime, "OMP") != 0) GTEST_SKIP() << "not an OMP build";
    if (!threads_can_be_counted()) GTEST_SKIP() << "there is no /proc";
    const ProbeResult result =
        run_faults_probe("fork-first", "OMP_NUM_THREADS=3 OMP_WAIT_POLICY=passive");
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(result.value("threads"), "3") << result.output;
}

}  // namespace
}  // namespace tombola::test
