/* SPDX-License-Identifier: Apache-2.0 */

/* As natural_calls.c, under oneDNN's names. */

#include "tombola/compat/dnnl.h"

dnnl_status_t natural_dnnl_calls(dnnl_memory_desc_t* made);

dnnl_status_t natural_dnnl_calls(dnnl_memory_desc_t* made) {
    const dnnl_dim_t dims[2] = {4, 6};
    const dnnl_dim_t strides[2] = {6, 1};
    const dnnl_dim_t at[2] = {1, 1};
    const dnnl_dim_t flat[1] = {24};
    dnnl_memory_desc_create_with_tag(&made[0], 2, dims, dnnl_f32, dnnl_ab);
    dnnl_memory_desc_create_with_strides(&made[1], 2, dims, dnnl_f32, strides);
    dnnl_memory_desc_create_submemory(&made[2], made[0], strides, at);
    return dnnl_memory_desc_reshape(&made[3], made[0], 1, flat);
}
