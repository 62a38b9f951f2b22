/* SPDX-License-Identifier: Apache-2.0 */

/* Opens and closes the library that the first argument names 1,000 times, uses it each time, and fails if
 * the process grows. */

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "tombola/tombola.h"

/* ISO C has no conversion from void* to a function pointer; POSIX demands that the bytes serve. */
#define LOOK_UP(name) *(void**)(&name) = dlsym(library, "tombola_" #name)

static int use(const char* path) {
    tombola_status_t (*engine_create)(tombola_engine_t*, tombola_engine_kind_t, size_t);
    tombola_status_t (*engine_destroy)(tombola_engine_t);
    tombola_status_t (*get_primitive_cache_capacity)(int*);
    tombola_cpu_isa_t (*get_effective_cpu_isa)(void);
    tombola_engine_t engine = NULL;
    int capacity = 0;
    int good;
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        printf("%s\n", dlerror());
        return 0;
    }
    LOOK_UP(engine_create);
    LOOK_UP(engine_destroy);
    LOOK_UP(get_primitive_cache_capacity);
    LOOK_UP(get_effective_cpu_isa);
    get_effective_cpu_isa();
    /* The caches and an object. No thread-local one: it would keep the library until the thread ends. */
    good = get_primitive_cache_capacity(&capacity) == tombola_success && capacity > 0 &&
           engine_create(&engine, tombola_cpu, 0) == tombola_success &&
           engine_destroy(engine) == tombola_success;

    return dlclose(library) == 0 && good;
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
    return after > before + 100 * (size_t)kCycles;
}
