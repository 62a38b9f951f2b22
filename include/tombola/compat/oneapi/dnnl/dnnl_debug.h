/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Names of values, by oneDNN's functions. */

#ifndef TOMBOLA_COMPAT_DNNL_DEBUG_H
#define TOMBOLA_COMPAT_DNNL_DEBUG_H

#include "dnnl.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline const char* dnnl_status2str(dnnl_status_t v) { return tombola_status2str(v); }
static inline const char* dnnl_dt2str(dnnl_data_type_t v) { return tombola_dt2str(v); }
static inline const char* dnnl_fmt_tag2str(dnnl_format_tag_t v) { return tombola_fmt_tag2str(v); }
static inline const char* dnnl_prop_kind2str(dnnl_prop_kind_t v) {
    return tombola_prop_kind2str(v);
}
static inline const char* dnnl_fmt_kind2str(dnnl_format_kind_t v) {
    switch (v) {
        case tombola_format_kind_undef:
            return "undef";
        case tombola_format_kind_any:
            return "any";
        case tombola_blocked:
            return "blocked";
    }
    return "unknown fmt_kind";
}
static inline const char* dnnl_prim_kind2str(dnnl_primitive_kind_t v) {
    return v == tombola_shuffle               ? "shuffle"
           : v == tombola_undefined_primitive ? "undef"
                                              : "unknown prim_kind";
}
static inline const char* dnnl_engine_kind2str(dnnl_engine_kind_t v) {
    switch (v) {
        case tombola_any_engine:
            return "any";
        case tombola_cpu:
            return "cpu";
        case tombola_gpu:
            return "gpu";
    }
    return "unknown engine_kind";
}
static inline const char* dnnl_scratchpad_mode2str(dnnl_scratchpad_mode_t v) {
    switch (v) {
        case tombola_scratchpad_mode_library:
            return "library";
        case tombola_scratchpad_mode_user:
            return "user";
    }
    return "unknown scratchpad_mode";
}
static inline const char* dnnl_cpu_isa2str(dnnl_cpu_isa_t v) {
    switch (v) {
        case dnnl_cpu_isa_default:
            return "cpu_isa_default";
        case dnnl_cpu_isa_sse41:
            return "cpu_isa_sse41";
        case dnnl_cpu_isa_avx:
            return "cpu_isa_avx";
        case dnnl_cpu_isa_avx2:
            return "cpu_isa_avx2";
        case dnnl_cpu_isa_avx2_vnni:
            return "cpu_isa_avx2_vnni";
        case dnnl_cpu_isa_avx2_vnni_2:
            return "cpu_isa_avx2_vnni_2";
        case dnnl_cpu_isa_avx512_core:
            return "cpu_isa_avx512_core";
        case dnnl_cpu_isa_avx512_core_vnni:
            return "cpu_isa_avx512_core_vnni";
        case dnnl_cpu_isa_avx512_core_bf16:
            return "cpu_isa_avx512_core_bf16";
        case dnnl_cpu_isa_avx512_core_fp16:
            return "cpu_isa_avx512_core_fp16";
        case dnnl_cpu_isa_avx512_core_amx:
            return "cpu_isa_avx512_core_amx";
        case dnnl_cpu_isa_avx512_core_amx_fp16:
            return "cpu_isa_avx512_core_amx_fp16";
    }
    return "unknown cpu_isa";
}
static inline const char* dnnl_runtime2str(unsigned v) {
    switch (v) {
        case DNNL_RUNTIME_NONE:
            return "none";
        case DNNL_RUNTIME_SEQ:
            return "sequential";
        case DNNL_RUNTIME_OMP:
            return "OpenMP";
        case DNNL_RUNTIME_TBB:
            return "TBB";
        case DNNL_RUNTIME_THREADPOOL:
            return "threadpool";
        default:
            return "unknown";
    }
}

#ifdef __cplusplus
}
#endif

#endif
