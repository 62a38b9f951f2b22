// SPDX-License-Identifier: Apache-2.0

// What happens to a process while it uses the library: signals, and its end.

#include <gtest/gtest.h>

#include <filesystem>

#include "faults/run.hpp"
#include "gtests/common/folder.hpp"
#include "tombola/tombola.hpp"

namespace tombola::test {
namespace {

TEST(Signals, InterruptExecutionsAndCreationsWithoutATrace) {
    const Folder folder("tombola_signals");
    const ProbeResult result =
        run_faults_probe("signals", "OMP_WAIT_POLICY=passive TOMBOLA_JIT_DUMP=" + folder.path());
    ASSERT_EQ(result.exit_code, 0) << result.output;
    EXPECT_GT(std::atoi(result.value("handled").c_str()), 10) << result.output;
    EXPECT_FALSE(result.has("cannot be written")) << result.output;
    // Portable implementations have no code to be dumped.
    if (get_effective_cpu_isa() != cpu_isa::none) {
        EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
    }
}

TEST(StaticDestruction, PrimitivesServeUntilTheLastStaticObjectIsGone) {
    const ProbeResult result =
        run_faults_probe("static-destruction", "OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2");
    ASSERT_EQ(result.exit_code, 0) << result.output;
    for (const char* when : {"thread", "main-thread", "static"})
        EXPECT_EQ(result.value(when), "right") << result.output;
}

}  // namespace
}  // namespace tombola::test
