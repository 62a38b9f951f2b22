/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Streams that run on the caller's thread pool, by oneDNN's names. They need a library built with
 * TOMBOLA_CPU_RUNTIME=THREADPOOL. */

#ifndef TOMBOLA_COMPAT_DNNL_THREADPOOL_H
#define TOMBOLA_COMPAT_DNNL_THREADPOOL_H

#include "../../../tombola_threadpool.h"
#include "dnnl.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline dnnl_status_t dnnl_threadpool_interop_stream_create(dnnl_stream_t* stream,
                                                                  dnnl_engine_t engine,
                                                                  void* threadpool) {
    return tombola_threadpool_interop_stream_create(stream, engine, threadpool);
}
static inline dnnl_status_t dnnl_threadpool_interop_stream_get_threadpool(dnnl_stream_t stream,
                                                                          void** threadpool) {
    return tombola_threadpool_interop_stream_get_threadpool(stream, threadpool);
}

#ifdef __cplusplus
}
#endif

#endif
