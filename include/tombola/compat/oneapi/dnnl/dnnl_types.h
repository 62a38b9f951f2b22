/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The types of oneDNN's C API, 3.x, by oneDNN's names: what the primitives of tombola need of them.
 * Source compatibility alone: the values are tombola's. What oneDNN has beyond this is not declared,
 * so that code which needs it does not compile, instead of failing at run time. */

#ifndef TOMBOLA_COMPAT_DNNL_TYPES_H
#define TOMBOLA_COMPAT_DNNL_TYPES_H

#if defined(ONEAPI_DNNL_DNNL_TYPES_H) || defined(ONEAPI_DNNL_DNNL_COMMON_TYPES_H)
#error \
    "tombola's compatibility headers and oneDNN's own headers are both included: \
take tombola/compat out of the include path and use tombola/interop/dnnl.hpp beside oneDNN"
#endif

#include "../../../tombola.h"
#include "dnnl_config.h"
#include "dnnl_version.h"

/* Constants are macros: in C no other constant has the type of an enumeration. */
/* clang-format off */
typedef tombola_status_t dnnl_status_t;
#define dnnl_success tombola_success
#define dnnl_out_of_memory tombola_out_of_memory
#define dnnl_invalid_arguments tombola_invalid_arguments
#define dnnl_unimplemented tombola_unimplemented
#define dnnl_last_impl_reached tombola_last_impl_reached
#define dnnl_runtime_error tombola_runtime_error
#define dnnl_not_required tombola_not_required
#define dnnl_iterator_ends tombola_last_impl_reached

typedef tombola_data_type_t dnnl_data_type_t;
#define dnnl_data_type_undef tombola_data_type_undef
#define dnnl_f16 tombola_f16
#define dnnl_bf16 tombola_bf16
#define dnnl_f32 tombola_f32
#define dnnl_s32 tombola_s32
#define dnnl_s8 tombola_s8
#define dnnl_u8 tombola_u8
#define dnnl_f64 tombola_f64
#define dnnl_boolean tombola_boolean
#define dnnl_f8_e5m2 tombola_f8_e5m2
#define dnnl_f8_e4m3 tombola_f8_e4m3

typedef tombola_dim_t dnnl_dim_t;
typedef tombola_dims_t dnnl_dims_t;
#define DNNL_MAX_NDIMS TOMBOLA_MAX_NDIMS
#define DNNL_RUNTIME_DIM_VAL TOMBOLA_RUNTIME_DIM_VAL
#define DNNL_RUNTIME_SIZE_VAL ((size_t)DNNL_RUNTIME_DIM_VAL)

typedef tombola_format_kind_t dnnl_format_kind_t;
#define dnnl_format_kind_undef tombola_format_kind_undef
#define dnnl_format_kind_any tombola_format_kind_any
#define dnnl_blocked tombola_blocked

