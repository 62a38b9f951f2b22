// SPDX-License-Identifier: Apache-2.0

// main() of every test binary. When TOMBOLA_MAX_CPU_ISA asks for an instruction set, the tests run
// under exactly that one or not at all: a machine that lacks it gives exit code 77, which ctest
// reports as skipped.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tombola/tombola.h"

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    if (const char* wanted = std::getenv("TOMBOLA_MAX_CPU_ISA"); wanted && *wanted) {
        const char* have = tombola_cpu_isa2str(tombola_get_effective_cpu_isa());
        if (std::strcmp(wanted, have) != 0) {
            std::printf("skipped: TOMBOLA_MAX_CPU_ISA asks for %s, this machine has %s\n", wanted,
                        have);
            return 77;
        }
    }
    return RUN_ALL_TESTS();
}
