/* SPDX-License-Identifier: Apache-2.0 */

/* Token ids drawn from logits through filters. Build: cc -std=c99 token_sampler.c -ltombola */

#include "example.h"

int main(void) {
    /* Four equal logits: each has a quarter of the mass, and equal logits are ordered by their class. */
    float logits[8] = {7, 7, 7, 7, 1, 5, 2, 5}, top_p = 0.5f;
    double uniforms[4] = {0.25, 1.0, 0.0, 1.0};
    int32_t ids[4] = {-1, -1, -1, -1}, kept[2] = {0, 0}, top_k = 3;
    /* Row 0: top_k keeps 0, 1, 2; half of their mass needs two. Row 1: 1, 3 and 2 are kept with masses 1, 1, e^-3; half needs two. */
    const int32_t ids_expected[4] = {0, 1, 1, 3}, kept_expected[2] = {2, 2};
    tombola_dims_t logits_dims = {2, 4}, ids_dims = {2, 2};
    tombola_memory_desc_t logits_tensor, ids_tensor;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[6];
    tombola_engine_t engine;
    int right = 1, i;

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    CHECK(tombola_memory_desc_create_with_tag(&logits_tensor, 2, logits_dims, tombola_f32,
                                              tombola_ab));
    CHECK(tombola_memory_desc_create_with_tag(&ids_tensor, 2, ids_dims, tombola_s32, tombola_ab));
    CHECK(tombola_token_sampler_primitive_desc_create(
        &desc, engine, logits_tensor, ids_tensor, tombola_filter_order_transformers,
        tombola_logprobs_none, /* top_n */ 0, /* seeds */ 234, 148, NULL));
    args[0].arg = TOMBOLA_ARG_SRC;
    args[0].memory = argument(desc, TOMBOLA_ARG_SRC, engine, logits);
    args[1].arg = TOMBOLA_ARG_DST;
    args[1].memory = argument(desc, TOMBOLA_ARG_DST, engine, ids);
    args[2].arg = TOMBOLA_ARG_TOP_K;
    args[2].memory = argument(desc, TOMBOLA_ARG_TOP_K, engine, &top_k);
    args[3].arg = TOMBOLA_ARG_TOP_P;
    args[3].memory = argument(desc, TOMBOLA_ARG_TOP_P, engine, &top_p);
    args[4].arg = TOMBOLA_ARG_UNIFORMS; /* in place of the seeds' stream */
    args[4].memory = argument(desc, TOMBOLA_ARG_UNIFORMS, engine, uniforms);
    args[5].arg = TOMBOLA_ARG_DST_KEPT;
    args[5].memory = argument(desc, TOMBOLA_ARG_DST_KEPT, engine, kept);
    run(desc, engine, 6, args);
    CHECK(tombola_memory_desc_destroy(logits_tensor));
    CHECK(tombola_memory_desc_destroy(ids_tensor));
    CHECK(tombola_engine_destroy(engine));

    for (i = 0; i < 4; ++i) {
        printf(" %d", (int)ids[i]);
        right = right && ids[i] == ids_expected[i] && kept[i / 2] == kept_expected[i / 2];
    }
    printf("%s\n", right ? "" : "   WRONG");
    return right ? 0 : 1;
}
