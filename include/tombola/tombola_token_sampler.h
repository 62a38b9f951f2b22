/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Token ids, drawn from the logits of a language model, in the C API. Included by tombola.h. */

#ifndef TOMBOLA_TOKEN_SAMPLER_H
#define TOMBOLA_TOKEN_SAMPLER_H

#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_token_sampler Token sampler
 * @ingroup tombola_c
 * Draws token ids from logits: temperature, top-k, top-p, min-p, masks and log probabilities in one execution. Source:
 * the page token_sampler, which defines what is computed; its orders of filters are those of Hugging Face's transformers,
 * vLLM and llama.cpp.
 *
 * Execution arguments. "Per row" means one element for all rows, or [batch] elements, one per row:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_SRC | f16, bf16 or f32 [batch, classes], any layout: logits, below infinity; each row has a class that can be drawn | read |
 * | TOMBOLA_ARG_DST | s32 or s64 [batch, samples], any layout: class indices from 0 to classes - 1 | written, padding with zeros |
 * | TOMBOLA_ARG_TEMPERATURE | f32 per row: 0 (greedy), or a number from 2^-64 on; 1 if absent | optional, read |
 * | TOMBOLA_ARG_TOP_K | s32 per row: at least 0; 0, also if absent, keeps all classes | optional, read |
 * | TOMBOLA_ARG_TOP_P | f32 per row, in [0, 1]; 1 if absent | optional, read |
 * | TOMBOLA_ARG_MIN_P | f32 per row, in [0, 1]; 0 if absent | optional, read |
 * | TOMBOLA_ARG_MASK | s32 [batch, ceil(classes / 32)], row-major: bit k % 32 of word k / 32 is 1 where class k is allowed; all classes are allowed if it is absent. The logits of other classes have no effect | optional, read |
 * | TOMBOLA_ARG_UNIFORMS | f64 [batch, samples], row-major, each in [0, 1], in place of the stream | optional, read |
 * | TOMBOLA_ARG_SEEDS | u64[2] {global, op} in place of the descriptor's, or u64 [batch, 2], a stream of its own for each row; any values | optional, read |
 * | TOMBOLA_ARG_OFFSET | u64 per row, 0 if absent: sample s of row b takes number OFFSET + s of the row's own stream, or number OFFSET + b * samples + s of a stream for all rows. From step to step it must grow by samples, or by batch * samples: otherwise steps share numbers. Ignored if UNIFORMS is given | optional, read |
 * | TOMBOLA_ARG_DST_LOGPROBS | f32 [batch, samples], row-major: log probabilities of the samples. There is no such argument if logprobs is none | optional, written |
 * | TOMBOLA_ARG_DST_KEPT | s32 [batch]: how many classes could have been drawn | optional, written |
 * | TOMBOLA_ARG_DST_TOP_IDS | DST's type [batch, top_n], row-major: the classes of the greatest logits, -1 after the last allowed one. There is no such argument if top_n is 0 | optional, written |
 * | TOMBOLA_ARG_DST_TOP_LOGPROBS | f32 [batch, top_n], row-major: their log probabilities, -inf after the last allowed one. With processed, those after the first KEPT are no log probabilities of the draw: these classes cannot be drawn. There is no such argument if top_n is 0 or logprobs is none | optional, written |
 * | TOMBOLA_ARG_DST_SEEDS | u64 of SEEDS' shape, or u64[2] without SEEDS: the seeds that were used. If UNIFORMS is given, the seeds are written as they were given. May be SEEDS' own buffer | optional, written |
 *
 * SEEDS, OFFSET and DST_SEEDS are row-major and may have leading dimensions of 1. An argument of
 * one value per row has the shape [batch] or [batch, 1].
 * An output shares no memory with another argument, except where the table allows it. Inputs may share memory.
 * @{ */

/** The orders of filters. This is the only list of them; everything else derives from it.
 * X(name, value of the enumeration) */
#define TOMBOLA_FILTER_ORDERS(X) X(transformers, 0), X(vllm, 1), X(joint, 2), X(temperature_last, 3)

/** The order of the filters. The first two are named after libraries that apply them in this order.
 *
 * | value | order |
 * |---|---|
 * | tombola_filter_order_transformers | temperature; top_k; top_p of what is left; min_p |
 * | tombola_filter_order_vllm | temperature; min_p; top_k; top_p of what is left |
 * | tombola_filter_order_joint | temperature; top_k, top_p and min_p of the whole row each; their intersection |
 * | tombola_filter_order_temperature_last | top_k; top_p; min_p, all at temperature 1; then the temperature | */
typedef enum {
#define TOMBOLA_ENUMERATOR(name, value) tombola_filter_order_##name = (value)
    TOMBOLA_FILTER_ORDERS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_filter_order_t;

/** The kinds of log probabilities. This is the only list of them. X(name, value of the enumeration) */
#define TOMBOLA_LOGPROBS(X) X(none, 0), X(processed, 1), X(raw, 2)

/** Which log probabilities TOMBOLA_ARG_DST_LOGPROBS and TOMBOLA_ARG_DST_TOP_LOGPROBS hold.
 *
 * | value | log probabilities |
 * |---|---|
 * | tombola_logprobs_none | neither argument exists |
 * | tombola_logprobs_processed | of the distribution that is drawn from |
 * | tombola_logprobs_raw | of the whole row at temperature 1, without filters | */
typedef enum {
#define TOMBOLA_ENUMERATOR(name, value) tombola_logprobs_##name = (value)
    TOMBOLA_LOGPROBS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_logprobs_t;

/** Creates a primitive descriptor of token_sampler.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param logits_desc Logits: [batch, classes], f16, bf16 or f32, any layout but tombola_format_tag_any; at most
 * 2^31 - 1 classes.
 * @param dst_desc Class indices: [batch, samples], s32 or s64, any layout; tombola_format_tag_any is row-major.
 * @param filter_order The order of the filters.
 * @param logprobs Which log probabilities are written.
 * @param top_n The number of classes in TOMBOLA_ARG_DST_TOP_IDS, from 0 to classes.
 * @param global_seed The global seed, any number. If both seeds are 0, each execution draws fresh entropy.
 * @param op_seed The operation's seed, any number.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for descriptors that are empty, of another type or
 * not of two dimensions, an open logits_desc, different numbers of rows, rows of no classes or of more than 2^31 - 1,
 * or values that the enumerations or the range of top_n do not have; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_token_sampler_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    const_tombola_memory_desc_t logits_desc, const_tombola_memory_desc_t dst_desc,
    tombola_filter_order_t filter_order, tombola_logprobs_t logprobs, tombola_dim_t top_n,
    uint64_t global_seed, uint64_t op_seed, const_tombola_primitive_attr_t attr);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
