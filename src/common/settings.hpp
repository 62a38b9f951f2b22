// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the environment and the service functions of the API set. The environment is read once, at
// first use; a value that makes no sense is ignored, and verbose mode says so.

#include <string>

#include "common/cpu_isa.hpp"
#include "common/status.hpp"

namespace tombola::impl {

int verbose_level();
Status set_verbose_level(int level);

CpuIsa isa_cap();
void set_isa_cap(CpuIsa isa);

// TOMBOLA_PRIMITIVE_CACHE_CAPACITY; the cache itself keeps the number in force.
int initial_cache_capacity();

// TOMBOLA_JIT_DUMP: the folder that generated code is written to; empty: none.
const std::string& jit_dump_folder();

// TOMBOLA_JIT_PROFILE: how generated code is made known to perf.
enum class JitProfile { none, perfmap, jitdump };
JitProfile jit_profile();

}  // namespace tombola::impl
