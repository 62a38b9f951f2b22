/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Channel shuffle in the C API. Included by tombola.h. */

#ifndef TOMBOLA_SHUFFLE_H
#define TOMBOLA_SHUFFLE_H

#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_shuffle Shuffle
 * @ingroup tombola_c
 * Channel shuffle: it transposes the axis of size C, seen as a matrix of C / group_size rows and group_size columns.
 * Source: oneDNN's shuffle primitive.
 *
 * Execution arguments. The two have the same dimensions and data type, each has its own layout, and they share no
 * memory:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_SRC (forward), TOMBOLA_ARG_DIFF_DST (backward) | f16, bf16, f32, f64, s8, u8, s32, u32, s64, u64, f8_e5m2, f8_e4m3 or boolean, any shape and layout | read |
 * | TOMBOLA_ARG_DST (forward), TOMBOLA_ARG_DIFF_SRC (backward) | the same | written, padding with zeros |
 *
 * Elements are copied unchanged, whatever their value.
 * @{ */

/** Creates a primitive descriptor of a forward shuffle.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param prop_kind tombola_forward_training or tombola_forward_inference. Both do the same.
 * @param src_desc The source tensor: any shape and data type, any layout but tombola_format_tag_any.
 * @param dst_desc The destination tensor: dimensions and data type of src_desc, any layout;
 *     tombola_format_tag_any or NULL takes src_desc's layout.
 * @param axis The axis that is shuffled, 0 to ndims - 1.
 * @param group_size Number of columns, at least 1; it must divide the size of the axis.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for another direction, an empty or open src_desc,
 * a dst_desc of other dimensions or type, or an axis or group_size outside its range;
 * tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_shuffle_forward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_prop_kind_t prop_kind, const_tombola_memory_desc_t src_desc,
    const_tombola_memory_desc_t dst_desc, int axis, tombola_dim_t group_size,
    const_tombola_primitive_attr_t attr);

/** Creates a primitive descriptor of a backward shuffle: it moves each element of DIFF_DST back to the place from
 * which the forward shuffle with the same axis and group_size took it.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param diff_src_desc The tensor that is written: dimensions and data type of diff_dst_desc, any
 * layout; tombola_format_tag_any or NULL takes diff_dst_desc's layout.
 * @param diff_dst_desc The tensor that is read: any shape, data type and layout. With
 * tombola_format_tag_any it takes the layout of the hint's destination.
 * @param axis The axis that is shuffled, 0 to ndims - 1.
 * @param group_size The forward shuffle's group_size: a divisor of the size of the axis, at least 1.
 * @param hint_fwd_pd Primitive descriptor of the forward shuffle, or NULL. If given, its axis,
 * group_size and dimensions must be the same.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for an empty diff_dst_desc or an open one without
 * hint, a diff_src_desc of other dimensions or type, an axis or group_size outside its range, or a hint
 * that is not of a forward shuffle or does not agree; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_shuffle_backward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t diff_src_desc, const_tombola_memory_desc_t diff_dst_desc, int axis,
    tombola_dim_t group_size, const_tombola_primitive_desc_t hint_fwd_pd,
    const_tombola_primitive_attr_t attr);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
