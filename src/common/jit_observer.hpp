// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes generated code visible from outside, as TOMBOLA_JIT_DUMP and TOMBOLA_JIT_PROFILE ask:
//
//   TOMBOLA_JIT_DUMP=dir          dir/tombola.<name>.<pid>.<n>.bin, the bytes; n counts the kernels
//                                 of the process
//   TOMBOLA_JIT_PROFILE=perfmap   a line in /tmp/perf-<pid>.map, which `perf report` reads by itself
//   TOMBOLA_JIT_PROFILE=jitdump   a record in jit-<pid>.dump (in $JITDUMPDIR, or the current
//                                 folder), code included: perf record -k mono ...,
//                                 perf inject --jit, perf annotate

#include <cstddef>

namespace tombola::impl {

// Announces a kernel whose code is finished and no longer moves. A failure here never makes a primitive fail. For each
// of the two variables, the first file that cannot be written is named on standard error, unless verbose mode is off.
// An incomplete dump or jitdump record is removed.
void announce_code(const char* name, const void* code, size_t size);

}  // namespace tombola::impl
