/* SPDX-License-Identifier: Apache-2.0 */

/* The C API from C99: shuffles six numbers forward and backward and says what it got. */

#include <stdio.h>
#include <string.h>

#include "tombola/tombola.h"

static int failed(tombola_status_t status, const char* what) {
    if (status == tombola_success) return 0;
    printf("%s: %s: %s\n", what, tombola_status2str(status), tombola_get_last_error());
    return 1;
}

static int run(tombola_primitive_desc_t desc, tombola_stream_t stream, int from_arg,
               tombola_memory_t from, int to_arg, tombola_memory_t to) {
    tombola_primitive_t primitive = NULL;
    tombola_exec_arg_t args[2];
    int bad;
    args[0].arg = from_arg;
    args[0].memory = from;
    args[1].arg = to_arg;
    args[1].memory = to;
    if (failed(tombola_primitive_create(&primitive, desc), "primitive")) return 1;
    bad = failed(tombola_primitive_execute(primitive, stream, 2, args), "execute");
    tombola_primitive_destroy(primitive);
    return bad;
}

int main(void) {
    /* Six channels seen as three rows of two columns, transposed by hand. */
    const float source[6] = {0, 1, 2, 3, 4, 5};
    const float expected[6] = {0, 2, 4, 1, 3, 5};
    float x[6], y[6];
    tombola_dims_t dims = {6};
    tombola_engine_t engine = NULL;
    tombola_stream_t stream = NULL;
    tombola_memory_desc_t data = NULL;
    tombola_memory_t in = NULL, out = NULL;
    tombola_primitive_desc_t forward = NULL, backward = NULL;
    int bad = 0;

    memcpy(x, source, sizeof x);
    memset(y, 0, sizeof y);
    if (failed(tombola_engine_create(&engine, tombola_cpu, 0), "engine") ||
        failed(tombola_stream_create(&stream, engine, tombola_stream_default_flags), "stream") ||
        failed(tombola_memory_desc_create_with_tag(&data, 1, dims, tombola_f32, tombola_a),
               "memory descriptor") ||
        failed(tombola_memory_create(&in, data, engine, x), "input") ||
        failed(tombola_memory_create(&out, data, engine, y), "output") ||
        failed(tombola_shuffle_forward_primitive_desc_create(
                   &forward, engine, tombola_forward_inference, data, NULL, 0, 2, NULL),
               "forward") ||
        failed(tombola_shuffle_backward_primitive_desc_create(&backward, engine, NULL, data, 0, 2,
                                                              forward, NULL),
               "backward"))
        return 1;

    bad |= run(forward, stream, TOMBOLA_ARG_SRC, in, TOMBOLA_ARG_DST, out);
    bad |= memcmp(y, expected, sizeof y) != 0;
    memset(x, 0, sizeof x);
    bad |= run(backward, stream, TOMBOLA_ARG_DIFF_DST, out, TOMBOLA_ARG_DIFF_SRC, in);
    bad |= memcmp(x, source, sizeof x) != 0;

    tombola_primitive_desc_destroy(backward);
    tombola_primitive_desc_destroy(forward);
    tombola_memory_destroy(out);
    tombola_memory_destroy(in);
    tombola_memory_desc_destroy(data);
    tombola_stream_destroy(stream);
    tombola_engine_destroy(engine);
    printf("tombola %d.%d.%d: %s\n", tombola_version()->major, tombola_version()->minor,
           tombola_version()->patch, bad ? "wrong" : "right");
    return bad;
}