typedef tombola_format_tag_t dnnl_format_tag_t;
#define dnnl_format_tag_undef tombola_format_tag_undef
#define dnnl_format_tag_any tombola_format_tag_any
#define dnnl_a tombola_a
#define dnnl_ab tombola_ab
#define dnnl_abc tombola_abc
#define dnnl_abcd tombola_abcd
#define dnnl_abcde tombola_abcde
#define dnnl_abcdef tombola_abcdef
#define dnnl_abcdefg tombola_abcdefg
#define dnnl_abcdefgh tombola_abcdefgh
#define dnnl_abcdefghi tombola_abcdefghi
#define dnnl_abcdefghij tombola_abcdefghij
#define dnnl_abcdefghijk tombola_abcdefghijk
#define dnnl_abcdefghijkl tombola_abcdefghijkl
#define dnnl_ba tombola_ba
#define dnnl_acb tombola_acb
#define dnnl_bac tombola_bac
#define dnnl_bca tombola_bca
#define dnnl_cab tombola_cab
#define dnnl_cba tombola_cba
#define dnnl_abdc tombola_abdc
#define dnnl_acbd tombola_acbd
#define dnnl_acdb tombola_acdb
#define dnnl_adbc tombola_adbc
#define dnnl_adcb tombola_adcb
#define dnnl_bacd tombola_bacd
#define dnnl_badc tombola_badc
#define dnnl_bcad tombola_bcad
#define dnnl_bcda tombola_bcda
#define dnnl_bdac tombola_bdac
#define dnnl_bdca tombola_bdca
#define dnnl_cabd tombola_cabd
#define dnnl_cadb tombola_cadb
#define dnnl_cbad tombola_cbad
#define dnnl_cbda tombola_cbda
#define dnnl_cdab tombola_cdab
#define dnnl_cdba tombola_cdba
#define dnnl_dabc tombola_dabc
#define dnnl_dacb tombola_dacb
#define dnnl_dbac tombola_dbac
#define dnnl_dbca tombola_dbca
#define dnnl_dcab tombola_dcab
#define dnnl_dcba tombola_dcba
#define dnnl_abced tombola_abced
#define dnnl_abdec tombola_abdec
#define dnnl_acbde tombola_acbde
#define dnnl_acdeb tombola_acdeb
#define dnnl_adecb tombola_adecb
#define dnnl_bacde tombola_bacde
#define dnnl_bcdea tombola_bcdea
#define dnnl_cdeba tombola_cdeba
#define dnnl_decab tombola_decab
#define dnnl_abcdfe tombola_abcdfe
#define dnnl_abdfce tombola_abdfce
#define dnnl_abdefc tombola_abdefc
#define dnnl_acbdef tombola_acbdef
#define dnnl_adefcb tombola_adefcb
#define dnnl_defcab tombola_defcab
#define dnnl_aBc4b tombola_aBc4b
#define dnnl_aBc8b tombola_aBc8b
#define dnnl_aBc16b tombola_aBc16b
#define dnnl_aBcd4b tombola_aBcd4b
#define dnnl_aBcd8b tombola_aBcd8b
#define dnnl_aBcd16b tombola_aBcd16b
#define dnnl_aBcde4b tombola_aBcde4b
#define dnnl_aBcde8b tombola_aBcde8b
#define dnnl_aBcde16b tombola_aBcde16b
#define dnnl_aBc32b tombola_aBc32b
#define dnnl_aBcd32b tombola_aBcd32b
#define dnnl_aBcde32b tombola_aBcde32b
#define dnnl_format_tag_last tombola_format_tag_last
#define dnnl_x tombola_x
#define dnnl_nc tombola_nc
#define dnnl_cn tombola_cn
#define dnnl_tn tombola_tn
#define dnnl_nt tombola_nt
#define dnnl_ncw tombola_ncw
#define dnnl_nwc tombola_nwc
#define dnnl_nchw tombola_nchw
#define dnnl_nhwc tombola_nhwc
#define dnnl_chwn tombola_chwn
#define dnnl_ncdhw tombola_ncdhw
#define dnnl_ndhwc tombola_ndhwc
#define dnnl_oi tombola_oi
#define dnnl_io tombola_io
#define dnnl_oiw tombola_oiw
#define dnnl_owi tombola_owi
#define dnnl_wio tombola_wio
#define dnnl_iwo tombola_iwo
#define dnnl_oihw tombola_oihw
#define dnnl_hwio tombola_hwio
#define dnnl_ohwi tombola_ohwi
#define dnnl_ihwo tombola_ihwo
#define dnnl_iohw tombola_iohw
#define dnnl_oidhw tombola_oidhw
#define dnnl_iodhw tombola_iodhw
#define dnnl_dhwio tombola_dhwio
#define dnnl_odhwi tombola_odhwi
#define dnnl_idhwo tombola_idhwo
#define dnnl_goiw tombola_goiw
#define dnnl_gowi tombola_gowi
#define dnnl_gwio tombola_gwio
#define dnnl_wigo tombola_wigo
#define dnnl_goihw tombola_goihw
#define dnnl_gohwi tombola_gohwi
#define dnnl_ghwio tombola_ghwio
#define dnnl_hwigo tombola_hwigo
#define dnnl_giohw tombola_giohw
#define dnnl_goidhw tombola_goidhw
#define dnnl_godhwi tombola_godhwi
#define dnnl_gdhwio tombola_gdhwio
#define dnnl_giodhw tombola_giodhw
#define dnnl_dhwigo tombola_dhwigo
#define dnnl_tnc tombola_tnc
#define dnnl_ntc tombola_ntc
#define dnnl_ldnc tombola_ldnc
#define dnnl_ldigo tombola_ldigo
#define dnnl_ldgoi tombola_ldgoi
#define dnnl_ldio tombola_ldio
#define dnnl_ldoi tombola_ldoi
#define dnnl_ldgo tombola_ldgo
#define dnnl_nCw4c tombola_nCw4c
#define dnnl_nCw8c tombola_nCw8c
#define dnnl_nCw16c tombola_nCw16c
#define dnnl_nChw4c tombola_nChw4c
#define dnnl_nChw8c tombola_nChw8c
#define dnnl_nChw16c tombola_nChw16c
#define dnnl_nCdhw4c tombola_nCdhw4c
#define dnnl_nCdhw8c tombola_nCdhw8c
#define dnnl_nCdhw16c tombola_nCdhw16c
#define dnnl_nCw32c tombola_nCw32c
#define dnnl_nChw32c tombola_nChw32c
#define dnnl_nCdhw32c tombola_nCdhw32c

