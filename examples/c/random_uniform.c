/* SPDX-License-Identifier: Apache-2.0 */

/* Uniform numbers as TensorFlow and as PyTorch draw them. Build: cc -std=c99 random_uniform.c -ltombola */

#include "example.h"

#define COUNT 9

/* Draws in [0, 1) and compares: the literals name their floats exactly. */
static int draw(tombola_engine_t engine, tombola_alignment_t whose, uint64_t op_seed,
                const float* expected) {
    float values[COUNT];
    float low = 0, high = 1;
    const tombola_dims_t dims = {3, 3};
    tombola_memory_desc_t tensor;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[3];
    int right = 1, i;

    CHECK(tombola_memory_desc_create_with_tag(&tensor, 2, dims, tombola_f32, tombola_ab));
    CHECK(tombola_random_uniform_primitive_desc_create(&desc, engine, whose, tensor,
                                                       /* global seed */ 150, op_seed,
                                                       tombola_int_draws_spec, NULL));
    args[0].arg = TOMBOLA_ARG_MIN;
    args[0].memory = argument(desc, TOMBOLA_ARG_MIN, engine, &low);
    args[1].arg = TOMBOLA_ARG_MAX;
    args[1].memory = argument(desc, TOMBOLA_ARG_MAX, engine, &high);
    args[2].arg = TOMBOLA_ARG_DST;
    args[2].memory = argument(desc, TOMBOLA_ARG_DST, engine, values);
    run(desc, engine, 3, args);
    CHECK(tombola_memory_desc_destroy(tensor));

    for (i = 0; i < COUNT; ++i) {
        printf(" %.8g", values[i]);
        right = right && values[i] == expected[i];
    }
    printf("%s\n", right ? "" : "   WRONG");
    return right;
}

int main(void) {
    /* OpenVINO's RandomUniform-8, first example. */
    const float tensorflow[COUNT] = {0.7011236f,  0.30539632f, 0.93931055f, 0.9456035f, 0.11694777f,
                                     0.50770056f, 0.5197197f,  0.22727466f, 0.991374f};
    /* torch.manual_seed(150); torch.rand(3, 3) */
    const float pytorch[COUNT] = {.59748673f, .54458201f, .04074067f, .58105618f, .67971706f,
                                  .39076531f, .1751616f,  .36466956f, .70758903f};
    tombola_engine_t engine;
    int right;

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    right = draw(engine, tombola_alignment_tensorflow, 10, tensorflow);
    right = draw(engine, tombola_alignment_pytorch, 0, pytorch) && right;
    CHECK(tombola_engine_destroy(engine));
    return right ? 0 : 1;
}
