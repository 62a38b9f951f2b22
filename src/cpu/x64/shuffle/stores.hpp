// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the kernels of shuffles store, and what they prefetch.

#include <cstdint>

#include "cpu/x64/machine.hpp"

namespace tombola::impl::cpu::x64 {

enum class Stores : uint8_t {
    plain,
    prefetched,      // each line is prefetched
    prefetched_far,  // copied rows alone: the lines a KiB ahead of the stores are prefetched
    strings,         // copied rows alone: the processor's string instruction copies each row
    streaming,       // past the caches: whole registers, to addresses that are aligned to them
    streaming_parts,  // the same in parts of kLaneBytes; buffers of the processor collect the parts of a line
};

// Whether the lines of the source that come next are prefetched. Permutes prefetch PermuteArgs::src_ahead bytes ahead, where the next
// call loads.
enum class Sources : uint8_t {
    plain,          // they are not
    prefetched,     // into the first-level cache
    prefetched_l2,  // into the second-level cache
};

// How sources are prefetched that are read in runs of `run` bytes.
inline Sources prefetched_sources(int64_t run) {
    const int64_t most = machine().row.prefetched_run;
    if (most == 0) return Sources::prefetched;
    return run <= most ? Sources::prefetched_l2 : Sources::plain;
}

// Whether tensors of so many bytes, together, fit the first-level cache. There, prefetches would only take time. An eighth of
// the cache is left to the stack and to tables: tensors that fill it lose lines to them, and then stores wait. The
// eighth was measured on Sapphire Rapids alone.
inline bool fits_l1(int64_t bytes) { return bytes <= machine().caches.l1 / 8 * 7; }

}  // namespace tombola::impl::cpu::x64
