/* SPDX-License-Identifier: Apache-2.0 */

/* Normal numbers as PyTorch draws them. Build: cc -std=c99 random_normal.c -ltombola */

#include "example.h"

#define COUNT 16

int main(void) {
    /* torch.manual_seed(150); torch.randn(16): the literals name their floats exactly. */
    const float expected[COUNT] = {-0.355261147f,  -1.21021104f,  -0.238944575f, -0.234776422f,
                                   -0.0941251144f, 0.510468185f,  0.48553744f,   -0.0256656799f,
                                   -1.30147755f,   -0.329345375f, 0.161533669f,  1.29804349f,
                                   -1.50606823f,   -0.854707956f, -0.386508733f, -0.952135146f};
    const tombola_dims_t dims = {COUNT};
    float values[COUNT];
    tombola_engine_t engine;
    tombola_memory_desc_t tensor;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[1];
    int right = 1, i;

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    CHECK(tombola_memory_desc_create_with_tag(&tensor, 1, dims, tombola_f32, tombola_a));
    CHECK(tombola_random_normal_primitive_desc_create(&desc, engine, tombola_alignment_pytorch,
                                                      tensor, /* global seed */ 150,
                                                      /* op seed */ 0, NULL));
    args[0].arg = TOMBOLA_ARG_DST;
    args[0].memory = argument(desc, TOMBOLA_ARG_DST, engine, values);
    run(desc, engine, 1, args);
    CHECK(tombola_memory_desc_destroy(tensor));
    CHECK(tombola_engine_destroy(engine));

    for (i = 0; i < COUNT; ++i) {
        printf(" %.9g", values[i]);
        right = right && values[i] == expected[i];
    }
    printf("%s\n", right ? "" : "   WRONG");
    return right ? 0 : 1;
}
