/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Class indices, drawn with probabilities proportional to weights, in the C API. Included by tombola.h. */

#ifndef TOMBOLA_MULTINOMIAL_H
#define TOMBOLA_MULTINOMIAL_H

#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_multinomial Multinomial
 * @ingroup tombola_c
 * Draws class indices with probabilities proportional to weights. Source: OpenVINO's Multinomial-13. The page
 * multinomial defines what is computed.
 *
 * Execution arguments:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_SRC | f16, bf16, f32 or f64 [batch, classes], any layout: weights, finite and at least 0, or logits, below infinity; each row has enough classes of positive weight | read |
 * | TOMBOLA_ARG_DST | s32 or s64 [batch, samples], any layout: indices from 0 to classes - 1 | written, padding with zeros |
 * | TOMBOLA_ARG_SEEDS | u64[2] {global, op} in place of the descriptor's; any values | optional, read |
 * | TOMBOLA_ARG_OFFSET | u64[1]: the sample of the stream at which DST starts, 0 if absent; OFFSET + batch * samples is at most 2^64. Ignored if UNIFORMS is given | optional, read |
 * | TOMBOLA_ARG_UNIFORMS | f64 [batch, samples], row-major, each in [0, 1], in place of the stream | optional, read |
 * | TOMBOLA_ARG_DST_SEEDS | u64[2]: the seeds that were used. If UNIFORMS is given, the seeds are written as they were given. May be SEEDS' own buffer | optional, written |
 *
 * SEEDS, OFFSET and DST_SEEDS are row-major and may have leading dimensions of 1.
 * An output shares no memory with another argument, except where the table allows it. Inputs may share memory.
 *
 * Two samples or more without replacement need a scratchpad of 9.15 bytes for each class, however few the samples are:
 * 19.6 GB for 2^31 classes. The scratchpad has this memory once for each processor, but at most once for each row of the batch.
 * The page multinomial tells how much memory the other ways to draw need.
 * @{ */

/** Creates a primitive descriptor of multinomial.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param probs_desc Weights or logits: [batch, classes], f16, bf16, f32 or f64, any layout but
 * tombola_format_tag_any.
 * @param dst_desc Class indices: [batch, samples], s32 or s64, any layout; tombola_format_tag_any is
 * row-major.
 * @param with_replacement 0 or 1. 0: a class is drawn at most once per row.
 * @param log_probs 0 or 1. 1: the input is logits, whose exponentials are the weights.
 * @param global_seed The global seed, any number. If both seeds are 0, each execution draws fresh entropy.
 * @param op_seed The operation's seed, any number.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for descriptors that are empty, of another type or
 * not of two dimensions, an open probs_desc, different numbers of rows, flags other than 0 and 1, and, if
 * dst_desc has elements, 0 classes, more than 2^31 classes with s32, or without replacement more samples than classes;
 * tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_multinomial_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t probs_desc, const_tombola_memory_desc_t dst_desc,
    int with_replacement, int log_probs, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_attr_t attr);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
