// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the kernels of shuffles store, and what they prefetch.

#include <cstdint>

#include "cpu/x64/machine.hpp"

namespace tombola::impl::cpu::x64 {

enum class Stores : uint8_t {
    plain,
    prefetched,        // the line of each store is prefetched
    prefetched_ahead,  // copied rows alone: the lines 1 KiB ahead of the stores are prefetched
    strings,           // copied rows alone: the processor's string instruction copies each row
    streaming,         // whole registers bypass the caches; addresses are aligned to the register
    streaming_parts,  // the same in parts of kLaneBytes; buffers of the processor collect the parts of a line
};

// Whether and how the source is prefetched. Permutes prefetch PermuteArgs::src_ahead bytes ahead, where the next call loads.
enum class Sources : uint8_t {
    plain,          // sources are not prefetched
    prefetched,     // into the first-level cache
    prefetched_l2,  // into the second-level cache
};

// How sources are prefetched, if they are read in runs of `run` bytes.
inline Sources prefetched_sources(int64_t run) {
    const int64_t most = machine().row.prefetched_run;
    if (most == 0) return Sources::prefetched;
    return run <= most ? Sources::prefetched_l2 : Sources::plain;
}

// Whether tensors of `bytes` bytes, all together, fit the first-level cache. Prefetches would only take time there. An eighth of the cache
// is left to the stack and to tables, because tensors that fill the whole cache lose lines to them, and then stores wait. The eighth was
// measured on Sapphire Rapids alone.
inline bool fits_l1(int64_t bytes) { return bytes <= machine().caches.l1 / 8 * 7; }

}  // namespace tombola::impl::cpu::x64
