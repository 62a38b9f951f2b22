// SPDX-License-Identifier: Apache-2.0
#pragma once

// TOMBOLA_VERBOSE prints what the library is doing in the form of oneDNN 3: one comma-separated line per event on
// standard output. This example is one line:
//
//   tombola_verbose,v1,primitive,exec,cpu,shuffle,jit:avx512_core,forward_training,
//   src_f32::blocked:abcd::f0 dst_f32::blocked:abcd::f0,,axis:1 group:4,2x16x7x7,0.0129395
//
// Its fields are operation, engine, primitive, implementation, prop_kind, memory_descriptors, attributes, auxiliary and
// problem_desc, then the time in milliseconds or the reason. The problem is the dimensions of the first tensor. Those of other tensors follow
// after colons, if they are not the same: 2x9:2x7. Level 1 prints executions and errors. Level 2 also prints
// creations, cache hits and rejected implementations. settings.hpp lists the flags that can be chosen one by one.

#include <chrono>
#include <string>

#include "common/op_desc.hpp"
#include "common/settings.hpp"

namespace tombola::impl {

struct Attr;

inline bool verbose_exec() { return (verbose_flags() & kVerboseExec) != 0; }
inline bool verbose_create() { return (verbose_flags() & kVerboseCreate) != 0; }
inline bool verbose_dispatch() { return (verbose_flags() & kVerboseDispatch) != 0; }
bool verbose_failure(StatusCode code);

// "cpu,shuffle,jit:avx512_core,forward_training,...,2x16x7x7".
std::string verbose_info(const OpDesc& op, const Attr& attr, const char* implementation);

// Each prints one line; the first call of a process prints the header lines before it.
void verbose_timed(const char* event, const std::string& info,
                   std::chrono::steady_clock::duration time);
void verbose_reason(const char* event, const std::string& info, const std::string& reason);

void verbose_error(const std::string& message);

}  // namespace tombola::impl
