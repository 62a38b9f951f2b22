// SPDX-License-Identifier: Apache-2.0
#pragma once

// The instruction sets that implementations ask for. They form a ladder: each step contains the step below it.
// TOMBOLA_CPU_ISAS in tombola_types.h is the list.

#include "common/status.hpp"
#include "tombola/tombola_types.h"

namespace tombola::impl {

enum class CpuIsa {
    none = tombola_cpu_isa_none,
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_cpu_isa_##name,
    TOMBOLA_CPU_ISAS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

// All steps of the ladder, and the highest step. The highest step as a cap excludes nothing.
inline constexpr CpuIsa kAllIsas[] = {CpuIsa::none,
#define TOMBOLA_ENUMERATOR(name, value) CpuIsa::name,
                                      TOMBOLA_CPU_ISAS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};
inline constexpr CpuIsa kHighestIsa = kAllIsas[sizeof kAllIsas / sizeof *kAllIsas - 1];

// What this machine and its operating system support. Defined by the cpu layer.
CpuIsa detected_isa();

// Checks whether this process may have executable memory, which generated code needs. A hardened process may not (PR_SET_MDWE, systemd's
// MemoryDenyWriteExecute). The prohibition may begin at any time, for example after a primitive descriptor was created or cached and before
// its primitive is created (see build() in primitive.cpp). The status is executable_memory_denied() if the system refuses, and
// out_of_memory if there is no memory.
Status check_executable_memory();
// The status is unimplemented. `reason`: the errno of mprotect().
Status executable_memory_denied(int reason);

// The smaller of detected_isa() and the cap (TOMBOLA_MAX_CPU_ISA, or set_max_isa).
CpuIsa effective_isa();

// Caps the ISA of primitive descriptors created from now on.
Status set_max_isa(CpuIsa isa);

const char* name_of(CpuIsa isa);

}  // namespace tombola::impl
