// SPDX-License-Identifier: Apache-2.0

/// @file
/// The interface of the caller's thread pool, by oneDNN's names.

#ifndef TOMBOLA_COMPAT_DNNL_THREADPOOL_IFACE_HPP
#define TOMBOLA_COMPAT_DNNL_THREADPOOL_IFACE_HPP

#include "../../../tombola_threadpool_iface.hpp"

namespace dnnl {
namespace threadpool_interop {

/// The caller's thread pool. Programs for newer releases of oneDNN define wait() too; tombola does not call
/// it, because an execution waits for its own tasks.
struct threadpool_iface : public tombola::threadpool_interop::threadpool_iface {
    virtual void wait() {}
};

}  // namespace threadpool_interop
}  // namespace dnnl

#endif
