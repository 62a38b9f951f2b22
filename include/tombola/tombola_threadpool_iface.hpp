// SPDX-License-Identifier: Apache-2.0

/// @file
/// The interface between tombola and the caller's thread pool. Its members are those of oneDNN's
/// dnnl_threadpool_iface.hpp, so an adaptor that was written for oneDNN only needs another base class.

#ifndef TOMBOLA_THREADPOOL_IFACE_HPP
#define TOMBOLA_THREADPOOL_IFACE_HPP

#include <cstdint>
#include <functional>

namespace tombola {

/// What executions on the caller's thread pool need.
namespace threadpool_interop {

/// @ingroup tombola_cpp_threadpool
/// The caller's thread pool. A library built with TOMBOLA_CPU_RUNTIME=THREADPOOL starts no thread of its own. For
/// an execution on a stream that was made with a pool, the executing thread calls the members of the pool. If several
/// threads execute on streams of one pool at the same time, all of them call its members.
struct threadpool_iface {
    /// The number of threads that parallel_for() runs on, including the calling thread if it takes part.
    /// @return The number, at least 1.
    virtual int get_num_threads() const = 0;
    /// Whether the calling thread is running a task of this pool. If so, the execution stays on that thread.
    /// @return true if it is.
    virtual bool get_in_parallel() const = 0;
    /// Calls fn(i, n) once for each i in [0, n), in any order and on any threads. A calling thread that waits for
    /// the others must run no task of another parallel_for() meanwhile. Tasks need not run at the same time.
    /// @param n The number of tasks; it may exceed the number of threads.
    /// @param fn The task: takes its number i and n; it does not throw.
    /// @throws Anything: the execution waits for the tasks that have begun and fails with runtime_error. Tasks that
    /// begin later do nothing. What the execution writes is then undefined.
    virtual void parallel_for(int n, const std::function<void(int, int)>& fn) = 0;
    /// How parallel_for() behaves.
    /// @return A combination of the flags below; 0: parallel_for() returns when all tasks have ended.
    virtual uint64_t get_flags() const = 0;
    /// Flag: parallel_for() may return before the tasks have ended, and keeps a copy of fn. Executions wait for
    /// the tasks themselves: when one returns, its results are there.
    static constexpr uint64_t ASYNCHRONOUS = 1;
    /// The pool outlives the streams that were made with it.
    virtual ~threadpool_iface() = default;
};

}  // namespace threadpool_interop
}  // namespace tombola

#endif
