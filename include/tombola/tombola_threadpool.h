/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * The C API of streams that run on the caller's thread pool. */

#ifndef TOMBOLA_THREADPOOL_H
#define TOMBOLA_THREADPOOL_H

#include "tombola.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tombola_threadpool_interop Thread pool
 * @ingroup tombola_c
 * Executions on the caller's own threads. They need a library built with TOMBOLA_CPU_RUNTIME=THREADPOOL. In such a
 * library, executions on other streams run on the calling thread alone.
 * @{ */

/** Creates a stream whose executions run on a thread pool.
 *
 * @param stream Output: the stream.
 * @param engine The engine it belongs to.
 * @param threadpool Address of an object of the C++ class tombola::threadpool_interop::threadpool_iface, which must
 * outlive the stream. NULL: executions run on the calling thread.
 * @return tombola_success; tombola_invalid_arguments; tombola_unimplemented
 * when the library was built with another run-time; tombola_out_of_memory. */
TOMBOLA_API tombola_status_t tombola_threadpool_interop_stream_create(tombola_stream_t* stream,
                                                                      tombola_engine_t engine,
                                                                      void* threadpool);

/** Tells the thread pool of a stream.
 *
 * @param stream The stream.
 * @param threadpool Output: the pool that the stream was created with, or NULL.
 * @return tombola_success; tombola_invalid_arguments. */
TOMBOLA_API tombola_status_t
tombola_threadpool_interop_stream_get_threadpool(const_tombola_stream_t stream, void** threadpool);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
