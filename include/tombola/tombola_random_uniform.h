/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Uniform numbers in the C API. Included by tombola.h. */

#ifndef TOMBOLA_RANDOM_UNIFORM_H
#define TOMBOLA_RANDOM_UNIFORM_H

#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_random_uniform Random uniform
 * @ingroup tombola_c
 * Uniform numbers in [MIN, MAX). Source: OpenVINO's RandomUniform-8. The page random_uniform defines what is
 * computed.
 *
 * Execution arguments:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_MIN, TOMBOLA_ARG_MAX | one element of DST's type each: finite, MIN < MAX, MAX - MIN finite; not with full_range | read |
 * | TOMBOLA_ARG_DST | f16, bf16, f32, f64, s32 or s64 of any shape and layout | written, padding with zeros |
 * | TOMBOLA_ARG_SEEDS | u64[2] {global, op} in place of the descriptor's; any values | optional, read |
 * | TOMBOLA_ARG_OFFSET | u64[1]: the element of the stream at which DST starts, 0 if absent; OFFSET + elements is at most 2^64 | optional, read |
 * | TOMBOLA_ARG_SRC_STATE | tensorflow: u64[2] {n, op counter}, in place of the op seed; pytorch: u32[625], 624 words, not all 0 (the low 31 bits of the first do not count), then the position, in place of both seeds | optional, read |
 * | TOMBOLA_ARG_DST_STATE | the state after the call; may be SRC_STATE's own buffer | optional, written |
 * | TOMBOLA_ARG_DST_SEEDS | u64[2]: the seeds that were used. A seed that SRC_STATE replaces is written as it was given. May be SEEDS' own buffer | optional, written |
 *
 * All arguments except DST are row-major and may have leading dimensions of 1. An output shares no
 * memory with another argument, except where the table allows it. Inputs may share memory.
 * @{ */

/** The alignments. This is the only list of them; everything else derives from it. X(name, value of the enumeration) */
#define TOMBOLA_ALIGNMENTS(X) X(tensorflow, 0), X(pytorch, 1)

/** The framework whose numbers are drawn.
 *
 * | value | generator |
 * |---|---|
 * | tombola_alignment_tensorflow | TensorFlow's: Philox 4x32-10 |
 * | tombola_alignment_pytorch | PyTorch's: MT19937 | */
typedef enum {
#define TOMBOLA_ENUMERATOR(name, value) tombola_alignment_##name = (value)
    TOMBOLA_ALIGNMENTS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_alignment_t;

/** The rules for the words of an integer. This is the only list of them. X(name, value of the enumeration) */
#define TOMBOLA_INT_DRAWS(X) X(spec, 0), X(torch1, 1), X(torch2, 2)

/** How many 32-bit words an integer of the pytorch alignment takes. PyTorch has changed this number over time. The
 * tensorflow alignment ignores it.
 *
 * | value | words |
 * |---|---|
 * | tombola_int_draws_spec | two for s64 unless min and max are both at most 2^32-1, otherwise one |
 * | tombola_int_draws_torch1 | two for s64 with max - min at least 2^32, otherwise one: PyTorch 1.x to 2.6 |
 * | tombola_int_draws_torch2 | two for s32 and s64 with max - min at least 2^28, otherwise one: PyTorch 2.7 and later | */
typedef enum {
#define TOMBOLA_ENUMERATOR(name, value) tombola_int_draws_##name = (value)
    TOMBOLA_INT_DRAWS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_int_draws_t;

/** The rules for a floating-point number. This is the only list of them. X(name, value of the enumeration) */
#define TOMBOLA_FLOAT_DRAWS(X) X(torch1, 0), X(torch2, 1)

/** How a floating-point number of the pytorch alignment is drawn. PyTorch has changed this rule over time. The
 * tensorflow alignment and integers ignore it.
 *
 * | value | rule |
 * |---|---|
 * | tombola_float_draws_torch1 | PyTorch 1.x to 2.6: f16 and bf16 take 11 and 8 bits of a word and round the range to the type. A number may be MAX after rounding to the type |
 * | tombola_float_draws_torch2 | PyTorch's public source of 2026, not checked against a build of it: f16 and bf16 are drawn as f32 numbers of 24 bits. In every type, a number that equals MAX after rounding to the type becomes MIN | */
typedef enum {
#define TOMBOLA_ENUMERATOR(name, value) tombola_float_draws_##name = (value)
    TOMBOLA_FLOAT_DRAWS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_float_draws_t;

/** Creates a primitive descriptor of random_uniform. In the pytorch alignment, floating-point numbers are drawn by
 * tombola_float_draws_torch1.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param alignment The framework whose numbers are drawn.
 * @param dst_desc The tensor: f16, bf16, f32, f64, s32 or s64, any shape and layout;
 * tombola_format_tag_any is row-major.
 * @param global_seed The global seed, any number (pytorch: its low 32 bits count). If both seeds are 0, each
 * execution draws fresh entropy.
 * @param op_seed The operation's seed, any number. Under the pytorch alignment it matters only if the global seed is 0: (0, 0) draws entropy.
 * @param int_draws The pytorch alignment's rule for integers. The tensorflow alignment ignores it.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for an unknown alignment or rule, or a dst_desc
 * that is empty or of another type; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_random_uniform_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, tombola_int_draws_t int_draws, const_tombola_primitive_attr_t attr);

/** Creates a primitive descriptor of random_uniform, with all rules of the pytorch alignment.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param alignment The framework whose numbers are drawn.
 * @param dst_desc The tensor: f16, bf16, f32, f64, s32 or s64, any shape and layout;
 * tombola_format_tag_any is row-major.
 * @param global_seed The global seed, any number (pytorch: its low 32 bits count). If both seeds are 0, each
 * execution draws fresh entropy.
 * @param op_seed The operation's seed, any number. Under the pytorch alignment it matters only if the global seed is 0: (0, 0) draws entropy.
 * @param int_draws The pytorch alignment's rule for integers. The tensorflow alignment ignores it.
 * @param float_draws The pytorch alignment's rule for floating-point numbers. The tensorflow alignment ignores it.
 * @param full_range 0 or 1. 1: the integers from 0 to the greatest value of the type, as PyTorch's Tensor.random_()
 * without bounds draws them. There are no arguments MIN and MAX then, and int_draws is ignored. It needs the pytorch
 * alignment and s32 or s64.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for an unknown alignment or rule, a dst_desc
 * that is empty or of another type, another full_range, or a full_range of 1 with another alignment or type;
 * tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_random_uniform_primitive_desc_create_with_rules(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_alignment_t alignment, const_tombola_memory_desc_t dst_desc, uint64_t global_seed,
    uint64_t op_seed, tombola_int_draws_t int_draws, tombola_float_draws_t float_draws,
    int full_range, const_tombola_primitive_attr_t attr);

/** The number of u32 words of a state of the pytorch alignment: 624 words, then the position. */
#define TOMBOLA_MT19937_STATE_WORDS 625
/** The number of bytes that torch.get_rng_state() returns for the CPU. */
#define TOMBOLA_TORCH_RNG_STATE_BYTES 5056

/** Converts a PyTorch CPU generator: the result of torch.get_rng_state() becomes a state of the pytorch alignment,
 * for SRC_STATE. The numbers drawn from it are those that PyTorch would have drawn next.
 *
 * @param torch_state The bytes of the tensor that torch.get_rng_state() returned; any alignment.
 * @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
 * @param state Output: TOMBOLA_MT19937_STATE_WORDS words, sharing no memory with torch_state.
 * @return tombola_success; tombola_invalid_arguments for a null argument, another number of bytes,
 *     bytes that PyTorch would refuse or never writes, or words that are all 0, from which only zeros would follow.
 * Source of the layout: PyTorch, aten/src/ATen/CPUGeneratorImpl.cpp, CPUGeneratorImplState. */
TOMBOLA_API tombola_status_t tombola_mt19937_state_from_torch(const void* torch_state,
                                                              size_t torch_state_bytes,
                                                              uint32_t* state);

/** Converts a state back to a PyTorch CPU generator: patches the result of torch.get_rng_state() so that after
 * torch.set_rng_state() PyTorch continues from a DST_STATE. The seed, and the normal numbers that
 * PyTorch has drawn in advance, stay as they are.
 *
 * @param state TOMBOLA_MT19937_STATE_WORDS words, sharing no memory with torch_state.
 * @param torch_state The bytes of a tensor that torch.get_rng_state() returned: patched in place.
 * @param torch_state_bytes Their number: TOMBOLA_TORCH_RNG_STATE_BYTES.
 * @return tombola_success; tombola_invalid_arguments for a null argument, a position (the last word of
 *     state) beyond 624, the position 0 with words that MT19937 cannot have drawn, which PyTorch cannot hold, words of
 *     zeros, another number of bytes, or bytes that PyTorch would refuse. */
TOMBOLA_API tombola_status_t tombola_mt19937_state_to_torch(const uint32_t* state,
                                                            void* torch_state,
                                                            size_t torch_state_bytes);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
