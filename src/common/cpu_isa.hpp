// SPDX-License-Identifier: Apache-2.0
#pragma once

// The instruction sets that implementations ask for, as a ladder: each step has all of the one
// below.
//
//   none               portable C++ only
//   avx2               AVX2, FMA, F16C, BMI1, BMI2, PCLMULQDQ
//   avx512_core        avx2 and AVX-512 F, CD, BW, DQ, VL
//   avx512_core_vbmi   avx512_core and AVX-512 VBMI, VBMI2, VPCLMULQDQ (Ice Lake and newer, Zen 4
//   and newer)

#include "common/status.hpp"
#include "tombola/tombola_types.h"

namespace tombola::impl {

enum class CpuIsa {
    none = tombola_cpu_isa_none,
    avx2 = tombola_cpu_isa_avx2,
    avx512_core = tombola_cpu_isa_avx512_core,
    avx512_core_vbmi = tombola_cpu_isa_avx512_core_vbmi,
};

// All steps of the ladder, and the highest step: as a cap it excludes nothing.
inline constexpr CpuIsa kAllIsas[] = {CpuIsa::none, CpuIsa::avx2, CpuIsa::avx512_core,
                                      CpuIsa::avx512_core_vbmi};
inline constexpr CpuIsa kHighestIsa = CpuIsa::avx512_core_vbmi;

// What this machine and its operating system support. Defined by the cpu layer.
CpuIsa detected_isa();

// Checks whether this process may have executable memory, which generated code needs. A hardened process may not
// (PR_SET_MDWE, systemd's MemoryDenyWriteExecute). The prohibition may begin at any time, so the answer is not cached.
// The status is unimplemented if the system refuses, and out_of_memory if there is no memory. Defined by the cpu layer.
Status check_executable_memory();

// The smaller of detected_isa() and the cap (TOMBOLA_MAX_CPU_ISA, or set_max_isa).
CpuIsa effective_isa();

// Caps the ISA of primitive descriptors created from now on.
Status set_max_isa(CpuIsa isa);

const char* name_of(CpuIsa isa);

}  // namespace tombola::impl
