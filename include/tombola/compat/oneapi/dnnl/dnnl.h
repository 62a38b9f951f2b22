/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * oneDNN's C API, 3.x, over tombola: what a program that shuffles needs. Each function has oneDNN's
 * signature and calls the function of tombola that has the same name. Three functions do more, because oneDNN
 * accepts what tombola refuses: dnnl_primitive_execute(), dnnl_shuffle_backward_primitive_desc_create() and the
 * attributes without meaning here. */

#ifndef TOMBOLA_COMPAT_DNNL_H
#define TOMBOLA_COMPAT_DNNL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

#include "dnnl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Engine and stream. */

static inline size_t dnnl_engine_get_count(dnnl_engine_kind_t kind) {
    return tombola_engine_get_count(kind);
}
static inline dnnl_status_t dnnl_engine_create(dnnl_engine_t* engine, dnnl_engine_kind_t kind,
                                               size_t index) {
    return tombola_engine_create(engine, kind, index);
}
static inline dnnl_status_t dnnl_engine_get_kind(dnnl_engine_t engine, dnnl_engine_kind_t* kind) {
    return tombola_engine_get_kind(engine, kind);
}
static inline dnnl_status_t dnnl_engine_destroy(dnnl_engine_t engine) {
    return tombola_engine_destroy(engine);
}
static inline dnnl_status_t dnnl_stream_create(dnnl_stream_t* stream, dnnl_engine_t engine,
                                               unsigned flags) {
    return tombola_stream_create(stream, engine, flags);
}
static inline dnnl_status_t dnnl_stream_get_engine(const_dnnl_stream_t stream,
                                                   dnnl_engine_t* engine) {
    return tombola_stream_get_engine(stream, engine);
}
static inline dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream) {
    return tombola_stream_wait(stream);
}
static inline dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream) {
    return tombola_stream_destroy(stream);
}

/* Memory. */

