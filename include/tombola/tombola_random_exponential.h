/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Exponentially distributed numbers in the C API. Included by tombola.h. */

#ifndef TOMBOLA_RANDOM_EXPONENTIAL_H
#define TOMBOLA_RANDOM_EXPONENTIAL_H

#include "tombola_random_uniform.h"
#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_random_exponential Random exponential
 * @ingroup tombola_c
 * Exponentially distributed numbers with the rate LAMBDA. Source: PyTorch's Tensor.exponential_. The page
 * random_exponential defines what is computed.
 *
 * Execution arguments:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_LAMBDA | f64[1]: the rate, finite, above 0, with a finite reciprocal; 1 if absent | optional, read |
 * | TOMBOLA_ARG_DST | f16, bf16, f32 or f64 of any shape and layout | written, padding with zeros |
 * | TOMBOLA_ARG_SEEDS | u64[2] {global, op} in place of the descriptor's; any values | optional, read |
 * | TOMBOLA_ARG_OFFSET | u64[1]: the element of the stream at which DST starts, 0 if absent; OFFSET + elements is at most 2^64 | optional, read |
 * | TOMBOLA_ARG_SRC_STATE | tensorflow: u64[2] {n, op counter}, in place of the op seed; pytorch: u32[625], 624 words, not all 0 (the low 31 bits of the first do not count), then the position, in place of both seeds | optional, read |
 * | TOMBOLA_ARG_DST_STATE | the state after the call; may be SRC_STATE's own buffer | optional, written |
 * | TOMBOLA_ARG_DST_SEEDS | u64[2]: the seeds that were used. A seed that SRC_STATE replaces is written as it was given. May be SEEDS' own buffer | optional, written |
 *
 * All arguments except DST are row-major and may have leading dimensions of 1. An output shares no
 * memory with another argument, except where the table allows it. Inputs may share memory.
 * @{ */

/** Creates a primitive descriptor of random_exponential.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param alignment The framework whose uniform numbers are drawn.
 * @param dst_desc The tensor: f16, bf16, f32 or f64, any shape and layout; tombola_format_tag_any is row-major.
 * @param global_seed The global seed, any number (pytorch: its low 32 bits count). If both seeds are 0, each
 * execution draws fresh entropy.
 * @param op_seed The operation's seed, any number. Under the pytorch alignment it matters only if the global seed is 0: (0, 0) draws entropy.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for an unknown alignment, or a dst_desc that is empty or of
 * another type; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_random_exponential_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, const_tombola_primitive_attr_t attr);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
