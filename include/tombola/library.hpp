// SPDX-License-Identifier: Apache-2.0

/// @file
/// Settings of the whole library in the C++ API. Included by tombola.hpp.

#ifndef TOMBOLA_LIBRARY_HPP
#define TOMBOLA_LIBRARY_HPP

#include "error.hpp"

namespace tombola {

/// @addtogroup tombola_cpp_library
/// @{

/// Instruction sets; see tombola_cpu_isa_t.
enum class cpu_isa {
    none = tombola_cpu_isa_none,  ///< Portable C++ only.
#define TOMBOLA_ENUMERATOR(name, value) name = tombola_cpu_isa_##name,
    TOMBOLA_CPU_ISAS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
};

/// The version of the library that is running.
/// @return The version; valid for ever.
inline const tombola_version_t* version() { return tombola_version(); }
/// Caps the instruction set of primitive descriptors made from now on; see tombola_set_max_cpu_isa().
/// @param isa The cap. A cap above what the machine has changes nothing.
/// @return status::success; status::invalid_arguments for an unknown value.
inline status set_max_cpu_isa(cpu_isa isa) {
    return static_cast<status>(tombola_set_max_cpu_isa(static_cast<tombola_cpu_isa_t>(isa)));
}
/// The instruction set that primitive descriptors are created for now.
/// @return The machine's, or the cap if that is lower.
inline cpu_isa get_effective_cpu_isa() {
    return static_cast<cpu_isa>(tombola_get_effective_cpu_isa());
}
/// Sets how much verbose mode prints; see tombola_set_verbose().
/// @param level 0: nothing. 1: executions and errors. 2: creations and rejections too.
/// @return status::success; status::invalid_arguments for another level.
inline status set_verbose(int level) { return static_cast<status>(tombola_set_verbose(level)); }
/// How many primitives the cache may hold.
/// @return The number, at least 0.
inline int get_primitive_cache_capacity() {
    int result = 0;
    error::check(tombola_get_primitive_cache_capacity(&result));
    return result;
}
/// Sets how many primitives the cache may hold; see tombola_set_primitive_cache_capacity().
/// @param capacity The number, at least 0; 0 empties the cache and turns it off.
/// @throws error invalid_arguments for a negative number.
inline void set_primitive_cache_capacity(int capacity) {
    error::check(tombola_set_primitive_cache_capacity(capacity));
}

/// @}

}  // namespace tombola

#endif
