/* SPDX-License-Identifier: Apache-2.0 */

/* Bernoulli numbers as PyTorch draws them. Build: cc -std=c99 random_bernoulli.c -ltombola */

#include "example.h"

#define COUNT 16

int main(void) {
    /* torch.manual_seed(150); torch.empty(16, dtype=torch.uint8).bernoulli_(0.3) */
    const unsigned char expected[COUNT] = {0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0};
    const tombola_dims_t dims = {COUNT}, one = {1};
    unsigned char values[COUNT];
    double probability = 0.3;
    tombola_engine_t engine;
    tombola_memory_desc_t tensor, p;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[2];
    int right = 1, i;

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    CHECK(tombola_memory_desc_create_with_tag(&tensor, 1, dims, tombola_u8, tombola_a));
    CHECK(tombola_memory_desc_create_with_tag(&p, 1, one, tombola_f64, tombola_a));
    CHECK(tombola_random_bernoulli_primitive_desc_create(&desc, engine, tombola_alignment_pytorch,
                                                         tensor, p, /* global seed */ 150,
                                                         /* op seed */ 1, NULL));
    args[0].arg = TOMBOLA_ARG_P;
    args[0].memory = argument(desc, TOMBOLA_ARG_P, engine, &probability);
    args[1].arg = TOMBOLA_ARG_DST;
    args[1].memory = argument(desc, TOMBOLA_ARG_DST, engine, values);
    run(desc, engine, 2, args);
    CHECK(tombola_memory_desc_destroy(tensor));
    CHECK(tombola_memory_desc_destroy(p));
    CHECK(tombola_engine_destroy(engine));

    for (i = 0; i < COUNT; ++i) {
        printf(" %d", values[i]);
        right = right && values[i] == expected[i];
    }
    printf("%s\n", right ? "" : "   WRONG");
    return right ? 0 : 1;
}
