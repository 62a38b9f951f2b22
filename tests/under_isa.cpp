// SPDX-License-Identifier: Apache-2.0

// Usage: under_isa PROGRAM [ARGUMENT...]
//
// Runs a program that does not itself check which instruction set is in force. If the machine lacks the one that TOMBOLA_MAX_CPU_ISA asks
// for, it gives exit code 77 instead, which ctest reports as skipped.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tombola/tombola.h"

int main(int argc, char** argv) {
    const char* wanted = std::getenv("TOMBOLA_MAX_CPU_ISA");
    if (argc < 2 || wanted == nullptr || *wanted == '\0') {
        std::fputs("usage: TOMBOLA_MAX_CPU_ISA=ISA under_isa PROGRAM [ARGUMENT...]\n", stderr);
        return 2;
    }
    const char* have = tombola_cpu_isa2str(tombola_get_effective_cpu_isa());
    if (std::strcmp(wanted, have) != 0) {
        std::printf("skipped: TOMBOLA_MAX_CPU_ISA asks for %s, this machine has %s\n", wanted,
                    have);
        return 77;
    }
    execvp(argv[1], argv + 1);
    std::perror(argv[1]);
    return 2;
}
