// SPDX-License-Identifier: Apache-2.0

// main() of every test binary. When TOMBOLA_MAX_CPU_ISA asks for an instruction set, the tests run
// under exactly that one or not at all: a machine that lacks it gives exit code 77, which ctest
// reports as skipped.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tombola/tombola.h"

constexpr int kSkipped = 77;  // what ctest reports as skipped

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (const char* wanted = std::getenv("TOMBOLA_MAX_CPU_ISA"); wanted && *wanted) {
        const char* have = tombola_cpu_isa2str(tombola_get_effective_cpu_isa());
        if (std::strcmp(wanted, have) != 0) {
            std::printf("skipped: TOMBOLA_MAX_CPU_ISA asks for %s, this machine has %s\n", wanted,
                        have);
            return kSkipped;
        }
    }
    const int result = RUN_ALL_TESTS();
    const auto& ran = *testing::UnitTest::GetInstance();
    if (ran.test_to_run_count() == 0) return 1;  // no test has the name that the filter asks for
    // A run in which every test skips itself is no success.
    return result == 0 && ran.skipped_test_count() == ran.test_to_run_count() ? kSkipped : result;
}
