/* SPDX-License-Identifier: Apache-2.0 */

/* A channel shuffle. Build: cc -std=c99 shuffle.c -ltombola */

#include "example.h"

int main(void) {
    /* Six channels, seen as rows {0,1,2} and {3,4,5}, and read by columns. */
    const float expected[6] = {0, 3, 1, 4, 2, 5};
    float channels[6] = {0, 1, 2, 3, 4, 5};
    float shuffled[6] = {0};
    const tombola_dims_t dims = {1, 6};
    const int axis = 1, group_size = 3;

    tombola_engine_t engine;
    tombola_memory_desc_t tensor;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[2];
    int right = 1, i;

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    CHECK(tombola_memory_desc_create_with_tag(&tensor, 2, dims, tombola_f32, tombola_ab));
    CHECK(tombola_shuffle_forward_primitive_desc_create(&desc, engine, tombola_forward_inference,
                                                        tensor, NULL, axis, group_size, NULL));
    args[0].arg = TOMBOLA_ARG_SRC;
    args[0].memory = argument(desc, TOMBOLA_ARG_SRC, engine, channels);
    args[1].arg = TOMBOLA_ARG_DST;
    args[1].memory = argument(desc, TOMBOLA_ARG_DST, engine, shuffled);
    run(desc, engine, 2, args);
    CHECK(tombola_memory_desc_destroy(tensor));
    CHECK(tombola_engine_destroy(engine));

    for (i = 0; i < 6; ++i) {
        printf("channel %d comes from %g\n", i, shuffled[i]);
        right = right && shuffled[i] == expected[i];
    }
    return right ? 0 : 1;
}
