/* SPDX-License-Identifier: Apache-2.0 */

/* Raw words of Philox 4x32-10. Build: cc -std=c99 random_generator.c -ltombola */

#include "example.h"

int main(void) {
    /* The counter, least significant word first, then the key. SRC_STATE and DST_STATE may be one buffer. */
    uint32_t state[6] = {0, 0, 0, 0, 0, 0};
    uint32_t words[4] = {0, 0, 0, 0};
    /* Random123's known answer for counter 0, key 0. */
    const uint32_t expected[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    const tombola_dims_t dims = {4};

    tombola_engine_t engine;
    tombola_memory_desc_t tensor;
    tombola_primitive_desc_t desc;
    tombola_exec_arg_t args[3];
    int right, i;

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    CHECK(tombola_memory_desc_create_with_tag(&tensor, 1, dims, tombola_u32, tombola_a));
    CHECK(tombola_random_generator_primitive_desc_create(&desc, engine, tombola_philox4x32_10,
                                                         tensor, NULL));
    args[0].arg = TOMBOLA_ARG_SRC_STATE;
    args[0].memory = argument(desc, TOMBOLA_ARG_SRC_STATE, engine, state);
    args[1].arg = TOMBOLA_ARG_DST;
    args[1].memory = argument(desc, TOMBOLA_ARG_DST, engine, words);
    args[2].arg = TOMBOLA_ARG_DST_STATE;
    args[2].memory = argument(desc, TOMBOLA_ARG_DST_STATE, engine, state);
    run(desc, engine, 3, args);
    CHECK(tombola_memory_desc_destroy(tensor));
    CHECK(tombola_engine_destroy(engine));

    right = state[0] == 1; /* four words are one block */
    for (i = 0; i < 4; ++i) {
        printf("%08lx\n", (unsigned long)words[i]);
        right = right && words[i] == expected[i];
    }
    return right ? 0 : 1;
}