static inline dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t* memory_desc,
                                                             int ndims, const dnnl_dim_t* dims,
                                                             dnnl_data_type_t data_type,
                                                             dnnl_format_tag_t tag) {
    return tombola_memory_desc_create_with_tag(memory_desc, ndims, dims, data_type, tag);
}
static inline dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t* memory_desc,
                                                                 int ndims, const dnnl_dim_t* dims,
                                                                 dnnl_data_type_t data_type,
                                                                 const dnnl_dim_t* strides) {
    return tombola_memory_desc_create_with_strides(memory_desc, ndims, dims, data_type, strides);
}
static inline dnnl_status_t dnnl_memory_desc_create_submemory(
    dnnl_memory_desc_t* memory_desc, const_dnnl_memory_desc_t parent_memory_desc,
    const dnnl_dim_t* dims, const dnnl_dim_t* offsets) {
    return tombola_memory_desc_create_submemory(memory_desc, parent_memory_desc, dims, offsets);
}
static inline dnnl_status_t dnnl_memory_desc_reshape(dnnl_memory_desc_t* out_memory_desc,
                                                     const_dnnl_memory_desc_t in_memory_desc,
                                                     int ndims, const dnnl_dim_t* dims) {
    return tombola_memory_desc_reshape(out_memory_desc, in_memory_desc, ndims, dims);
}
static inline dnnl_status_t dnnl_memory_desc_permute_axes(dnnl_memory_desc_t* out_memory_desc,
                                                          const_dnnl_memory_desc_t in_memory_desc,
                                                          const int* permutation) {
    return tombola_memory_desc_permute_axes(out_memory_desc, in_memory_desc, permutation);
}
static inline dnnl_status_t dnnl_memory_desc_clone(dnnl_memory_desc_t* memory_desc,
                                                   const_dnnl_memory_desc_t existing_memory_desc) {
    return tombola_memory_desc_clone(memory_desc, existing_memory_desc);
}
static inline dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc) {
    return tombola_memory_desc_destroy(memory_desc);
}
static inline dnnl_status_t dnnl_memory_desc_query(const_dnnl_memory_desc_t memory_desc,
                                                   dnnl_query_t what, void* result) {
    return tombola_memory_desc_query(memory_desc, what, result);
}
static inline int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs,
                                         const_dnnl_memory_desc_t rhs) {
    return tombola_memory_desc_equal(lhs, rhs);
}
static inline size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc) {
    return tombola_memory_desc_get_size(memory_desc);
}
static inline size_t dnnl_data_type_size(dnnl_data_type_t data_type) {
    return tombola_data_type_size(data_type);
}
static inline dnnl_status_t dnnl_memory_create(dnnl_memory_t* memory,
                                               const_dnnl_memory_desc_t memory_desc,
                                               dnnl_engine_t engine, void* handle) {
    return tombola_memory_create(memory, memory_desc, engine, handle);
}
static inline dnnl_status_t dnnl_memory_get_memory_desc(const_dnnl_memory_t memory,
                                                        const_dnnl_memory_desc_t* memory_desc) {
    return tombola_memory_get_memory_desc(memory, memory_desc);
}
static inline dnnl_status_t dnnl_memory_get_engine(const_dnnl_memory_t memory,
                                                   dnnl_engine_t* engine) {
    return tombola_memory_get_engine(memory, engine);
}
static inline dnnl_status_t dnnl_memory_get_data_handle(const_dnnl_memory_t memory, void** handle) {
    return tombola_memory_get_data_handle(memory, handle);
}
static inline dnnl_status_t dnnl_memory_set_data_handle(dnnl_memory_t memory, void* handle) {
    return tombola_memory_set_data_handle(memory, handle);
}
/* On a CPU the data is always mapped. */
static inline dnnl_status_t dnnl_memory_map_data(const_dnnl_memory_t memory, void** mapped_ptr) {
    return tombola_memory_get_data_handle(memory, mapped_ptr);
}
static inline dnnl_status_t dnnl_memory_unmap_data(const_dnnl_memory_t memory, void* mapped_ptr) {
    (void)mapped_ptr;
    return memory != NULL ? tombola_success : tombola_invalid_arguments;
}
/* The same by the number of a buffer: every tensor has one, number 0. */
static inline size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index) {
    return index == 0 ? tombola_memory_desc_get_size(memory_desc) : 0;
}
static inline dnnl_status_t dnnl_memory_get_data_handle_v2(const_dnnl_memory_t memory,
                                                           void** handle, int index) {
    return index == 0 ? tombola_memory_get_data_handle(memory, handle) : tombola_invalid_arguments;
}
static inline dnnl_status_t dnnl_memory_set_data_handle_v2(dnnl_memory_t memory, void* handle,
                                                           int index) {
    return index == 0 ? tombola_memory_set_data_handle(memory, handle) : tombola_invalid_arguments;
}
static inline dnnl_status_t dnnl_memory_map_data_v2(const_dnnl_memory_t memory, void** mapped_ptr,
                                                    int index) {
    return index == 0 ? dnnl_memory_map_data(memory, mapped_ptr) : tombola_invalid_arguments;
}
static inline dnnl_status_t dnnl_memory_unmap_data_v2(const_dnnl_memory_t memory, void* mapped_ptr,
                                                      int index) {
    return index == 0 ? dnnl_memory_unmap_data(memory, mapped_ptr) : tombola_invalid_arguments;
}
static inline dnnl_status_t dnnl_memory_destroy(dnnl_memory_t memory) {
    return tombola_memory_destroy(memory);
}

/* Attributes. */

static inline dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t* attr) {
    return tombola_primitive_attr_create(attr);
}
static inline dnnl_status_t dnnl_primitive_attr_clone(dnnl_primitive_attr_t* attr,
                                                      const_dnnl_primitive_attr_t existing_attr) {
    return tombola_primitive_attr_clone(attr, existing_attr);
}
static inline dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr) {
    return tombola_primitive_attr_destroy(attr);
}
static inline dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(
    const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t* mode) {
    return tombola_primitive_attr_get_scratchpad_mode(attr, mode);
}
static inline dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(dnnl_primitive_attr_t attr,
                                                                    dnnl_scratchpad_mode_t mode) {
    return tombola_primitive_attr_set_scratchpad_mode(attr, mode);
}

