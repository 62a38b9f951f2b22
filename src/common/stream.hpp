// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/engine.hpp"
#include "common/threadpool_job.hpp"
#include "tombola/tombola_threadpool_iface.hpp"

namespace tombola::impl {

// Where executions run.
struct Stream {
    Engine* engine = nullptr;
    threadpool_interop::threadpool_iface* threadpool = nullptr;  // the caller's, if it brought one
    int max_threads = 0;                                         // for each execution; 0: no limit
    mutable SpareJobs spare_jobs{};  // has one if there is a thread pool
};

}  // namespace tombola::impl
