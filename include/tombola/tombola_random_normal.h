/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Normal numbers in the C API. Included by tombola.h. */

#ifndef TOMBOLA_RANDOM_NORMAL_H
#define TOMBOLA_RANDOM_NORMAL_H

#include "tombola_random_uniform.h"
#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_random_normal Random normal
 * @ingroup tombola_c
 * Normal numbers with the mean MEAN and the standard deviation STD. Source: PyTorch's Tensor.normal_ and TensorFlow's
 * tf.random.normal. The page random_normal defines what is computed.
 *
 * Execution arguments:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_MEAN | one element of DST's type: finite; 0 if absent | optional, read |
 * | TOMBOLA_ARG_STD | one element of DST's type: finite, at least 0; 1 if absent | optional, read |
 * | TOMBOLA_ARG_DST | f16, bf16, f32 or f64 of any shape and layout | written, padding with zeros |
 * | TOMBOLA_ARG_SEEDS | u64[2] {global, op} in place of the descriptor's; any values | optional, read |
 * | TOMBOLA_ARG_OFFSET | u64[1]: the element of the stream at which DST starts, 0 if absent; OFFSET + elements is at most 2^64; pytorch: a multiple of 16, and 0 if DST has 1 to 15 elements | optional, read |
 * | TOMBOLA_ARG_SRC_STATE | tensorflow: u64[2] {n, op counter}, in place of the op seed; pytorch: u32[628], the u32[625] of random_uniform, then 1 or 0 (whether a normal number is kept), then the low and the high word of that f64 number, in place of both seeds | optional, read |
 * | TOMBOLA_ARG_DST_STATE | the state after the call; may be SRC_STATE's own buffer | optional, written |
 * | TOMBOLA_ARG_DST_SEEDS | u64[2]: the seeds that were used. A seed that SRC_STATE replaces is written as it was given. May be SEEDS' own buffer | optional, written |
 *
 * All arguments except DST are row-major and may have leading dimensions of 1. An output shares no
 * memory with another argument, except where the table allows it. Inputs may share memory.
 * @{ */

/** Creates a primitive descriptor of random_normal.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param alignment The framework whose numbers are drawn.
 * @param dst_desc The tensor: f16, bf16, f32 or f64, any shape and layout; tombola_format_tag_any is row-major.
 * @param global_seed The global seed, any number (pytorch: its low 32 bits count). If both seeds are 0, each
 * execution draws fresh entropy.
 * @param op_seed The operation's seed, any number. Under the pytorch alignment it matters only if the global seed is 0: (0, 0) draws entropy.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for an unknown alignment, or a dst_desc that is empty or of
 * another type; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_random_normal_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, const_tombola_primitive_attr_t attr);

/** The number of u32 words of a state of random_normal's pytorch alignment: the words of a state of random_uniform,
 * then 1 or 0 (whether a normal number is kept for the next call), then the low and the high word of that f64
 * number. */
#define TOMBOLA_MT19937_NORMAL_STATE_WORDS 628

/** Converts a PyTorch CPU generator as tombola_mt19937_state_from_torch() does, together with the normal number that
 * PyTorch may have kept.
 *
 * @param torch_state The bytes of the tensor that torch.get_rng_state() returned; any alignment.
 * @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
 * @param state Output: TOMBOLA_MT19937_NORMAL_STATE_WORDS words, sharing no memory with torch_state.
 * @return As tombola_mt19937_state_from_torch(); tombola_invalid_arguments also for a kept number that is not
 * finite. */
TOMBOLA_API tombola_status_t tombola_mt19937_normal_state_from_torch(const void* torch_state,
                                                                     size_t torch_state_bytes,
                                                                     uint32_t* state);

/** Converts a state back to a PyTorch CPU generator as tombola_mt19937_state_to_torch() does, together with the kept
 * normal number. The seed stays as it is.
 *
 * @param state TOMBOLA_MT19937_NORMAL_STATE_WORDS words, sharing no memory with torch_state.
 * @param torch_state The bytes of a tensor that torch.get_rng_state() returned: patched in place.
 * @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
 * @return As tombola_mt19937_state_to_torch(); tombola_invalid_arguments also for a state[625] that is neither 0 nor 1,
 *     or a kept number that is not finite. */
TOMBOLA_API tombola_status_t tombola_mt19937_normal_state_to_torch(const uint32_t* state,
                                                                   void* torch_state,
                                                                   size_t torch_state_bytes);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