/* Modes of arithmetic. A shuffle computes nothing, so they are accepted and change nothing. */
static inline dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(dnnl_primitive_attr_t attr,
                                                                dnnl_fpmath_mode_t mode) {
    (void)mode;
    return attr != NULL ? tombola_success : tombola_invalid_arguments;
}
static inline dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(dnnl_primitive_attr_t attr,
                                                                   dnnl_fpmath_mode_t mode,
                                                                   int apply_to_int) {
    (void)apply_to_int;
    return dnnl_primitive_attr_set_fpmath_mode(attr, mode);
}
static inline dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(
    dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode) {
    (void)mode;
    return attr != NULL ? tombola_success : tombola_invalid_arguments;
}
static inline dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr,
                                                                  int value) {
    (void)value;
    return attr != NULL ? tombola_success : tombola_invalid_arguments;
}
static inline dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode) {
    (void)mode;
    return tombola_success;
}

/* Primitives. */

static inline dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc) {
    return tombola_primitive_desc_next_impl(primitive_desc);
}
static inline dnnl_status_t dnnl_primitive_desc_clone(
    dnnl_primitive_desc_t* primitive_desc, const_dnnl_primitive_desc_t existing_primitive_desc) {
    return tombola_primitive_desc_clone(primitive_desc, existing_primitive_desc);
}
static inline dnnl_status_t dnnl_primitive_desc_get_attr(const_dnnl_primitive_desc_t primitive_desc,
                                                         const_dnnl_primitive_attr_t* attr) {
    return tombola_primitive_desc_get_attr(primitive_desc, attr);
}
static inline dnnl_status_t dnnl_primitive_desc_query(const_dnnl_primitive_desc_t primitive_desc,
                                                      dnnl_query_t what, int index, void* result) {
    return tombola_primitive_desc_query(primitive_desc, what, index, result);
}
static inline const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(
    const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index) {
    return tombola_primitive_desc_query_md(primitive_desc, what, index);
}
static inline int dnnl_primitive_desc_query_s32(const_dnnl_primitive_desc_t primitive_desc,
                                                dnnl_query_t what, int index) {
    int result = 0;
    if (what != tombola_query_axis_s32 && what != tombola_query_num_of_inputs_s32 &&
        what != tombola_query_num_of_outputs_s32)
        return 0;
    return tombola_primitive_desc_query(primitive_desc, what, index, &result) == tombola_success
               ? result
               : 0;
}
static inline dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc) {
    return tombola_primitive_desc_destroy(primitive_desc);
}
static inline dnnl_status_t dnnl_primitive_create(dnnl_primitive_t* primitive,
                                                  const_dnnl_primitive_desc_t primitive_desc) {
    return tombola_primitive_create(primitive, primitive_desc);
}
/* Executes a shuffle as oneDNN does. An argument that the primitive does not have is ignored. A memory object of
 * another descriptor is taken for the primitive's if it has at least as many bytes. tombola_primitive_execute()
 * refuses both. oneDNN has no other primitive of tombola's: those are executed by tombola_primitive_execute(). */
static inline dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive,
                                                   dnnl_stream_t stream, int nargs,
                                                   const dnnl_exec_arg_t* args) {
    enum { max_args = 8 };
    dnnl_exec_arg_t kept[max_args];
    dnnl_memory_t made[max_args];
    int nkept = 0, nmade = 0, i;
    const_dnnl_primitive_desc_t desc = NULL;
    tombola_primitive_kind_t kind = tombola_undefined_primitive;
    dnnl_status_t status;
    if (args == NULL || tombola_primitive_get_primitive_desc(primitive, &desc) != tombola_success ||
        tombola_primitive_desc_query(desc, tombola_query_primitive_kind, 0, &kind) !=
            tombola_success ||
        kind != tombola_shuffle)
        return tombola_primitive_execute(primitive, stream, nargs, args);
    status = tombola_success;
    for (i = 0; i < nargs && status == tombola_success; ++i) {
        const const_dnnl_memory_desc_t expected =
            tombola_primitive_desc_query_md(desc, tombola_query_exec_arg_md, args[i].arg);
        const_dnnl_memory_desc_t given = NULL;
        dnnl_engine_t engine = NULL;
        void* data = NULL;
        int ndims = 0;
        if (expected == NULL ||
            tombola_memory_desc_query(expected, tombola_query_ndims_s32, &ndims) !=
                tombola_success ||
            ndims == 0)
            continue;
        if (nkept == max_args) break; /* Some argument is there twice: the call below refuses it. */
        kept[nkept++] = args[i];
        if (args[i].memory == NULL ||
            tombola_memory_get_memory_desc(args[i].memory, &given) != tombola_success ||
            tombola_memory_desc_equal(given, expected) ||
            tombola_memory_desc_get_size(given) < tombola_memory_desc_get_size(expected))
            continue;
        status = tombola_memory_get_engine(args[i].memory, &engine);
        if (status == tombola_success)
            status = tombola_memory_get_data_handle(args[i].memory, &data);
        if (status == tombola_success)
            status = tombola_memory_create(&made[nmade], expected, engine, data);
        if (status == tombola_success) kept[nkept - 1].memory = made[nmade++];
    }
    if (status == tombola_success)
        status = tombola_primitive_execute(primitive, stream, nkept, kept);
    while (nmade > 0) tombola_memory_destroy(made[--nmade]);
    return status;
}
static inline dnnl_status_t dnnl_primitive_get_primitive_desc(
    const_dnnl_primitive_t primitive, const_dnnl_primitive_desc_t* primitive_desc) {
    return tombola_primitive_get_primitive_desc(primitive, primitive_desc);
}
static inline dnnl_status_t dnnl_primitive_destroy(dnnl_primitive_t primitive) {
    return tombola_primitive_destroy(primitive);
}

