/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Bernoulli numbers, 0 or 1, in the C API. Included by tombola.h. */

#ifndef TOMBOLA_RANDOM_BERNOULLI_H
#define TOMBOLA_RANDOM_BERNOULLI_H

#include "tombola_random_uniform.h"
#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_random_bernoulli Random Bernoulli
 * @ingroup tombola_c
 * Numbers that are 1 with the probability P, otherwise 0. Source: PyTorch's Tensor.bernoulli_. The page
 * random_bernoulli defines what is computed.
 *
 * Execution arguments:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_P | f32 or f64, one element, or DST's dimensions in any layout; each in [0, 1] | read |
 * | TOMBOLA_ARG_DST | u8, s32, s64, f16, bf16, f32 or f64 of any shape and layout | written, padding with zeros |
 * | TOMBOLA_ARG_SEEDS | u64[2] {global, op} in place of the descriptor's; any values | optional, read |
 * | TOMBOLA_ARG_OFFSET | u64[1]: the element of the stream at which DST starts, 0 if absent; OFFSET + elements is at most 2^64 | optional, read |
 * | TOMBOLA_ARG_SRC_STATE | tensorflow: u64[2] {n, op counter}, in place of the op seed; pytorch: u32[625], 624 words, not all 0 (the low 31 bits of the first do not count), then the position, in place of both seeds | optional, read |
 * | TOMBOLA_ARG_DST_STATE | the state after the call; may be SRC_STATE's own buffer | optional, written |
 * | TOMBOLA_ARG_DST_SEEDS | u64[2]: the seeds that were used. A seed that SRC_STATE replaces is written as it was given. May be SEEDS' own buffer | optional, written |
 *
 * All arguments except DST and P are row-major and may have leading dimensions of 1, as may the memory of a P of [1]. An output shares no
 * memory with another argument, except where the table allows it. Inputs may share memory.
 * @{ */

/** Creates a primitive descriptor of random_bernoulli.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param alignment The framework whose uniform numbers are drawn.
 * @param dst_desc The tensor: u8, s32, s64, f16, bf16, f32 or f64, any shape and layout; tombola_format_tag_any is
 * row-major.
 * @param p_desc The probabilities: f32 or f64. The dimensions are [1], for one probability of all elements, or those of
 * dst_desc. Any layout but tombola_format_tag_any.
 * @param global_seed The global seed, any number (pytorch: its low 32 bits count). If both seeds are 0, each
 * execution draws fresh entropy.
 * @param op_seed The operation's seed, any number. Under the pytorch alignment it matters only if the global seed is 0: (0, 0) draws entropy.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for an unknown alignment, a dst_desc or p_desc that is empty or of
 * another type, or a p_desc of other dimensions or without a layout; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_random_bernoulli_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc,
    const_tombola_memory_desc_t p_desc, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_attr_t attr);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
