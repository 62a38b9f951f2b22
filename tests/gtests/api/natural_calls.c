/* SPDX-License-Identifier: Apache-2.0 */

/* Calls as a C program writes them, with arrays that are as long as the tensor has dimensions. public_headers.cmake
 * compiles them with every warning as an error; nothing here runs. */

#include "tombola/tombola.h"

tombola_status_t natural_calls(tombola_engine_t engine, tombola_memory_desc_t* made);

tombola_status_t natural_calls(tombola_engine_t engine, tombola_memory_desc_t* made) {
    const tombola_dim_t dims[2] = {4, 6};
    tombola_dim_t strides[] = {6, 1};
    const tombola_dim_t box[2] = {2, 3};
    const tombola_dim_t at[2] = {1, 1};
    const tombola_dim_t flat[1] = {24};
    const tombola_dims_t of_the_type = {4, 6};
    const int swap[2] = {1, 0};
    tombola_primitive_desc_t pd = NULL;
    tombola_exec_arg_t args[1];
    tombola_memory_desc_create_with_tag(&made[0], 2, dims, tombola_f32, tombola_ab);
    tombola_memory_desc_create_with_tag(&made[0], 2, of_the_type, tombola_f32, tombola_ab);
    tombola_memory_desc_create_with_strides(&made[1], 2, dims, tombola_f32, strides);
    tombola_memory_desc_create_with_strides(&made[1], 2, dims, tombola_f32, NULL);
    tombola_memory_desc_create_with_block(&made[2], 2, dims, tombola_f32, strides, 0, 1, 0);
    tombola_memory_desc_create_submemory(&made[3], made[0], box, at);
    tombola_memory_desc_reshape(&made[4], made[0], 1, flat);
    tombola_memory_desc_permute_axes(&made[5], made[0], swap);
    tombola_memory_create(&args[0].memory, made[0], engine, TOMBOLA_MEMORY_ALLOCATE);
    tombola_memory_create(&args[0].memory, made[0], engine, TOMBOLA_MEMORY_NONE);
    return tombola_shuffle_forward_primitive_desc_create(&pd, engine, tombola_forward_inference,
                                                         made[0], NULL, 1, 3, NULL);
}
