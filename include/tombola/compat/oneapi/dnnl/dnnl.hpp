// SPDX-License-Identifier: Apache-2.0

/// @file
/// oneDNN's C++ API over tombola, for programs of the 2.x line (operation descriptors) and of the
/// 3.x line: namespace dnnl holds the types of tombola.hpp that oneDNN has too, and nothing else.

#ifndef TOMBOLA_COMPAT_DNNL_HPP
#define TOMBOLA_COMPAT_DNNL_HPP

#if defined(ONEAPI_DNNL_DNNL_HPP)
#error \
    "tombola's compatibility headers and oneDNN's own headers are both included: \
take tombola/compat out of the include path and use tombola/interop/dnnl.hpp beside oneDNN"
#endif

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "../../../tombola.hpp"
#include "dnnl.h"

namespace dnnl {

using tombola::engine;
using tombola::error;
using tombola::get_primitive_cache_capacity;
using tombola::memory;
using tombola::primitive;
using tombola::primitive_attr;
using tombola::primitive_desc;
using tombola::primitive_desc_base;
using tombola::prop_kind;
using tombola::query;
using tombola::scratchpad_mode;
using tombola::set_primitive_cache_capacity;
using tombola::set_verbose;
using tombola::shuffle_backward;
using tombola::shuffle_forward;
using tombola::status;
using tombola::stream;

using version_t = dnnl_version_t;
inline const version_t* version() { return dnnl_version(); }

/// oneDNN's instruction sets; steps that tombola does not distinguish mean the one below.
enum class cpu_isa {
    isa_default = dnnl_cpu_isa_default,
    all = dnnl_cpu_isa_all,
    sse41 = dnnl_cpu_isa_sse41,
    avx = dnnl_cpu_isa_avx,
    avx2 = dnnl_cpu_isa_avx2,
    avx2_vnni = dnnl_cpu_isa_avx2_vnni,
    avx2_vnni_2 = dnnl_cpu_isa_avx2_vnni_2,
    avx512_core = dnnl_cpu_isa_avx512_core,
    avx512_core_vnni = dnnl_cpu_isa_avx512_core_vnni,
    avx512_core_bf16 = dnnl_cpu_isa_avx512_core_bf16,
    avx512_core_fp16 = dnnl_cpu_isa_avx512_core_fp16,
    avx512_core_amx = dnnl_cpu_isa_avx512_core_amx,
    avx512_core_amx_fp16 = dnnl_cpu_isa_avx512_core_amx_fp16,
};
inline status set_max_cpu_isa(cpu_isa isa) {
    return static_cast<status>(dnnl_set_max_cpu_isa(static_cast<dnnl_cpu_isa_t>(isa)));
}
inline cpu_isa get_effective_cpu_isa() {
    return static_cast<cpu_isa>(dnnl_get_effective_cpu_isa());
}

}  // namespace dnnl

#endif