/* Shuffle. */

static inline dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
    const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int axis,
    dnnl_dim_t group_size, const_dnnl_primitive_attr_t attr) {
    return tombola_shuffle_forward_primitive_desc_create(
        primitive_desc, engine, prop_kind, src_desc, dst_desc, axis, group_size, attr);
}
static inline dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(
    dnnl_primitive_desc_t* primitive_desc, dnnl_engine_t engine,
    const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc, int axis,
    dnnl_dim_t group_size, const_dnnl_primitive_desc_t hint_fwd_pd,
    const_dnnl_primitive_attr_t attr) {
    /* oneDNN takes the layout alone from the hint, so a hint of another axis or group size is replaced by one of the
     * same layouts. */
    dnnl_primitive_desc_t hint = NULL;
    dnnl_status_t status;
    if (hint_fwd_pd != NULL &&
        tombola_shuffle_forward_primitive_desc_create(
            &hint, engine, tombola_forward_training,
            tombola_primitive_desc_query_md(hint_fwd_pd, tombola_query_src_md, 0),
            tombola_primitive_desc_query_md(hint_fwd_pd, tombola_query_dst_md, 0), axis, group_size,
            NULL) != tombola_success)
        hint = NULL; /* The hint cannot be used. The call below gives the reason. */
    status = tombola_shuffle_backward_primitive_desc_create(
        primitive_desc, engine, diff_src_desc, diff_dst_desc, axis, group_size,
        hint != NULL ? hint : hint_fwd_pd, attr);
    tombola_primitive_desc_destroy(hint);
    return status;
}

/* Library. */

static inline dnnl_status_t dnnl_get_primitive_cache_capacity(int* capacity) {
    return tombola_get_primitive_cache_capacity(capacity);
}
static inline dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity) {
    return tombola_set_primitive_cache_capacity(capacity);
}
static inline dnnl_status_t dnnl_set_verbose(int level) { return tombola_set_verbose(level); }

/* The verbose level that a value of ONEDNN_VERBOSE asks for: a number, or keywords in small or capital letters, with
 * commas between them. Creations and rejections are level 2; keywords without a meaning here, such as filter=..., ask
 * for nothing. Any other word makes it -1. */
static inline int tombola_compat_verbose_level(const char* text) {
    static const struct {
        const char* keyword;
        int level;
    } keywords[] = {{"0", 0},
                    {"none", 0},
                    {"1", 1},
                    {"error", 1},
                    {"profile", 2},
                    {"profile_exec", 1},
                    {"warn", 1},
                    {"2", 2},
                    {"profile_create", 2},
                    {"dispatch", 2},
                    {"check", 2},
                    {"all", 2},
                    {"", 0},
                    {"profile_externals", 0}};
    int level = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        size_t i;
        int known =
            strncasecmp(text, "filter=", 7) == 0 || strncasecmp(text, "debuginfo=", 10) == 0;
        for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); ++i)
            if (strlen(keywords[i].keyword) == length &&
                strncasecmp(text, keywords[i].keyword, length) == 0) {
                known = 1;
                if (keywords[i].level > level) level = keywords[i].level;
            }
        if (!known) return -1;
        if (text[length] == '\0') return level;
        text += length + 1;
    }
}

