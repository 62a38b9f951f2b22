/* SPDX-License-Identifier: Apache-2.0 */

/* Stochastic rounding to f16. Build: cc -std=c99 stochastic_rounding.c -ltombola */

#include "example.h"

#define ELEMENTS 1000

int main(void) {
    /* The neighbours of 1 + 2^-12 in f16 are 1 and 1 + 2^-10. */
    static float source[ELEMENTS];
    static uint16_t result[ELEMENTS];
    const tombola_dims_t dims = {ELEMENTS};

    tombola_engine_t engine;
    tombola_memory_desc_t from, to;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[2];
    int up = 0, down = 0, i;

    for (i = 0; i < ELEMENTS; ++i) source[i] = 1.0f + 1.0f / 4096;
    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    CHECK(tombola_memory_desc_create_with_tag(&from, 1, dims, tombola_f32, tombola_a));
    CHECK(tombola_memory_desc_create_with_tag(&to, 1, dims, tombola_f16, tombola_a));
    CHECK(tombola_stochastic_rounding_primitive_desc_create(&desc, engine, from, to,
                                                            /* global_seed */ 1, /* op_seed */ 2,
                                                            NULL));
    args[0].arg = TOMBOLA_ARG_SRC;
    args[0].memory = argument(desc, TOMBOLA_ARG_SRC, engine, source);
    args[1].arg = TOMBOLA_ARG_DST;
    args[1].memory = argument(desc, TOMBOLA_ARG_DST, engine, result);
    run(desc, engine, 2, args);
    CHECK(tombola_memory_desc_destroy(from));
    CHECK(tombola_memory_desc_destroy(to));
    CHECK(tombola_engine_destroy(engine));

    for (i = 0; i < ELEMENTS; ++i) {
        up += result[i] == 0x3C01;
        down += result[i] == 0x3C00;
    }
    printf("%d up, %d down: a quarter is expected to go up\n", up, down);
    return up + down == ELEMENTS && up > 190 && up < 310 ? 0 : 1;
}
