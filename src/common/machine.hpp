// SPDX-License-Identifier: Apache-2.0
#pragma once

// What decides how work is done on this machine. It decides speed only: results are the same on every machine.
//
// The cpu layer detects the microarchitecture and the caches, and has a row of measured costs for each microarchitecture
// (cpu/x64/machine.cpp). What the other layers need of it is here.

#include <cstddef>
#include <cstdint>

namespace tombola::impl {

#define TOMBOLA_MACHINES(X) \
    X(unknown)              \
    X(haswell)              \
    X(skylake_x)            \
    X(ice_lake)             \
    X(sapphire_rapids)      \
    X(zen2)                 \
    X(zen3)                 \
    X(zen4)                 \
    X(zen5)

// A name also stands for later microarchitectures of the same maker, up to the next name. `haswell` stands for all
// processors of Intel without AVX-512.
enum class Microarchitecture {
#define TOMBOLA_ENUMERATOR(name) name,
    TOMBOLA_MACHINES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};
inline constexpr Microarchitecture kAllMachines[] = {
#define TOMBOLA_ENUMERATOR(name) Microarchitecture::name,
    TOMBOLA_MACHINES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};
const char* name_of(Microarchitecture machine);

// Sizes and rates that decide how work is done. Defined by the cpu layer.
struct MachineSizes {
    double waking;  // nanoseconds to wake a sleeping thread and to wait until it has finished
    // Bytes per nanosecond that one thread reads and writes together, beyond its own caches.
    double traffic;
    // Bytes per nanosecond that neighbouring cores together store past the caches. 0: not known.
    double shared_stores;
    // Tensors of this size or more are written by stores that bypass the caches.
    size_t streaming_bytes;
    int64_t paged_range;  // permutations of at least this many elements are made in pages of 2 MiB
};
const MachineSizes& machine_sizes();

// The microarchitecture whose row of costs is in use: TOMBOLA_MACHINE, or the detected one. Defined by the cpu layer.
Microarchitecture machine_in_use();

}  // namespace tombola::impl
