/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Random permutations in the C API. Included by tombola.h. */

#ifndef TOMBOLA_RANDOM_PERMUTATION_H
#define TOMBOLA_RANDOM_PERMUTATION_H

#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_random_permutation Random permutation
 * @ingroup tombola_c
 * A random permutation of 0 ... range - 1, or a part of one. A part is a sample without replacement. Source:
 * torch.randperm; arXiv 2106.06161. The page random_permutation defines what is computed.
 *
 * Execution arguments:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_DST | s32 or s64 [n], any stride: elements OFFSET ... OFFSET + n - 1 of the permutation | written |
 * | TOMBOLA_ARG_SEEDS | u64[2] {global, op} in place of the descriptor's; any values | optional, read |
 * | TOMBOLA_ARG_OFFSET | u64[1]: the element of the permutation at which DST starts, 0 if absent; OFFSET + n is at most the range | optional, read |
 * | TOMBOLA_ARG_SRC_STATE | philox: u64[2] {n, op counter}, in place of the op seed; pytorch: u32[625], 624 words, not all 0 (the low 31 bits of the first do not count), then the position, in place of both seeds | optional, read |
 * | TOMBOLA_ARG_DST_STATE | the state after the whole permutation, whatever part of it DST is; may be SRC_STATE's own buffer | optional, written |
 * | TOMBOLA_ARG_DST_SEEDS | u64[2]: the seeds that were used. A seed that SRC_STATE replaces is written as it was given. May be SEEDS' own buffer | optional, written |
 *
 * All arguments except DST are row-major and may have leading dimensions of 1. An output shares no
 * memory with another argument, except where the table allows it. Inputs may share memory.
 * @{ */

/** The alignments. This is the only list of them; everything else derives from it. X(name, value of the enumeration) */
#define TOMBOLA_PERMUTATION_ALIGNMENTS(X) X(pytorch, 1), X(philox, 2)

/** How a permutation is drawn.
 *
 * | value | permutation |
 * |---|---|
 * | tombola_permutation_pytorch | torch.randperm's: a Fisher-Yates shuffle by MT19937 |
 * | tombola_permutation_philox | a Feistel network keyed by Philox: each element is computed by itself | */
typedef enum {
#define TOMBOLA_ENUMERATOR(name, value) tombola_permutation_##name = (value)
    TOMBOLA_PERMUTATION_ALIGNMENTS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_permutation_alignment_t;

/** The smallest range that the pytorch alignment refuses: (2^32 - 1) / 20. For this range and larger ones, newer
 * releases of PyTorch draw two words per element. */
#define TOMBOLA_PYTORCH_PERMUTATION_LIMIT 214748364

/** Creates a primitive descriptor of random_permutation.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param alignment How the permutation is drawn.
 * @param dst_desc The elements: s32 or s64 of one dimension, any stride; tombola_format_tag_any is dense.
 * @param range The number of elements of the permutation, at least the number of elements of dst_desc. s32 takes at
 * most 2^31. The pytorch alignment takes fewer than TOMBOLA_PYTORCH_PERMUTATION_LIMIT.
 * @param global_seed The global seed, any number (pytorch: its low 32 bits count). If both seeds are 0, each
 * execution draws fresh entropy.
 * @param op_seed The operation's seed, any number. Under the pytorch alignment it matters only if the global seed is 0: (0, 0) draws entropy.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for an unknown alignment, a range that is too small or too
 * large, or a dst_desc that is empty, of another type or of more dimensions; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_random_permutation_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_permutation_alignment_t alignment, const_tombola_memory_desc_t dst_desc,
    tombola_dim_t range, uint64_t global_seed, uint64_t op_seed,
    const_tombola_primitive_attr_t attr);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