typedef tombola_memory_desc_t dnnl_memory_desc_t;
typedef const_tombola_memory_desc_t const_dnnl_memory_desc_t;
typedef tombola_memory_t dnnl_memory_t;
typedef const_tombola_memory_t const_dnnl_memory_t;
#define DNNL_MEMORY_NONE TOMBOLA_MEMORY_NONE
#define DNNL_MEMORY_ALLOCATE TOMBOLA_MEMORY_ALLOCATE

typedef tombola_engine_kind_t dnnl_engine_kind_t;
#define dnnl_any_engine tombola_any_engine
#define dnnl_cpu tombola_cpu
#define dnnl_gpu tombola_gpu
typedef tombola_engine_t dnnl_engine_t;

typedef tombola_stream_flags_t dnnl_stream_flags_t;
#define dnnl_stream_in_order tombola_stream_in_order
#define dnnl_stream_out_of_order tombola_stream_out_of_order
#define dnnl_stream_default_flags tombola_stream_default_flags
typedef tombola_stream_t dnnl_stream_t;
typedef struct tombola_stream const* const_dnnl_stream_t;

typedef tombola_primitive_kind_t dnnl_primitive_kind_t;
#define dnnl_undefined_primitive tombola_undefined_primitive
#define dnnl_shuffle tombola_shuffle

typedef tombola_prop_kind_t dnnl_prop_kind_t;
#define dnnl_prop_kind_undef tombola_prop_kind_undef
#define dnnl_forward_training tombola_forward_training
#define dnnl_forward_inference tombola_forward_inference
#define dnnl_forward tombola_forward
#define dnnl_backward tombola_backward
#define dnnl_backward_data tombola_backward_data
#define dnnl_forward_scoring tombola_forward_inference

typedef tombola_scratchpad_mode_t dnnl_scratchpad_mode_t;
#define dnnl_scratchpad_mode_library tombola_scratchpad_mode_library
#define dnnl_scratchpad_mode_user tombola_scratchpad_mode_user

typedef enum {
    dnnl_fpmath_mode_strict = 0,
    dnnl_fpmath_mode_bf16 = 1,
    dnnl_fpmath_mode_f16 = 2,
    dnnl_fpmath_mode_any = 3,
    dnnl_fpmath_mode_tf32 = 4
} dnnl_fpmath_mode_t;

typedef enum {
    dnnl_accumulation_mode_strict = 0,
    dnnl_accumulation_mode_relaxed = 1,
    dnnl_accumulation_mode_any = 2,
    dnnl_accumulation_mode_s32 = 3,
    dnnl_accumulation_mode_f32 = 4,
    dnnl_accumulation_mode_f16 = 5
} dnnl_accumulation_mode_t;

typedef tombola_primitive_attr_t dnnl_primitive_attr_t;
typedef const_tombola_primitive_attr_t const_dnnl_primitive_attr_t;
typedef tombola_primitive_desc_t dnnl_primitive_desc_t;
typedef const_tombola_primitive_desc_t const_dnnl_primitive_desc_t;
typedef tombola_primitive_t dnnl_primitive_t;
typedef const_tombola_primitive_t const_dnnl_primitive_t;
typedef tombola_exec_arg_t dnnl_exec_arg_t;

