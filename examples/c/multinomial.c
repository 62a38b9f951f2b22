/* SPDX-License-Identifier: Apache-2.0 */

/* Class indices drawn by weight. Build: cc -std=c99 multinomial.c -ltombola */

#include "example.h"

/* Draws from three classes with the given uniforms and compares. */
static int draw(tombola_engine_t engine, int with_replacement, int samples, double* uniforms,
                const int32_t* expected) {
    double weights[3] = {0.1, 0.5, 0.4};
    int32_t classes[5] = {-1, -1, -1, -1, -1};
    tombola_dims_t weights_dims = {1, 3}, classes_dims = {1, 0};
    tombola_memory_desc_t weights_tensor, classes_tensor;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[3];
    int right = 1, i;

    classes_dims[1] = samples;
    CHECK(tombola_memory_desc_create_with_tag(&weights_tensor, 2, weights_dims, tombola_f64,
                                              tombola_ab));
    CHECK(tombola_memory_desc_create_with_tag(&classes_tensor, 2, classes_dims, tombola_s32,
                                              tombola_ab));
    CHECK(tombola_multinomial_primitive_desc_create(&desc, engine, weights_tensor, classes_tensor,
                                                    with_replacement,
                                                    /* log_probs */ 0, /* seeds */ 234, 148, NULL));
    args[0].arg = TOMBOLA_ARG_SRC;
    args[0].memory = argument(desc, TOMBOLA_ARG_SRC, engine, weights);
    args[1].arg = TOMBOLA_ARG_DST;
    args[1].memory = argument(desc, TOMBOLA_ARG_DST, engine, classes);
    args[2].arg = TOMBOLA_ARG_UNIFORMS; /* in place of the seeds' stream */
    args[2].memory = argument(desc, TOMBOLA_ARG_UNIFORMS, engine, uniforms);
    run(desc, engine, 3, args);
    CHECK(tombola_memory_desc_destroy(weights_tensor));
    CHECK(tombola_memory_desc_destroy(classes_tensor));

    for (i = 0; i < samples; ++i) {
        printf(" %d", (int)classes[i]);
        right = right && classes[i] == expected[i];
    }
    printf("%s\n", right ? "" : "   WRONG");
    return right;
}

int main(void) {
    /* OpenVINO's Multinomial-13, examples 1 and 3. The last uniform number of example 3 is 0.2, and class 0
     * has one fifth of the sum. The f64 number 0.2 is slightly greater than one fifth, so 0.19 is used here. */
    double with[5] = {0.2, 0.4, 0.6, 0.8, 1.0}, without[2] = {0.3, 0.19};
    const int32_t with_expected[5] = {1, 1, 1, 2, 2}, without_expected[2] = {1, 0};
    tombola_engine_t engine;
    int right;

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    right = draw(engine, 1, 5, with, with_expected);
    right = draw(engine, 0, 2, without, without_expected) && right;
    CHECK(tombola_engine_destroy(engine));
    return right ? 0 : 1;
}
