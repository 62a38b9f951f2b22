/* SPDX-License-Identifier: Apache-2.0 */

/* A program in C in the style of oneDNN 3.x. Nothing in it names tombola. Expected values: the formula
 * of the shuffle, dst(u + v * C/G) = src(u * G + v). */

#include "example_utils.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_common.h"

#define REQUIRE(condition)                                                            \
    do {                                                                              \
        if (!(condition)) COMPLAIN_EXAMPLE_ERROR_AND_EXIT("%s is false", #condition); \
    } while (0)

enum { channels = 6, width = 2, group = 2, rows = channels / group };

static void shuffle(dnnl_engine_kind_t kind) {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    CHECK(dnnl_engine_create(&engine, kind, 0));
    CHECK(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));

    const dnnl_dims_t dims = {1, channels, width};
    dnnl_memory_desc_t md, same;
    CHECK(dnnl_memory_desc_create_with_tag(&md, 3, dims, dnnl_f32, dnnl_ncw));
    CHECK(dnnl_memory_desc_create_with_strides(&same, 3, dims, dnnl_f32, NULL));
    REQUIRE(dnnl_memory_desc_equal(md, same));
    REQUIRE(dnnl_memory_desc_get_size(md) == channels * width * dnnl_data_type_size(dnnl_f32));
    const dnnl_dims_t* found;
    CHECK(dnnl_memory_desc_query(md, dnnl_query_dims, &found));
    REQUIRE((*found)[1] == channels);
    CHECK(dnnl_memory_desc_query(md, dnnl_query_padded_offsets, &found));
    REQUIRE((*found)[1] == 0);

    float from[channels * width], to[channels * width], back[channels * width];
    for (int i = 0; i < channels * width; ++i) from[i] = (float)i;
    dnnl_memory_t src, dst, diff_src;
    CHECK(dnnl_memory_create(&src, md, engine, DNNL_MEMORY_ALLOCATE));
    CHECK(dnnl_memory_create(&dst, md, engine, to));
    CHECK(dnnl_memory_create(&diff_src, md, engine, DNNL_MEMORY_NONE));
    CHECK(dnnl_memory_set_data_handle(diff_src, back));
    write_to_dnnl_memory(from, src);

    dnnl_primitive_attr_t attr;
    CHECK(dnnl_primitive_attr_create(&attr));
    CHECK(dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_library));
    CHECK(dnnl_primitive_attr_set_fpmath_mode(attr, dnnl_fpmath_mode_bf16));
    CHECK(dnnl_primitive_attr_set_deterministic(attr, 1));
    dnnl_primitive_desc_t forward_pd, backward_pd;
    CHECK(dnnl_shuffle_forward_primitive_desc_create(&forward_pd, engine, dnnl_forward_training, md,
                                                     md, 1, group, attr));
    CHECK(dnnl_shuffle_backward_primitive_desc_create(&backward_pd, engine, md, md, 1, group,
                                                      forward_pd, NULL));
    REQUIRE(dnnl_primitive_desc_query_s32(forward_pd, dnnl_query_num_of_inputs_s32, 0) == 1);
    REQUIRE(dnnl_primitive_desc_query_s32(forward_pd, dnnl_query_axis_s32, 0) == 1);
    REQUIRE(
        dnnl_memory_desc_equal(dnnl_primitive_desc_query_md(forward_pd, dnnl_query_dst_md, 0), md));
    const char* name = NULL;
    CHECK(dnnl_primitive_desc_query(forward_pd, dnnl_query_impl_info_str, 0, &name));
    REQUIRE(name != NULL && name[0] != '\0');

    dnnl_primitive_t forward, backward;
    CHECK(dnnl_primitive_create(&forward, forward_pd));
    CHECK(dnnl_primitive_create(&backward, backward_pd));
    const dnnl_exec_arg_t forward_args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    const dnnl_exec_arg_t backward_args[] = {{DNNL_ARG_DIFF_DST, dst},
                                             {DNNL_ARG_DIFF_SRC, diff_src}};
    CHECK(dnnl_primitive_execute(forward, stream, 2, forward_args));
    CHECK(dnnl_primitive_execute(backward, stream, 2, backward_args));
    CHECK(dnnl_stream_wait(stream));
    for (int u = 0; u < rows; ++u)
        for (int v = 0; v < group; ++v)
            for (int w = 0; w < width; ++w)
                REQUIRE(to[(u + v * rows) * width + w] == from[(u * group + v) * width + w]);
    REQUIRE(memcmp(back, from, sizeof from) == 0);
    memset(back, 0, sizeof back);
    read_from_dnnl_memory(back, src);
    REQUIRE(memcmp(back, from, sizeof from) == 0);

    /* As lenient as oneDNN: a destination of another layout, and an argument that a shuffle does not have. */
    dnnl_memory_desc_t flat;
    const dnnl_dims_t flat_dims = {channels * width};
    CHECK(dnnl_memory_desc_create_with_tag(&flat, 1, flat_dims, dnnl_s32, dnnl_a));
    dnnl_memory_t flat_dst;
    CHECK(dnnl_memory_create(&flat_dst, flat, engine, back));
    const dnnl_exec_arg_t lenient_args[] = {
        {DNNL_ARG_WORKSPACE, flat_dst}, {DNNL_ARG_SRC, src}, {DNNL_ARG_DST, flat_dst}};
    CHECK(dnnl_primitive_execute(forward, stream, 3, lenient_args));
    REQUIRE(memcmp(back, to, sizeof to) == 0);
    void* mapped = NULL;
    CHECK(dnnl_memory_map_data_v2(flat_dst, &mapped, 0));
    REQUIRE(mapped == back && dnnl_memory_map_data_v2(flat_dst, &mapped, 1) != dnnl_success);
    REQUIRE(dnnl_memory_desc_get_size_v2(flat, 0) == sizeof back);
    CHECK(dnnl_memory_destroy(flat_dst));
    CHECK(dnnl_memory_desc_destroy(flat));

    /* 4 does not divide 6. */
    dnnl_primitive_desc_t refused = NULL;
    REQUIRE(dnnl_shuffle_forward_primitive_desc_create(&refused, engine, dnnl_forward_inference, md,
                                                       md, 1, 4, NULL) == dnnl_invalid_arguments);
    REQUIRE(strcmp(dnnl_status2str(dnnl_invalid_arguments), "invalid_arguments") == 0);
    REQUIRE(strcmp(dnnl_dt2str(dnnl_bf16), "bf16") == 0);

    CHECK(dnnl_primitive_destroy(forward));
    CHECK(dnnl_primitive_destroy(backward));
    CHECK(dnnl_primitive_desc_destroy(forward_pd));
    CHECK(dnnl_primitive_desc_destroy(backward_pd));
    CHECK(dnnl_primitive_attr_destroy(attr));
    CHECK(dnnl_memory_destroy(src));
    CHECK(dnnl_memory_destroy(dst));
    CHECK(dnnl_memory_destroy(diff_src));
    CHECK(dnnl_memory_desc_destroy(md));
    CHECK(dnnl_memory_desc_destroy(same));
    CHECK(dnnl_stream_destroy(stream));
    CHECK(dnnl_engine_destroy(engine));
}

int main(int argc, char** argv) {
    shuffle(parse_engine_kind(argc, argv));
    printf("Example passed on %s.\n", engine_kind2str_upper(dnnl_cpu));
    return 0;
}
