/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Raw words of a counter-based generator in the C API. Included by tombola.h. */

#ifndef TOMBOLA_RANDOM_GENERATOR_H
#define TOMBOLA_RANDOM_GENERATOR_H

#include "tombola_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_random_generator Random generator
 * @ingroup tombola_c
 * Raw words of a counter-based generator. Source: DirectML's DML_RANDOM_GENERATOR_OPERATOR_DESC.
 * Element e of DST, in row-major order, is word e % 4 of the block whose counter is SRC_STATE's plus e / 4, modulo 2^128. DST_STATE
 * has the counter plus the number of blocks that were begun: the rest of the last block is dropped. The page random_generator defines
 * what is computed.
 *
 * Execution arguments:
 *
 * | argument | type and shape | |
 * |---|---|---|
 * | TOMBOLA_ARG_SRC_STATE | u32[6]: counter, least significant word first, then key; any values | read |
 * | TOMBOLA_ARG_DST | u32 of any shape and layout | written, padding with zeros |
 * | TOMBOLA_ARG_DST_STATE | u32[6]: the state after the call; may be SRC_STATE's own buffer | optional, written |
 *
 * States are row-major and may have up to eleven leading dimensions of 1. An output shares no
 * memory with another argument, except where the table allows it.
 * @{ */

/** The generators. This is the only list of them; everything else derives from it. X(name, value of the enumeration) */
#define TOMBOLA_GENERATOR_KINDS(X) X(philox4x32_10, 0)

/** The generator of a random_generator primitive.
 *
 * | value | generator |
 * |---|---|
 * | tombola_philox4x32_10 | Philox 4x32 with ten rounds (Salmon et al., SC 2011) | */
typedef enum {
#define TOMBOLA_ENUMERATOR(name, value) tombola_##name = (value)
    TOMBOLA_GENERATOR_KINDS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_generator_kind_t;

/** Creates a primitive descriptor of a random generator.
 *
 * @param primitive_desc Output: the primitive descriptor.
 * @param engine The engine.
 * @param kind tombola_philox4x32_10.
 * @param dst_desc The tensor of words: u32, any shape and layout; tombola_format_tag_any is row-major.
 * @param attr Attributes, or NULL for the defaults.
 * @return tombola_success; tombola_invalid_arguments for another kind, or a dst_desc that is empty or
 * not u32; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_random_generator_primitive_desc_create(
    tombola_primitive_desc_t* primitive_desc, tombola_engine_t engine,
    tombola_generator_kind_t kind, const_tombola_memory_desc_t dst_desc,
    const_tombola_primitive_attr_t attr);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
