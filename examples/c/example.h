/* SPDX-License-Identifier: Apache-2.0 */

/* What the C examples share. A program that goes on after an error would destroy what it made; these end. */

#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>

#include "tombola/tombola.h"

/* Ends the program with the library's message when a call fails. */
#define CHECK(call)                                                       \
    do {                                                                  \
        if ((call) != tombola_success) {                                  \
            fprintf(stderr, "%s: %s\n", #call, tombola_get_last_error()); \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

/* A memory object over the caller's data, with the descriptor that the primitive asks for. */
static inline tombola_memory_t argument(tombola_primitive_desc_t desc, int arg,
                                        tombola_engine_t engine, void* data) {
    tombola_memory_t memory;
    CHECK(tombola_memory_create(
        &memory, tombola_primitive_desc_query_md(desc, tombola_query_exec_arg_md, arg), engine,
        data));
    return memory;
}

/* Creates the primitive, runs it on the arguments, and destroys them all. */
static inline void run(tombola_primitive_desc_t desc, tombola_engine_t engine, int count,
                       tombola_exec_arg_t* args) {
    tombola_stream_t stream;
    tombola_primitive_t primitive;
    int i;
    CHECK(tombola_stream_create(&stream, engine, tombola_stream_default_flags));
    CHECK(tombola_primitive_create(&primitive, desc));
    CHECK(tombola_primitive_execute(primitive, stream, count, args));
    CHECK(tombola_stream_wait(stream));
    for (i = 0; i < count; ++i) CHECK(tombola_memory_destroy(args[i].memory));
    CHECK(tombola_primitive_destroy(primitive));
    CHECK(tombola_primitive_desc_destroy(desc));
    CHECK(tombola_stream_destroy(stream));
}

#endif
