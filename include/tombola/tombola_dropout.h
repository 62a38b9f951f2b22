/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Dropout in the C API. Included by tombola.h. */

#ifndef TOMBOLA_DROPOUT_H
#define TOMBOLA_DROPOUT_H

#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_dropout Dropout
 * @ingroup tombola_c
 * Dropout: each element becomes +0 with the probability P', which is P rounded up to a multiple of 2^-23 (draw_bits 32),
 * 2^-16 (16) or 2^-8 (8), and is multiplied by 1 / (1 - P') otherwise. Source: the rule of tf.nn.dropout. The page
 * dropout defines what is computed.
 *
 * Execution arguments:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_SRC (forward), TOMBOLA_ARG_DIFF_DST (backward) | f32, f16 or bf16 of any shape and layout | read |
 * | TOMBOLA_ARG_P | f32[1]: the probability to drop, 0 to 1 | read |
 * | TOMBOLA_ARG_DST (forward), TOMBOLA_ARG_DIFF_SRC (backward) | the same type and shape. If its layout is the same too, it may be the buffer of the tensor that is read | written, padding with zeros |
 * | TOMBOLA_ARG_MASK, with tombola_dropout_mask_u8 | u8, shape and layout of SRC (forward) or DIFF_SRC (backward): 1 where an element is kept, 0 where it is dropped; backward keeps every nonzero element | optional, written by forward, read by backward |
 * | TOMBOLA_ARG_MASK, with tombola_dropout_mask_bits | u8[(elements + 7) / 8]: bit i % 8 of byte i / 8, the lowest bit first, belongs to element i in row-major order; forward writes zeros after the last | optional, written by forward, read by backward |
 * | TOMBOLA_ARG_SEEDS | u64[2] {global, op} in place of the descriptor's | optional, read |
 * | TOMBOLA_ARG_OFFSET | u64[1]: the draw of the stream that belongs to the first element, 0 if absent; OFFSET + elements is at most 2^64 | optional, read |
 * | TOMBOLA_ARG_DST_SEEDS | forward only, u64[2]: the seeds that were used. May be SEEDS' own buffer | optional, written |
 *
 * Backward without MASK draws the mask again, so it needs the seeds and the OFFSET of the forward execution. It refuses
 * the seeds (0, 0), because forward draws entropy for them; DST_SEEDS tells the seeds that forward used. With MASK it
 * ignores the seeds and OFFSET. SEEDS, OFFSET, DST_SEEDS and P are row-major and may have leading dimensions of 1.
 * An output shares no memory with another argument, except where the table allows it.
 * Inputs may share memory.
 * @{ */

/** The forms of a mask. This is the only list of them; everything else derives from it. X(name, value of the enumeration) */
#define TOMBOLA_DROPOUT_MASKS(X) X(none, 0), X(u8, 1), X(bits, 2)

/** The form of the argument TOMBOLA_ARG_MASK.
 *
 * | value | form |
 * |---|---|
 * | tombola_dropout_mask_none | there is no such argument |
 * | tombola_dropout_mask_u8 | a byte for each element, in the layout of SRC or DIFF_SRC |
 * | tombola_dropout_mask_bits | a bit for each element, in row-major order, the lowest bit first | */
typedef enum {
#define TOMBOLA_ENUMERATOR(name, value) tombola_dropout_mask_##name = (value)
    TOMBOLA_DROPOUT_MASKS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_dropout_mask_t;

/** Creates a primitive descriptor of a forward dropout.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param prop_kind tombola_forward_training or tombola_forward_inference. Both do the same.
 * @param src_desc The source tensor: f32, f16 or bf16, any shape, any layout but tombola_format_tag_any.
 * @param dst_desc The destination tensor: dimensions and data type of src_desc, any layout;
 *     tombola_format_tag_any or NULL takes src_desc's layout.
 * @param draw_bits The bits of the stream that decide about an element: 32 (a word, of which 23 bits count), 16 or 8.
 *     Fewer bits are faster; P is rounded up to a multiple of 2^-23, 2^-16 or 2^-8.
 * @param mask_kind The form of TOMBOLA_ARG_MASK.
 * @param global_seed The global seed, any number. If both seeds are 0, each execution draws fresh entropy.
 * @param op_seed The operation's seed, any number.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for another direction, an empty or open src_desc, a src_desc of
 * another type, a dst_desc of other dimensions or type, or another number of bits or form of mask;
 * tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_dropout_forward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_prop_kind_t prop_kind, const_tombola_memory_desc_t src_desc,
    const_tombola_memory_desc_t dst_desc, int draw_bits, tombola_dropout_mask_t mask_kind,
    uint64_t global_seed, uint64_t op_seed, const_tombola_primitive_attr_t attr);

/** Creates a primitive descriptor of a backward dropout: it keeps the elements of DIFF_DST that the forward dropout
 * kept, multiplied by the same number, and sets the others to +0.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param diff_src_desc The tensor that is written: dimensions and data type of diff_dst_desc, any
 * layout; tombola_format_tag_any or NULL takes diff_dst_desc's layout.
 * @param diff_dst_desc The tensor that is read: f32, f16 or bf16, any shape and layout. With
 * tombola_format_tag_any it takes the layout of the hint's destination.
 * @param draw_bits The forward dropout's number of bits: 32, 16 or 8.
 * @param mask_kind The form of TOMBOLA_ARG_MASK.
 * @param global_seed The forward dropout's global seed.
 * @param op_seed The forward dropout's operation seed.
 * @param hint_fwd_pd Primitive descriptor of the forward dropout, or NULL. If given, its dimensions, draw_bits and
 * mask_kind must be the same.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for an empty diff_dst_desc or an open one without
 * hint, a diff_dst_desc of another type, a diff_src_desc of other dimensions or type, another number of bits or form of
 * mask, or a hint that is not of a forward dropout or does not agree; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_dropout_backward_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t diff_src_desc, const_tombola_memory_desc_t diff_dst_desc,
    int draw_bits, tombola_dropout_mask_t mask_kind, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_desc_t hint_fwd_pd, const_tombola_primitive_attr_t attr);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