/* One variable in each program or library that is linked, whatever number of its files include this header. */
__attribute__((weak, visibility("hidden"))) int tombola_compat_verbose_is_read;

/* Runs before main(): ONEDNN_VERBOSE, or else DNNL_VERBOSE, counts in a program that was built with these headers,
 * unless TOMBOLA_VERBOSE is set. Each program or library that is linked reads them once. A program
 * with more rights than its user (setuid) ignores the variables, as the library does. */
__attribute__((constructor)) static inline void tombola_compat_read_verbose(void) {
    const char* name = "ONEDNN_VERBOSE";
    const char* text = getenv("TOMBOLA_VERBOSE");
    int level;
    if (tombola_compat_verbose_is_read) return;
    tombola_compat_verbose_is_read = 1;
    if (getauxval(AT_SECURE) != 0) return;
    if (text != NULL && *text != '\0') return;
    text = getenv(name);
    if (text == NULL) text = getenv(name = "DNNL_VERBOSE");
    if (text == NULL) return;
    level = tombola_compat_verbose_level(text);
    if (level >= 0)
        tombola_set_verbose(level);
    else
        fprintf(stderr,
                "tombola_verbose,v1,common,warn,%s=%s is ignored; expected 0, 1, 2 or oneDNN's "
                "keywords, separated by commas\n",
                name, text);
}

/* major, minor and patch are the version of oneDNN's API. The hash names the library that runs, and the runtime is that of this
 * library. */
static inline const dnnl_version_t* dnnl_version(void) {
    static const dnnl_version_t versions[] = {
        {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH, DNNL_VERSION_HASH,
         DNNL_RUNTIME_SEQ, DNNL_RUNTIME_NONE},
        {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH, DNNL_VERSION_HASH,
         DNNL_RUNTIME_OMP, DNNL_RUNTIME_NONE},
        {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH, DNNL_VERSION_HASH,
         DNNL_RUNTIME_TBB, DNNL_RUNTIME_NONE},
        {DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH, DNNL_VERSION_HASH,
         DNNL_RUNTIME_THREADPOOL, DNNL_RUNTIME_NONE}};
    switch (tombola_version()->cpu_runtime[1]) { /* SEQ, OMP, TBB, THREADPOOL */
        case 'M':
            return &versions[1];
        case 'B':
            return &versions[2];
        case 'H':
            return &versions[3];
        default:
            return &versions[0];
    }
}

/* oneDNN has no name for VBMI. dnnl_get_effective_cpu_isa() calls it avx512_core_vnni, as oneDNN calls the first processors that have it,
 * so avx512_core_vnni and avx512_core_bf16 allow VBMI here. Any other instruction set that tombola does not distinguish means the
 * next lower one that tombola has. */
static inline dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa) {
    switch (isa) {
        case dnnl_cpu_isa_sse41:
        case dnnl_cpu_isa_avx:
            return tombola_set_max_cpu_isa(tombola_cpu_isa_none);
        case dnnl_cpu_isa_avx2:
        case dnnl_cpu_isa_avx2_vnni:
        case dnnl_cpu_isa_avx2_vnni_2:
            return tombola_set_max_cpu_isa(tombola_cpu_isa_avx2);
        case dnnl_cpu_isa_avx512_core:
            return tombola_set_max_cpu_isa(tombola_cpu_isa_avx512_core);
        case dnnl_cpu_isa_default:
        case dnnl_cpu_isa_avx512_core_vnni:
        case dnnl_cpu_isa_avx512_core_bf16:
        case dnnl_cpu_isa_avx512_core_fp16:
        case dnnl_cpu_isa_avx512_core_amx:
        case dnnl_cpu_isa_avx512_core_amx_fp16:
            return tombola_set_max_cpu_isa(tombola_cpu_isa_avx512_core_vbmi);
    }
    return tombola_invalid_arguments;
}
static inline dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void) {
    switch (tombola_get_effective_cpu_isa()) {
        case tombola_cpu_isa_avx2:
            return dnnl_cpu_isa_avx2;
        case tombola_cpu_isa_avx512_core:
            return dnnl_cpu_isa_avx512_core;
        case tombola_cpu_isa_avx512_core_vbmi:
            return dnnl_cpu_isa_avx512_core_vnni;
        default:
            return dnnl_cpu_isa_sse41;
    }
}

#ifdef __cplusplus
}
#endif

#endif
