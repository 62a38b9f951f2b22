// SPDX-License-Identifier: Apache-2.0

/// @file
/// Streams that run on the caller's thread pool, by oneDNN's names. They need a library built with
/// TOMBOLA_CPU_RUNTIME=THREADPOOL.

#ifndef TOMBOLA_COMPAT_DNNL_THREADPOOL_HPP
#define TOMBOLA_COMPAT_DNNL_THREADPOOL_HPP

#include "../../../tombola_threadpool.hpp"
#include "dnnl.hpp"
#include "dnnl_threadpool.h"
#include "dnnl_threadpool_iface.hpp"

namespace dnnl {
namespace threadpool_interop {

inline stream make_stream(const engine& aengine, threadpool_iface* threadpool) {
    return tombola::threadpool_interop::make_stream(aengine, threadpool);
}
inline threadpool_iface* get_threadpool(const stream& astream) {
    return static_cast<threadpool_iface*>(tombola::threadpool_interop::get_threadpool(astream));
}

}  // namespace threadpool_interop
}  // namespace dnnl

#endif
