/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * oneDNN's build options, as programs ask for them. */

#ifndef TOMBOLA_COMPAT_DNNL_CONFIG_H
#define TOMBOLA_COMPAT_DNNL_CONFIG_H

#define DNNL_API

#define DNNL_RUNTIME_NONE 0u
#define DNNL_RUNTIME_SEQ 1u
#define DNNL_RUNTIME_OMP 2u
#define DNNL_RUNTIME_TBB 4u
#define DNNL_RUNTIME_THREADPOOL 8u
#define DNNL_RUNTIME_OCL 256u
#define DNNL_RUNTIME_SYCL 512u
#define DNNL_RUNTIME_DPCPP DNNL_RUNTIME_SYCL
#define DNNL_RUNTIME_ZE 1024u

#define DNNL_VENDOR_NONE 0u
#define DNNL_VENDOR_INTEL 1u
#define DNNL_VENDOR_NVIDIA 2u
#define DNNL_VENDOR_AMD 4u
#define DNNL_VENDOR_GENERIC 8u

/* The runtime is a property of the library and not of these headers, and is told by
 * dnnl_version(). Programs that choose code by it may define it themselves. */
#ifndef DNNL_CPU_RUNTIME
#define DNNL_CPU_RUNTIME DNNL_RUNTIME_OMP
#endif
#ifndef DNNL_CPU_THREADING_RUNTIME
#define DNNL_CPU_THREADING_RUNTIME DNNL_CPU_RUNTIME
#endif
#define DNNL_GPU_RUNTIME DNNL_RUNTIME_NONE
#define DNNL_GPU_VENDOR DNNL_VENDOR_NONE

#endif
