/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The types, enumerations and constants of the C API. They follow oneDNN's, name by name. */

#ifndef TOMBOLA_TYPES_H
#define TOMBOLA_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifndef TOMBOLA_API
#if defined(TOMBOLA_STATIC)
#define TOMBOLA_API
#else
/** Marks a function that the shared library exports. */
#define TOMBOLA_API __attribute__((visibility("default")))
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_status Status
 * @ingroup tombola_c
 * @{ */

/** What a call returned. The reason of a failure is in tombola_get_last_error(). */
typedef enum {
    tombola_success = 0,           /**< The call succeeded. */
    tombola_out_of_memory = 1,     /**< Memory could not be allocated. */
    tombola_invalid_arguments = 2, /**< An argument is wrong; the message names it. */
    tombola_unimplemented = 3, /**< The arguments are valid, but no implementation serves them. */
    tombola_last_impl_reached = 4, /**< There is no further implementation to move to. */
    tombola_runtime_error = 5,     /**< The operating system or the run-time failed. */
    tombola_not_required = 6       /**< The queried element does not exist for this object. */
} tombola_status_t;

/** @} */

/** @defgroup tombola_tensor_types Data types and layouts
 * @ingroup tombola_c
 * @{ */

/** The data types. This is the only list of them; everything else derives from it.
 * X(name, value of the enumeration, bytes of an element) */
#define TOMBOLA_DATA_TYPES(X) \
    X(f16, 1, 2)              \
    X(bf16, 2, 2)             \
    X(f32, 3, 4)              \
    X(f64, 7, 8)              \
    X(s8, 5, 1)               \
    X(u8, 6, 1)               \
    X(s32, 4, 4)              \
    X(u32, 9, 4)              \
    X(s64, 8, 8)              \
    X(u64, 10, 8)             \
    X(f8_e5m2, 11, 1)         \
    X(f8_e4m3, 12, 1)         \
    X(boolean, 13, 1)

/** The type of a tensor's elements.
 *
 * | type | elements |
 * |---|---|
 * | tombola_f64, tombola_f32, tombola_f16 | IEEE 754 binary64, binary32, binary16 |
 * | tombola_bf16 | bfloat16: the upper half of an f32 |
 * | tombola_f8_e5m2, tombola_f8_e4m3 | 8-bit floating point with 5 and 4 exponent bits (OCP); only shuffle takes them |
 * | tombola_boolean | a byte, 0 or 1; only shuffle takes it |
 * | tombola_s64, tombola_s32, tombola_s8 | signed integers of 64, 32, 8 bits |
 * | tombola_u64, tombola_u32, tombola_u8 | unsigned integers of 64, 32, 8 bits | */
typedef enum {
    tombola_data_type_undef = 0 /**< No type: an empty memory descriptor. */
#define TOMBOLA_ENUMERATOR(name, value, bytes) , tombola_##name = value
    TOMBOLA_DATA_TYPES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_data_type_t;

/** The type of a dimension, a stride or an offset, in elements. */
typedef int64_t tombola_dim_t;

/** The greatest number of dimensions of a tensor. */
#define TOMBOLA_MAX_NDIMS 12

/** Dimensions, strides or offsets of a tensor. */
typedef tombola_dim_t tombola_dims_t[TOMBOLA_MAX_NDIMS];

/** oneDNN's wildcard for a dimension or stride that is known only at execution. tombola refuses it. */
#define TOMBOLA_RUNTIME_DIM_VAL INT64_MIN

/** How a memory descriptor gives its layout. */
typedef enum {
    tombola_format_kind_undef = 0, /**< An empty descriptor. */
    tombola_format_kind_any = 1,   /**< Left to the primitive: destinations and diffs only. */
    tombola_blocked = 2            /**< Strides, and at most one blocked dimension. */
} tombola_format_kind_t;

/* clang-format off */
/** The layouts by name, in the order of their values, which begin at 2. This is the only list of them; everything
 * else derives from it. X(name) */
#define TOMBOLA_FORMAT_TAGS(X) \
    X(a) X(ab) X(abc) X(abcd) X(abcde) X(abcdef) X(abcdefg) X(abcdefgh) X(abcdefghi)           \
    X(abcdefghij) X(abcdefghijk) X(abcdefghijkl) X(ba) X(acb) X(bac) X(bca) X(cab) X(cba)      \
    X(abdc) X(acbd) X(acdb) X(adbc) X(adcb) X(bacd) X(badc) X(bcad) X(bcda) X(bdac) X(bdca)    \
    X(cabd) X(cadb) X(cbad) X(cbda) X(cdab) X(cdba) X(dabc) X(dacb) X(dbac) X(dbca) X(dcab)    \
    X(dcba) X(abced) X(abdec) X(acbde) X(acdeb) X(adecb) X(bacde) X(bcdea) X(cdeba) X(decab)   \
    X(abcdfe) X(abdfce) X(abdefc) X(acbdef) X(adefcb) X(defcab) X(aBc4b) X(aBc8b) X(aBc16b)    \
    X(aBcd4b) X(aBcd8b) X(aBcd16b) X(aBcde4b) X(aBcde8b) X(aBcde16b) X(aBc32b) X(aBcd32b)      \
    X(aBcde32b)

/** Aliases of layouts. X(alias, name) */
#define TOMBOLA_FORMAT_TAG_ALIASES(X) \
    X(x, a) X(nc, ab) X(cn, ba) X(tn, ab) X(nt, ba) X(ncw, abc) X(nwc, acb) X(nchw, abcd)      \
    X(nhwc, acdb) X(chwn, bcda) X(ncdhw, abcde) X(ndhwc, acdeb) X(oi, ab) X(io, ba)            \
    X(oiw, abc) X(owi, acb) X(wio, cba) X(iwo, bca) X(oihw, abcd) X(hwio, cdba) X(ohwi, acdb)  \
    X(ihwo, bcda) X(iohw, bacd) X(oidhw, abcde) X(iodhw, bacde) X(dhwio, cdeba)                \
    X(odhwi, acdeb) X(idhwo, bcdea) X(goiw, abcd) X(gowi, abdc) X(gwio, adcb) X(wigo, dcab)    \
    X(goihw, abcde) X(gohwi, abdec) X(ghwio, adecb) X(hwigo, decab) X(giohw, acbde)            \
    X(goidhw, abcdef) X(godhwi, abdefc) X(gdhwio, adefcb) X(giodhw, acbdef) X(dhwigo, defcab)  \
    X(tnc, abc) X(ntc, bac) X(ldnc, abcd) X(ldigo, abcde) X(ldgoi, abdec) X(ldio, abcd)        \
    X(ldoi, abdc) X(ldgo, abcd) X(nCw4c, aBc4b) X(nCw8c, aBc8b) X(nCw16c, aBc16b)              \
    X(nChw4c, aBcd4b) X(nChw8c, aBcd8b) X(nChw16c, aBcd16b) X(nCdhw4c, aBcde4b)                \
    X(nCdhw8c, aBcde8b) X(nCdhw16c, aBcde16b) X(nCw32c, aBc32b) X(nChw32c, aBcd32b)            \
    X(nCdhw32c, aBcde32b)
/* clang-format on */

/** The layout of a tensor by name.
 *
 * Each letter is a logical dimension; a is the first. The letters are in the order in which the dimensions lie in
 * memory, the outermost first: tombola_abcd is row-major. An upper-case letter, with a number and the letter again at
 * the end, as in tombola_aBcd16b, means that the dimension is cut into blocks of that many elements, which lie
 * innermost. If the last block is not full, it is padded with zeros. Names such as tombola_nchw are aliases. */
typedef enum {
    tombola_format_tag_undef = 0, /**< No layout. */
    tombola_format_tag_any = 1    /**< Left to the primitive: destinations and diffs only. */
#define TOMBOLA_ENUMERATOR(name) , tombola_##name
    TOMBOLA_FORMAT_TAGS(TOMBOLA_ENUMERATOR),
#undef TOMBOLA_ENUMERATOR
    tombola_format_tag_last /**< one past the last tag. */
#define TOMBOLA_ENUMERATOR(alias, name) , tombola_##alias = tombola_##name
        TOMBOLA_FORMAT_TAG_ALIASES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_format_tag_t;

/** An opaque description of a tensor: dimensions, data type, layout. */
typedef struct tombola_memory_desc* tombola_memory_desc_t;
/** A memory descriptor that is only read. */
typedef const struct tombola_memory_desc* const_tombola_memory_desc_t;

/** @} */

/** @defgroup tombola_object_types Engines, streams, memory, primitives
 * @ingroup tombola_c
 * @{ */

/** The kind of device that an engine stands for. */
typedef enum {
    tombola_any_engine = 0, /**< Not a device: refused by tombola_engine_create(). */
    tombola_cpu = 1,        /**< The CPU, the only engine. */
    tombola_gpu = 2 /**< Only a name, so that code for oneDNN compiles. There is no GPU engine. */
} tombola_engine_kind_t;

/** How a stream runs its executions. Streams exist for compatibility with oneDNN; execution is synchronous. */
typedef enum {
    tombola_stream_in_order = 1,     /**< One after another. */
    tombola_stream_out_of_order = 2, /**< Accepted; the same as in order. */
    tombola_stream_default_flags = 1 /**< In order. */
} tombola_stream_flags_t;

/** The direction in which a primitive works. */
typedef enum {
    tombola_prop_kind_undef = 0,                /**< The primitive has no direction. */
    tombola_forward_training = 64,              /**< Forward; the same as inference here. */
    tombola_forward_inference = 96,             /**< Forward. */
    tombola_forward = tombola_forward_training, /**< Forward. */
    tombola_backward = 128,                     /**< Backward; no primitive has it. */
    tombola_backward_data = 160                 /**< Backward, to the data. */
} tombola_prop_kind_t;

/** The scratchpad modes. This is the only list of them; everything else derives from it.
 * X(name, value of the enumeration) */
#define TOMBOLA_SCRATCHPAD_MODES(X) X(library, 0), X(user, 1)

/** Who provides the scratchpad of an execution.
 *
 * | value | provider |
 * |---|---|
 * | tombola_scratchpad_mode_library | the library: one per thread, kept for the next execution |
 * | tombola_scratchpad_mode_user | the caller, as the argument TOMBOLA_ARG_SCRATCHPAD | */
typedef enum {
#define TOMBOLA_ENUMERATOR(name, value) tombola_scratchpad_mode_##name = (value)
    TOMBOLA_SCRATCHPAD_MODES(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_scratchpad_mode_t;

/** The CPU. There is one, with index 0. */
typedef struct tombola_engine* tombola_engine_t;
/** An engine that is only read. */
typedef const struct tombola_engine* const_tombola_engine_t;
/** An execution queue of an engine. */
typedef struct tombola_stream* tombola_stream_t;
/** A stream that is only read. */
typedef const struct tombola_stream* const_tombola_stream_t;
/** A tensor: a memory descriptor with the address of its data. */
typedef struct tombola_memory* tombola_memory_t;
/** A memory object that is only read. */
typedef const struct tombola_memory* const_tombola_memory_t;
/** Attributes of a primitive: the scratchpad mode. */
typedef struct tombola_primitive_attr* tombola_primitive_attr_t;
/** Attributes that are only read. */
typedef const struct tombola_primitive_attr* const_tombola_primitive_attr_t;
/** A primitive with its arguments and the implementation chosen for them. */
typedef struct tombola_primitive_desc* tombola_primitive_desc_t;
/** A primitive descriptor that is only read. */
typedef const struct tombola_primitive_desc* const_tombola_primitive_desc_t;
/** A primitive that is ready to run. It is immutable, and any number of threads may run it at once.
 */
typedef struct tombola_primitive* tombola_primitive_t;
/** A primitive that is only read. */
typedef const struct tombola_primitive* const_tombola_primitive_t;

/** tombola_memory_create(): the library allocates, aligned to 64 bytes, and frees. */
#ifdef __cplusplus
#define TOMBOLA_MEMORY_ALLOCATE (reinterpret_cast<void*>(static_cast<intptr_t>(-1)))
#else
#define TOMBOLA_MEMORY_ALLOCATE ((void*)(intptr_t)-1)
#endif
/** tombola_memory_create(): no data yet; tombola_memory_set_data_handle() gives it later. */
#define TOMBOLA_MEMORY_NONE NULL

/** @name Execution arguments
 * Arguments that oneDNN has too have its values.
 * @{ */
#define TOMBOLA_ARG_SRC 1  /**< Input tensor of a primitive that is not backward. */
#define TOMBOLA_ARG_DST 17 /**< Output tensor. */
#define TOMBOLA_ARG_SCRATCHPAD \
    80 /**< The caller's scratchpad, aligned to 64 bytes, in scratchpad mode user. */
#define TOMBOLA_ARG_DIFF_SRC 129 /**< Output tensor of a backward primitive. */
#define TOMBOLA_ARG_DIFF_DST 145 /**< Input tensor of a backward primitive. */
#define TOMBOLA_ARG_MIN \
    1001 /**< random_uniform: lower bound, inclusive, one element of DST's type. */
#define TOMBOLA_ARG_MAX \
    1002 /**< random_uniform: upper bound, exclusive, one element of DST's type. */
#define TOMBOLA_ARG_SEEDS 1003 /**< u64[2] {global, op}: replaces the seeds; or a pair per row. */
#define TOMBOLA_ARG_OFFSET \
    1004 /**< u64[1]: the element or sample at which the tensor starts (token_sampler: or per row). */
#define TOMBOLA_ARG_UNIFORMS \
    1005 /**< multinomial, token_sampler: f64 numbers in [0,1] in place of the stream's. */
#define TOMBOLA_ARG_SRC_STATE 1006 /**< The generator's state before the call. */
#define TOMBOLA_ARG_DST_STATE 1007 /**< The generator's state after the call. */
#define TOMBOLA_ARG_DST_SEEDS 1008 /**< u64[2]: the seeds that were used; or a pair per row. */
#define TOMBOLA_ARG_P \
    1009 /**< Probabilities. dropout: f32[1], to drop; random_bernoulli: f32 or f64, to be 1. */
#define TOMBOLA_ARG_MASK \
    1010 /**< dropout: which elements are kept; token_sampler: which classes are allowed. */
#define TOMBOLA_ARG_LAMBDA 1011 /**< random_exponential: the rate, f64[1]. */
#define TOMBOLA_ARG_MEAN 1021   /**< random_normal: the mean, one element of DST's type. */
#define TOMBOLA_ARG_STD \
    1022 /**< random_normal: the standard deviation, one element of DST's type. */
#define TOMBOLA_ARG_TEMPERATURE \
    1031 /**< token_sampler: f32[1] or [batch], divides the logits; 0 is greedy. */
#define TOMBOLA_ARG_TOP_K \
    1032 /**< token_sampler: s32[1] or [batch], the number of classes that are kept. */
#define TOMBOLA_ARG_TOP_P \
    1033 /**< token_sampler: f32[1] or [batch], the mass that is kept, in [0, 1]. */
#define TOMBOLA_ARG_MIN_P \
    1034 /**< token_sampler: f32[1] or [batch], the least probability, relative to the greatest. */
#define TOMBOLA_ARG_DST_LOGPROBS \
    1035 /**< token_sampler: f32 [batch, samples], the samples' log probabilities. */
#define TOMBOLA_ARG_DST_KEPT \
    1036 /**< token_sampler: s32 [batch], the number of classes to draw from. */
#define TOMBOLA_ARG_DST_TOP_IDS \
    1037 /**< token_sampler: [batch, top_n], the classes of the greatest logits. */
#define TOMBOLA_ARG_DST_TOP_LOGPROBS \
    1038 /**< token_sampler: f32 [batch, top_n], these classes' log probabilities. */
/** @} */

/** One argument of an execution. */
typedef struct {
    int arg;                 /**< A TOMBOLA_ARG_* value. */
    tombola_memory_t memory; /**< The tensor; it stays the caller's. */
} tombola_exec_arg_t;

/** What tombola_memory_desc_query() and tombola_primitive_desc_query() can be asked. */
typedef enum {
    tombola_query_undef = 0,                  /**< Nothing. */
    tombola_query_engine = 1,                 /**< tombola_engine_t. */
    tombola_query_primitive_kind = 2,         /**< tombola_primitive_kind_t. */
    tombola_query_impl_info_str = 3,          /**< const char*: the name of the implementation. */
    tombola_query_memory_consumption_s64 = 4, /**< int64_t: bytes of scratchpad. */
    tombola_query_scratchpad_engine = 5,      /**< tombola_engine_t. */
    tombola_query_prop_kind = 6,              /**< tombola_prop_kind_t. */
    tombola_query_axis_s32 = 7,               /**< int. */
    tombola_query_group_size_s64 = 8,         /**< tombola_dim_t. */
    tombola_query_num_of_inputs_s32 = 9,      /**< int: arguments read, optional ones included. */
    tombola_query_num_of_outputs_s32 = 10, /**< int: arguments written, optional ones included. */
    tombola_query_src_md = 64,             /**< Memory descriptor of TOMBOLA_ARG_SRC. */
    tombola_query_diff_src_md = 65,        /**< Memory descriptor of TOMBOLA_ARG_DIFF_SRC. */
    tombola_query_dst_md = 66,             /**< Memory descriptor of TOMBOLA_ARG_DST. */
    tombola_query_diff_dst_md = 67,        /**< Memory descriptor of TOMBOLA_ARG_DIFF_DST. */
    tombola_query_scratchpad_md = 68,      /**< Memory descriptor of TOMBOLA_ARG_SCRATCHPAD. */
    tombola_query_exec_arg_md = 69,        /**< Memory descriptor of the argument given as index. */
    tombola_query_ndims_s32 = 128,         /**< int: number of dimensions. */
    tombola_query_dims = 129,              /**< const tombola_dims_t*. */
    tombola_query_data_type = 130,         /**< tombola_data_type_t. */
    tombola_query_submemory_offset_s64 =
        131, /**< tombola_dim_t: elements from the data handle to the first. */
    tombola_query_padded_dims = 132, /**< const tombola_dims_t*: dimensions with their padding. */
    tombola_query_format_kind = 133, /**< tombola_format_kind_t. */
    tombola_query_strides = 134,     /**< const tombola_dims_t*. */
    tombola_query_inner_nblks_s32 = 135, /**< int: 1 for a blocked layout, otherwise 0. */
    tombola_query_inner_blks = 136,      /**< const tombola_dims_t*: the block's size. */
    tombola_query_inner_idxs = 137,      /**< const tombola_dims_t*: the blocked dimension. */
    tombola_query_padded_offsets = 138   /**< const tombola_dims_t*: all 0, as in oneDNN. */
} tombola_query_t;

/** @} */

/** @defgroup tombola_service_types Library
 * @ingroup tombola_c
 * @{ */

/** The instruction sets above portable C++, as X(name, value). Every step includes the one before.
 * avx2 has AVX2, FMA, F16C, BMI1, BMI2, POPCNT and PCLMULQDQ. avx512_core adds AVX-512 F, CD, BW, DQ and VL.
 * avx512_core_vbmi adds AVX-512 VBMI, VBMI2 and VPCLMULQDQ (Ice Lake, Zen 4 and newer). */
#define TOMBOLA_CPU_ISAS(X) \
    X(avx2, 1)              \
    X(avx512_core, 2)       \
    X(avx512_core_vbmi, 3)

/** The instruction sets that implementations ask for: see TOMBOLA_CPU_ISAS. */
typedef enum {
    tombola_cpu_isa_none = 0 /**< Portable C++ only. */
#define TOMBOLA_ENUMERATOR(name, value) , tombola_cpu_isa_##name = value
    TOMBOLA_CPU_ISAS(TOMBOLA_ENUMERATOR)
#undef TOMBOLA_ENUMERATOR
} tombola_cpu_isa_t;

/** The version of the library that is running. */
typedef struct {
    int major;               /**< Changes when a produced number or the ABI changes. */
    int minor;               /**< Changes with additions. */
    int patch;               /**< Changes with corrections. */
    const char* cpu_runtime; /**< "OMP", "SEQ", "TBB" or "THREADPOOL". */
} tombola_version_t;

/** @} */

#ifdef __cplusplus
}
#endif

#endif
