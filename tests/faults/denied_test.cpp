// SPDX-License-Identifier: Apache-2.0

// Processes that are denied executable memory, memory for code, or entropy.

#include <gtest/gtest.h>

#include "faults/run.hpp"
#include "tombola/tombola.hpp"

namespace tombola::test {
namespace {

constexpr int kSkipped = 77;

class ExecutableMemory : public testing::TestWithParam<const char*> {};

TEST_P(ExecutableMemory, WhereItIsDeniedThePortableRowServes) {
    const ProbeResult plain = run_faults_probe("plain");
    ASSERT_EQ(plain.exit_code, 0) << plain.output;
    const ProbeResult result =
        run_faults_probe(std::string("denied ") + GetParam(), "TOMBOLA_VERBOSE=dispatch");
    if (result.exit_code == kSkipped) GTEST_SKIP() << "this kernel cannot deny it so";
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(result.value("implementation"), "portable");
    EXPECT_EQ(result.value("sum"), plain.value("sum"));
    if (plain.value("implementation") != "portable") {
        EXPECT_TRUE(result.has("this process may not have executable memory")) << result.output;
    }
}
// mdwe: Linux 6.3 and newer.
INSTANTIATE_TEST_SUITE_P(Denied, ExecutableMemory, testing::Values("seccomp", "mdwe"));

// No page is ever writable and executable at once: where the system refuses such pages, code is generated all the same.
TEST(Denied, CodeNeedsNoWritableExecutableMemory) {
    const ProbeResult plain = run_faults_probe("plain");
    ASSERT_EQ(plain.exit_code, 0) << plain.output;
    const ProbeResult result = run_faults_probe("denied writable-code");
    if (result.exit_code == kSkipped) GTEST_SKIP() << "this kernel has no filters";
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(result.value("implementation"), plain.value("implementation"));
    EXPECT_EQ(result.value("sum"), plain.value("sum"));
}

TEST(Denied, WhenItIsDeniedLatePrimitivesArePortable) {
    const ProbeResult result = run_faults_probe("denied-late");
    if (result.exit_code == kSkipped) GTEST_SKIP() << "this kernel has no filters";
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(result.value("described"), "portable") << result.output;
    EXPECT_EQ(result.value("equal"), "portable") << result.output;
}

TEST(Denied, WithoutThreadsAnExecutionOnTheCallersOwnIsRight) {
    const std::string sum = run_faults_probe("plain").value("sum");
    const ProbeResult alone = run_faults_probe("no-threads 1", "OMP_NUM_THREADS=3");
    if (alone.exit_code == kSkipped) GTEST_SKIP() << "this kernel has no filters";
    ASSERT_EQ(alone.exit_code, 0) << alone.output;
    EXPECT_EQ(alone.value("sum"), sum) << alone.output;
    // Without a limit the run-time library decides. libgomp ends the process, as tombola.h says; TBB has ways of its own.
    if (std::string(version()->cpu_runtime) == "TBB") return;
    const ProbeResult shared = run_faults_probe("no-threads 0", "OMP_NUM_THREADS=3");
    if (shared.exit_code == 0) {
        EXPECT_EQ(shared.value("sum"), sum) << shared.output;
    } else {
        EXPECT_EQ(shared.exit_code, 1) << shared.output;
        EXPECT_TRUE(shared.has("libgomp: Thread creation failed") || !shared.value("error").empty())
            << shared.output;
    }
}

TEST(Denied, WithoutMemoryForCodeThePortableRowServesForThatTimeOnly) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer needs the address space";
#endif
    const ProbeResult result = run_faults_probe("no-code-pages");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    const std::string implementation = result.value("implementation");
    EXPECT_EQ(result.value("without-code"), "portable") << result.output;
    EXPECT_EQ(result.value("without-pages"), "portable") << result.output;
    EXPECT_EQ(result.value("again"), implementation) << result.output;
    EXPECT_EQ(result.value("all-again"), implementation) << result.output;
    for (const char* when : {"without-code", "without-pages", "again", "all-again"})
        EXPECT_EQ(result.value(when + std::string("-words")), "equal") << result.output;
}

TEST(Denied, WithoutEntropyAnExecutionThatNeedsItFails) {
    const ProbeResult result = run_faults_probe("no-entropy");
    if (result.exit_code == kSkipped) GTEST_SKIP() << "this kernel has no filters";
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(result.value("status"), "runtime_error") << result.output;
    EXPECT_NE(result.value("message").find("entropy"), std::string::npos) << result.output;
}

}  // namespace
}  // namespace tombola::test
