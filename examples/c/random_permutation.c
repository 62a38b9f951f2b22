/* SPDX-License-Identifier: Apache-2.0 */

/* torch.randperm, and a permutation of which a part is drawn. Build: cc -std=c99 random_permutation.c -ltombola */

#include "example.h"

/* Draws `count` elements of a permutation of ten numbers, from element `offset` on. */
static void draw(tombola_engine_t engine, tombola_permutation_alignment_t alignment, int count,
                 uint64_t offset, int32_t* elements) {
    tombola_dims_t dims = {0};
    tombola_memory_desc_t tensor;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[2];
    int i;

    dims[0] = count;
    CHECK(tombola_memory_desc_create_with_tag(&tensor, 1, dims, tombola_s32, tombola_a));
    CHECK(tombola_random_permutation_primitive_desc_create(&desc, engine, alignment, tensor,
                                                           /* range */ 10, /* seeds */ 5, 1, NULL));
    args[0].arg = TOMBOLA_ARG_DST;
    args[0].memory = argument(desc, TOMBOLA_ARG_DST, engine, elements);
    args[1].arg = TOMBOLA_ARG_OFFSET;
    args[1].memory = argument(desc, TOMBOLA_ARG_OFFSET, engine, &offset);
    run(desc, engine, 2, args);
    CHECK(tombola_memory_desc_destroy(tensor));
    for (i = 0; i < count; ++i) printf(" %d", (int)elements[i]);
    printf("\n");
}

int main(void) {
    /* torch.manual_seed(5); torch.randperm(10) */
    const int32_t torch[10] = {1, 4, 9, 6, 3, 5, 0, 2, 8, 7};
    int32_t elements[10], first[4], rest[6];
    tombola_engine_t engine;
    int right = 1, i;

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    draw(engine, tombola_permutation_pytorch, 10, 0, elements);
    for (i = 0; i < 10; ++i) right = right && elements[i] == torch[i];
    draw(engine, tombola_permutation_philox, 10, 0, elements);
    draw(engine, tombola_permutation_philox, 4, 0, first);
    draw(engine, tombola_permutation_philox, 6, 4, rest);
    for (i = 0; i < 10; ++i) right = right && elements[i] == (i < 4 ? first[i] : rest[i - 4]);
    CHECK(tombola_engine_destroy(engine));
    printf("%s\n", right ? "right" : "WRONG");
    return right ? 0 : 1;
}
