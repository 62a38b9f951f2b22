/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * What oneDNN's example programs in C take from the header of this name. */

#ifndef TOMBOLA_COMPAT_EXAMPLE_UTILS_H
#define TOMBOLA_COMPAT_EXAMPLE_UTILS_H

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dnnl.h"
#include "dnnl_debug.h"

#define COMPLAIN_DNNL_ERROR_AND_EXIT(what, status)                                      \
    do {                                                                                \
        printf("%s:%d: %s returns %s: %s\nExample failed.\n", __FILE__, __LINE__, what, \
               dnnl_status2str(status), tombola_get_last_error());                      \
        exit(1);                                                                        \
    } while (0)

#define COMPLAIN_EXAMPLE_ERROR_AND_EXIT(complain_fmt, ...)                                     \
    do {                                                                                       \
        printf("%s:%d: " complain_fmt "\nExample failed.\n", __FILE__, __LINE__, __VA_ARGS__); \
        exit(2);                                                                               \
    } while (0)

#define CHECK(f)                                                                            \
    do {                                                                                    \
        dnnl_status_t check_status_ = f;                                                    \
        if (check_status_ != dnnl_success) COMPLAIN_DNNL_ERROR_AND_EXIT(#f, check_status_); \
    } while (0)

static inline const char* engine_kind2str_upper(dnnl_engine_kind_t kind) {
    return kind == tombola_gpu ? "GPU" : "CPU";
}

static inline dnnl_engine_kind_t validate_engine_kind(dnnl_engine_kind_t kind) {
    if (dnnl_engine_get_count(kind) == 0) {
        printf("There is no %s engine.\n", engine_kind2str_upper(kind));
        exit(0);
    }
    return kind;
}

static inline dnnl_engine_kind_t parse_engine_kind(int argc, char** argv) {
    if (argc == 1 || (argc == 2 && strcmp(argv[1], "cpu") == 0)) return tombola_cpu;
    if (argc == 2 && strcmp(argv[1], "gpu") == 0) return validate_engine_kind(tombola_gpu);
    COMPLAIN_EXAMPLE_ERROR_AND_EXIT("usage: %s [cpu|gpu]", argv[0]);
}

/* Copies all bytes of a memory object to a buffer. */
static inline void read_from_dnnl_memory(void* handle, dnnl_memory_t mem) {
    const_dnnl_memory_desc_t md = NULL;
    void* data = NULL;
    CHECK(dnnl_memory_get_memory_desc(mem, &md));
    CHECK(dnnl_memory_get_data_handle(mem, &data));
    if (data != NULL) memcpy(handle, data, dnnl_memory_desc_get_size(md));
}

/* Copies a buffer to all bytes of a memory object. */
static inline void write_to_dnnl_memory(void* handle, dnnl_memory_t mem) {
    const_dnnl_memory_desc_t md = NULL;
    void* data = NULL;
    CHECK(dnnl_memory_get_memory_desc(mem, &md));
    CHECK(dnnl_memory_get_data_handle(mem, &data));
    if (data != NULL) memcpy(data, handle, dnnl_memory_desc_get_size(md));
}

#endif
