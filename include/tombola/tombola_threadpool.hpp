// SPDX-License-Identifier: Apache-2.0

/// @file
/// The C++ API of streams that run on the caller's thread pool.

#ifndef TOMBOLA_THREADPOOL_HPP
#define TOMBOLA_THREADPOOL_HPP

#include "tombola.hpp"
#include "tombola_threadpool.h"
#include "tombola_threadpool_iface.hpp"

namespace tombola {
namespace threadpool_interop {

/// @addtogroup tombola_cpp_threadpool
/// Executions on the caller's own threads. They need a library built with TOMBOLA_CPU_RUNTIME=THREADPOOL.
/// Declared by tombola_threadpool.hpp.
/// @{

/// Makes a stream whose executions run on a thread pool; see tombola_threadpool_interop_stream_create().
/// @param aengine The engine; it must outlive the stream.
/// @param threadpool The pool, which must outlive the stream; null: executions run on the calling thread.
/// @return The stream.
/// @throws error unimplemented if the library was built with another run-time; out_of_memory.
inline stream make_stream(const engine& aengine, threadpool_iface* threadpool) {
    tombola_stream_t result = nullptr;
    error::check(tombola_threadpool_interop_stream_create(&result, aengine.get(), threadpool));
    return stream(result);
}

/// The thread pool that a stream was made with.
/// @param astream The stream.
/// @return The pool; null if there is none.
inline threadpool_iface* get_threadpool(const stream& astream) {
    void* result = nullptr;
    error::check(tombola_threadpool_interop_stream_get_threadpool(astream.get(), &result));
    return static_cast<threadpool_iface*>(result);
}

/// @}

}  // namespace threadpool_interop
}  // namespace tombola

#endif
