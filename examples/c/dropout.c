/* SPDX-License-Identifier: Apache-2.0 */

/* Dropout with a mask of bits. Build: cc -std=c99 dropout.c -ltombola */

#include "example.h"

#define ELEMENTS 16

int main(void) {
    float source[ELEMENTS], result[ELEMENTS], probability = 0.5f;
    uint8_t mask[ELEMENTS / 8];
    const tombola_dims_t dims = {ELEMENTS};

    tombola_engine_t engine;
    tombola_memory_desc_t tensor;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[4];
    int right = 1, i;

    for (i = 0; i < ELEMENTS; ++i) source[i] = (float)(i + 1);
    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    CHECK(tombola_memory_desc_create_with_tag(&tensor, 1, dims, tombola_f32, tombola_a));
    CHECK(tombola_dropout_forward_primitive_desc_create(
        &desc, engine, tombola_forward_training, tensor, NULL, 32, tombola_dropout_mask_bits,
        /* global_seed */ 1, /* op_seed */ 2, NULL));
    args[0].arg = TOMBOLA_ARG_SRC;
    args[0].memory = argument(desc, TOMBOLA_ARG_SRC, engine, source);
    args[1].arg = TOMBOLA_ARG_P;
    args[1].memory = argument(desc, TOMBOLA_ARG_P, engine, &probability);
    args[2].arg = TOMBOLA_ARG_DST;
    args[2].memory = argument(desc, TOMBOLA_ARG_DST, engine, result);
    args[3].arg = TOMBOLA_ARG_MASK;
    args[3].memory = argument(desc, TOMBOLA_ARG_MASK, engine, mask);
    run(desc, engine, 4, args);
    CHECK(tombola_memory_desc_destroy(tensor));
    CHECK(tombola_engine_destroy(engine));

    /* Kept elements are doubled. */
    for (i = 0; i < ELEMENTS; ++i) {
        const int kept = mask[i / 8] >> i % 8 & 1;
        printf("%g becomes %g\n", source[i], result[i]);
        right = right && result[i] == (kept ? 2 * source[i] : 0);
    }
    return right ? 0 : 1;
}