#define DNNL_ARG_SRC_0 TOMBOLA_ARG_SRC
#define DNNL_ARG_SRC TOMBOLA_ARG_SRC
#define DNNL_ARG_DST_0 TOMBOLA_ARG_DST
#define DNNL_ARG_DST TOMBOLA_ARG_DST
#define DNNL_ARG_DIFF_SRC_0 TOMBOLA_ARG_DIFF_SRC
#define DNNL_ARG_DIFF_SRC TOMBOLA_ARG_DIFF_SRC
#define DNNL_ARG_DIFF_DST_0 TOMBOLA_ARG_DIFF_DST
#define DNNL_ARG_DIFF_DST TOMBOLA_ARG_DIFF_DST
#define DNNL_ARG_FROM TOMBOLA_ARG_SRC
#define DNNL_ARG_TO TOMBOLA_ARG_DST
#define DNNL_ARG_SCRATCHPAD TOMBOLA_ARG_SCRATCHPAD
/* No primitive here has these; code that serves any primitive names them, and an execution ignores them. */
#define DNNL_ARG_SRC_1 2
#define DNNL_ARG_SRC_2 3
#define DNNL_ARG_DST_1 18
#define DNNL_ARG_DST_2 19
#define DNNL_ARG_WEIGHTS_0 33
#define DNNL_ARG_WEIGHTS 33
#define DNNL_ARG_BIAS 41
#define DNNL_ARG_WORKSPACE 64
#define DNNL_ARG_DIFF_WEIGHTS_0 161
#define DNNL_ARG_DIFF_WEIGHTS 161
#define DNNL_ARG_DIFF_BIAS 169

typedef tombola_query_t dnnl_query_t;
#define dnnl_query_undef tombola_query_undef
#define dnnl_query_engine tombola_query_engine
#define dnnl_query_primitive_kind tombola_query_primitive_kind
#define dnnl_query_impl_info_str tombola_query_impl_info_str
#define dnnl_query_memory_consumption_s64 tombola_query_memory_consumption_s64
#define dnnl_query_scratchpad_engine tombola_query_scratchpad_engine
#define dnnl_query_prop_kind tombola_query_prop_kind
#define dnnl_query_axis_s32 tombola_query_axis_s32
#define dnnl_query_group_size_s64 tombola_query_group_size_s64
#define dnnl_query_num_of_inputs_s32 tombola_query_num_of_inputs_s32
#define dnnl_query_num_of_outputs_s32 tombola_query_num_of_outputs_s32
#define dnnl_query_src_md tombola_query_src_md
#define dnnl_query_diff_src_md tombola_query_diff_src_md
#define dnnl_query_dst_md tombola_query_dst_md
#define dnnl_query_diff_dst_md tombola_query_diff_dst_md
#define dnnl_query_scratchpad_md tombola_query_scratchpad_md
#define dnnl_query_exec_arg_md tombola_query_exec_arg_md
#define dnnl_query_ndims_s32 tombola_query_ndims_s32
#define dnnl_query_dims tombola_query_dims
#define dnnl_query_data_type tombola_query_data_type
#define dnnl_query_submemory_offset_s64 tombola_query_submemory_offset_s64
#define dnnl_query_padded_dims tombola_query_padded_dims
#define dnnl_query_format_kind tombola_query_format_kind
#define dnnl_query_strides tombola_query_strides
#define dnnl_query_inner_nblks_s32 tombola_query_inner_nblks_s32
#define dnnl_query_inner_blks tombola_query_inner_blks
#define dnnl_query_inner_idxs tombola_query_inner_idxs
#define dnnl_query_padded_offsets tombola_query_padded_offsets

typedef enum {
    dnnl_cpu_isa_default = 0x0,
    dnnl_cpu_isa_all = 0x0,
    dnnl_cpu_isa_sse41 = 0x1,
    dnnl_cpu_isa_avx = 0x3,
    dnnl_cpu_isa_avx2 = 0x7,
    dnnl_cpu_isa_avx2_vnni = 0xf,
    dnnl_cpu_isa_avx2_vnni_2 = 0x1f,
    dnnl_cpu_isa_avx512_core = 0x27,
    dnnl_cpu_isa_avx512_core_vnni = 0x67,
    dnnl_cpu_isa_avx512_core_bf16 = 0xe7,
    dnnl_cpu_isa_avx512_core_fp16 = 0x1ef,
    dnnl_cpu_isa_avx512_core_amx = 0xfef,
    dnnl_cpu_isa_avx512_core_amx_fp16 = 0x1fef
} dnnl_cpu_isa_t;

typedef struct {
    int major;
    int minor;
    int patch;
    const char* hash;
    unsigned cpu_runtime;
    unsigned gpu_runtime;
} dnnl_version_t;
/* clang-format on */

#endif
