/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Stochastic rounding in the C API. Included by tombola.h. */

#ifndef TOMBOLA_STOCHASTIC_ROUNDING_H
#define TOMBOLA_STOCHASTIC_ROUNDING_H

#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_stochastic_rounding Stochastic rounding
 * @ingroup tombola_c
 * Rounds f32 to bf16 or f16 up or down at random, so that the expected value is the number itself. Source:
 * the page stochastic_rounding, which defines what is computed.
 *
 * Execution arguments:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_SRC | f32 of any shape and layout, any values | read |
 * | TOMBOLA_ARG_DST | bf16 or f16 of SRC's shape, any layout | written, padding with zeros |
 * | TOMBOLA_ARG_SEEDS | u64[2] {global, op} in place of the descriptor's | optional, read |
 * | TOMBOLA_ARG_OFFSET | u64[1]: the draw of the stream that belongs to the first element, 0 if absent; OFFSET + elements is at most 2^64 | optional, read |
 * | TOMBOLA_ARG_DST_SEEDS | u64[2]: the seeds that were used. May be SEEDS' own buffer | optional, written |
 *
 * SEEDS, OFFSET and DST_SEEDS are row-major and may have leading dimensions of 1.
 * An output shares no memory with another argument, except where the table allows it. Inputs may share memory.
 * @{ */

/** Creates a primitive descriptor of stochastic rounding.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param src_desc The source tensor: f32, any shape, any layout but tombola_format_tag_any.
 * @param dst_desc The destination tensor: bf16 or f16, dimensions of src_desc, any layout;
 *     tombola_format_tag_any is that of src_desc.
 * @param global_seed The global seed, any number. If both seeds are 0, each execution draws fresh entropy.
 * @param op_seed The operation's seed, any number.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for an empty or open src_desc, an empty dst_desc, other data
 * types, or dimensions that differ; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_stochastic_rounding_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t src_desc, const_tombola_memory_desc_t dst_desc,
    uint64_t global_seed, uint64_t op_seed, const_tombola_primitive_attr_t attr);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
