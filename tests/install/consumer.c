/* SPDX-License-Identifier: Apache-2.0 */

/* What somebody else's project compiles against the installed library, in C: four words of Philox. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tombola/tombola.h"

#define CHECK(call)                                                       \
    do {                                                                  \
        if ((call) != tombola_success) {                                  \
            fprintf(stderr, "%s: %s\n", #call, tombola_get_last_error()); \
            return 1;                                                     \
        }                                                                 \
    } while (0)

int main(void) {
    uint32_t state[6] = {0, 0, 0, 0, 0, 0};
    uint32_t words[4] = {0, 0, 0, 0};
    /* Random123, kat_vectors: philox4x32 with ten rounds, counter 0, key 0. */
    const uint32_t expected[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    const tombola_dims_t state_dims = {6};
    const tombola_dims_t words_dims = {4};

    tombola_engine_t engine;
    tombola_stream_t stream;
    tombola_memory_desc_t state_desc, words_desc;
    tombola_memory_t state_memory, words_memory;
    tombola_primitive_desc_t desc;
    tombola_primitive_t generator;
    tombola_exec_arg_t args[2];

    CHECK(tombola_engine_create(&engine, tombola_cpu, 0));
    CHECK(tombola_stream_create(&stream, engine, tombola_stream_default_flags));
    CHECK(tombola_memory_desc_create_with_tag(&state_desc, 1, state_dims, tombola_u32, tombola_a));
    CHECK(tombola_memory_desc_create_with_tag(&words_desc, 1, words_dims, tombola_u32, tombola_a));
    CHECK(tombola_memory_create(&state_memory, state_desc, engine, state));
    CHECK(tombola_memory_create(&words_memory, words_desc, engine, words));
    CHECK(tombola_random_generator_primitive_desc_create(&desc, engine, tombola_philox4x32_10,
                                                         words_desc, NULL));
    CHECK(tombola_primitive_create(&generator, desc));
    args[0].arg = TOMBOLA_ARG_SRC_STATE;
    args[0].memory = state_memory;
    args[1].arg = TOMBOLA_ARG_DST;
    args[1].memory = words_memory;
    CHECK(tombola_primitive_execute(generator, stream, 2, args));

    tombola_primitive_destroy(generator);
    tombola_primitive_desc_destroy(desc);
    tombola_memory_destroy(words_memory);
    tombola_memory_destroy(state_memory);
    tombola_memory_desc_destroy(words_desc);
    tombola_memory_desc_destroy(state_desc);
    tombola_stream_destroy(stream);
    tombola_engine_destroy(engine);

    printf("tombola %d.%d.%d, %s: %08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 "\n",
           tombola_version()->major, tombola_version()->minor, tombola_version()->patch,
           tombola_version()->cpu_runtime, words[0], words[1], words[2], words[3]);
    return memcmp(words, expected, sizeof words) == 0 ? 0 : 1;
}
