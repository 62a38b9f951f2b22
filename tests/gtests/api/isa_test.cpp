// SPDX-License-Identifier: Apache-2.0

// The instruction set that is asked for is the one in force. What the machine has is asked of the
// compiler's run-time (__builtin_cpu_supports), not of the library.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tombola/tombola.h"

namespace {

tombola_cpu_isa_t machine_isa() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
        !__builtin_cpu_supports("popcnt") || !__builtin_cpu_supports("pclmul"))
        return tombola_cpu_isa_none;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512cd") ||
        !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return tombola_cpu_isa_avx2;
    if (!__builtin_cpu_supports("avx512vbmi") || !__builtin_cpu_supports("avx512vbmi2") ||
        !__builtin_cpu_supports("vpclmulqdq"))
        return tombola_cpu_isa_avx512_core;
    return tombola_cpu_isa_avx512_core_vbmi;
#else
    return tombola_cpu_isa_none;
#endif
}

TEST(Isa, EffectiveIsTheMachinesOrTheEnvironmentsCap) {
    const char* cap = std::getenv("TOMBOLA_MAX_CPU_ISA");
    const tombola_cpu_isa_t effective = tombola_get_effective_cpu_isa();
    EXPECT_LE(effective, machine_isa());
    EXPECT_EQ(std::string(tombola_cpu_isa2str(effective)),
              cap ? std::string(cap) : std::string(tombola_cpu_isa2str(machine_isa())));
}

TEST(Isa, ApiCapsBelowTheMachine) {
    const tombola_cpu_isa_t before = tombola_get_effective_cpu_isa();
    for (int isa = tombola_cpu_isa_none; isa <= tombola_cpu_isa_avx512_core_vbmi; ++isa) {
        const auto cap = static_cast<tombola_cpu_isa_t>(isa);
        ASSERT_EQ(tombola_set_max_cpu_isa(cap), tombola_success);
        EXPECT_EQ(tombola_get_effective_cpu_isa(), std::min(cap, machine_isa()));
    }
    ASSERT_EQ(tombola_set_max_cpu_isa(before), tombola_success);
}

TEST(Isa, UnknownCapIsRefused) {
    const tombola_cpu_isa_t before = tombola_get_effective_cpu_isa();
    EXPECT_EQ(tombola_set_max_cpu_isa(static_cast<tombola_cpu_isa_t>(99)),
              tombola_invalid_arguments);
    EXPECT_NE(std::string(tombola_get_last_error()).find("99"), std::string::npos)
        << tombola_get_last_error();
    EXPECT_EQ(tombola_get_effective_cpu_isa(), before);
}

}  // namespace
