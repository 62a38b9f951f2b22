// SPDX-License-Identifier: Apache-2.0
#pragma once

// The settings that the environment and the service functions of the API make. The environment is read once, at first
// use. A program that runs with more rights than its user (setuid) ignores it. An invalid value is ignored and named
// once on standard error, unless TOMBOLA_VERBOSE is 0 or none.

#include <optional>
#include <string>

#include "common/cpu_isa.hpp"
#include "common/machine.hpp"
#include "common/status.hpp"

namespace tombola::impl {

// What verbose mode prints.
constexpr unsigned kVerboseWarn = 1;      // what the environment asks for and the library cannot do
constexpr unsigned kVerboseError = 2;     // calls that fail
constexpr unsigned kVerboseCheck = 4;     // only calls that fail because of wrong arguments
constexpr unsigned kVerboseDispatch = 8;  // implementations that refuse
constexpr unsigned kVerboseCreate = 16;   // creations
constexpr unsigned kVerboseExec = 32;     // executions
unsigned verbose_flags();

// 0: nothing. 1: executions, failures and warnings. 2: everything. TOMBOLA_VERBOSE can also name the flags one by one.
Status set_verbose_level(int level);

// Prints one line on standard error, independently of the flags.
void print_warning(const std::string& message);

CpuIsa isa_cap();
void set_isa_cap(CpuIsa isa);

// TOMBOLA_MACHINE: the microarchitecture whose costs are used in place of the detected one; empty: none.
std::optional<Microarchitecture> machine_asked_for();

// TOMBOLA_WAKING: the microseconds that waking a thread is taken to cost; empty: what is observed.
std::optional<int> waking_asked_for();

// TOMBOLA_PRIMITIVE_CACHE_CAPACITY. The cache itself keeps the current capacity.
int initial_cache_capacity();

// TOMBOLA_JIT_DUMP: the folder that generated code is written to; empty: none.
const std::string& jit_dump_folder();

// TOMBOLA_JIT_PROFILE: how generated code is made known to perf.
enum class JitProfile { none, perfmap, jitdump };
JitProfile jit_profile();

// JITDUMPDIR: the folder of the jitdump file; empty: the current one.
const std::string& jitdump_folder();

}  // namespace tombola::impl
