/* SPDX-License-Identifier: Apache-2.0 */

/* Opens and closes the library that the first argument names 1,000 times, executes a primitive each time, and fails if the
 * library is removed, if it has another address afterwards, or if the process grows. */

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "tombola/tombola.h"

/* ISO C has no conversion from void* to a function pointer; POSIX demands that the bytes serve. */
#define LOOK_UP(name) *(void**)(&name) = dlsym(library, "tombola_" #name)

/* The first word of Philox 4x32-10 with counter 0 and key 0 (Random123's known answers). */
static const unsigned kFirstWord = 0x6627e8d5u;

static void* address = NULL;

static int use(const char* path) {
    tombola_status_t (*engine_create)(tombola_engine_t*, tombola_engine_kind_t, size_t);
    tombola_status_t (*engine_destroy)(tombola_engine_t);
    tombola_status_t (*stream_create)(tombola_stream_t*, tombola_engine_t, unsigned);
    tombola_status_t (*stream_destroy)(tombola_stream_t);
    tombola_status_t (*memory_desc_create_with_tag)(tombola_memory_desc_t*, int,
                                                    const tombola_dim_t*, tombola_data_type_t,
                                                    tombola_format_tag_t);
    tombola_status_t (*memory_desc_destroy)(tombola_memory_desc_t);
    tombola_status_t (*memory_create)(tombola_memory_t*, const_tombola_memory_desc_t,
                                      tombola_engine_t, void*);
    tombola_status_t (*memory_destroy)(tombola_memory_t);
    tombola_status_t (*random_generator_primitive_desc_create)(
        tombola_primitive_desc_t*, tombola_engine_t, tombola_generator_kind_t,
        const_tombola_memory_desc_t, const_tombola_primitive_attr_t);
    tombola_status_t (*primitive_desc_destroy)(tombola_primitive_desc_t);
    tombola_status_t (*primitive_create)(tombola_primitive_t*, const_tombola_primitive_desc_t);
    tombola_status_t (*primitive_destroy)(tombola_primitive_t);
    tombola_status_t (*primitive_execute)(const_tombola_primitive_t, const_tombola_stream_t, int,
                                          const tombola_exec_arg_t*);
    const tombola_dim_t words[] = {64}, six[] = {6};
    unsigned numbers[64] = {0}, state[6] = {0};
    tombola_engine_t engine = NULL;
    tombola_stream_t stream = NULL;
    tombola_memory_desc_t dst_desc = NULL, state_desc = NULL;
    tombola_memory_t dst = NULL, from = NULL;
    tombola_primitive_desc_t desc = NULL;
    tombola_primitive_t primitive = NULL;
    tombola_exec_arg_t args[2];
    int good;
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        printf("%s\n", dlerror());
        return 0;
    }
    LOOK_UP(engine_create);
    LOOK_UP(engine_destroy);
    LOOK_UP(stream_create);
    LOOK_UP(stream_destroy);
    LOOK_UP(memory_desc_create_with_tag);
    LOOK_UP(memory_desc_destroy);
    LOOK_UP(memory_create);
    LOOK_UP(memory_destroy);
    LOOK_UP(random_generator_primitive_desc_create);
    LOOK_UP(primitive_desc_destroy);
    LOOK_UP(primitive_create);
    LOOK_UP(primitive_destroy);
    LOOK_UP(primitive_execute);
    if (address == NULL) address = dlsym(library, "tombola_primitive_execute");
    good = dlsym(library, "tombola_primitive_execute") == address &&
           engine_create(&engine, tombola_cpu, 0) == tombola_success &&
           stream_create(&stream, engine, tombola_stream_default_flags) == tombola_success &&
           memory_desc_create_with_tag(&dst_desc, 1, words, tombola_u32, tombola_a) ==
               tombola_success &&
           memory_desc_create_with_tag(&state_desc, 1, six, tombola_u32, tombola_a) ==
               tombola_success &&
           memory_create(&dst, dst_desc, engine, numbers) == tombola_success &&
           memory_create(&from, state_desc, engine, state) == tombola_success &&
           random_generator_primitive_desc_create(&desc, engine, tombola_philox4x32_10, dst_desc,
                                                  NULL) == tombola_success &&
           primitive_create(&primitive, desc) == tombola_success;
    if (good) {
        args[0].arg = TOMBOLA_ARG_SRC_STATE;
        args[0].memory = from;
        args[1].arg = TOMBOLA_ARG_DST;
        args[1].memory = dst;
        good = primitive_execute(primitive, stream, 2, args) == tombola_success &&
               numbers[0] == kFirstWord;
        primitive_destroy(primitive);
        primitive_desc_destroy(desc);
        memory_destroy(from);
        memory_destroy(dst);
        memory_desc_destroy(state_desc);
        memory_desc_destroy(dst_desc);
        stream_destroy(stream);
        engine_destroy(engine);
    }
    if (dlclose(library) != 0) return 0;
    /* It stays, because threads may be in its code. This raises its count by one, which is lowered again. */
    library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    return library != NULL && dlclose(library) == 0 && good;
}

int main(int argc, char** argv) {
    const int kCycles = 1000;
    size_t before, after;
    int i;
    if (argc != 2 || !use(argv[1])) return 2;
    before = mallinfo2().uordblks;
    for (i = 0; i < kCycles; ++i)
        if (!use(argv[1])) return 2;
    after = mallinfo2().uordblks;
    printf("%d cycles: %ld bytes\n", kCycles, (long)after - (long)before);
    return after > before + 4096;
}
