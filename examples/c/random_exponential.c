/* SPDX-License-Identifier: Apache-2.0 */

/* Exponentially distributed numbers as PyTorch draws them. Build: cc -std=c99 random_exponential.c -ltombola */

#include "example.h"

#define COUNT 6

int main(void) {
    /* torch.manual_seed(150); torch.empty(6).exponential_(2.0): the literals name their floats exactly. */
    const float expected[COUNT] = {0.756823719f, 0.197207421f, 0.28789252f,
                                   0.256491452f, 0.540453732f, 0.139271513f};
    const tombola_dims_t dims = {COUNT};
    float values[COUNT];
    double rate = 2;
    tombola_engine_t engine;
    tombola_memory_desc_t tensor;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[2];
    int right = 1, i;

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    CHECK(tombola_memory_desc_create_with_tag(&tensor, 1, dims, tombola_f32, tombola_a));
    CHECK(tombola_random_exponential_primitive_desc_create(&desc, engine, tombola_alignment_pytorch,
                                                           tensor, /* global seed */ 150,
                                                           /* op seed */ 1, NULL));
    args[0].arg = TOMBOLA_ARG_LAMBDA;
    args[0].memory = argument(desc, TOMBOLA_ARG_LAMBDA, engine, &rate);
    args[1].arg = TOMBOLA_ARG_DST;
    args[1].memory = argument(desc, TOMBOLA_ARG_DST, engine, values);
    run(desc, engine, 2, args);
    CHECK(tombola_memory_desc_destroy(tensor));
    CHECK(tombola_engine_destroy(engine));

    for (i = 0; i < COUNT; ++i) {
        printf(" %.9g", values[i]);
        right = right && values[i] == expected[i];
    }
    printf("%s\n", right ? "" : "   WRONG");
    return right ? 0 : 1;
}
