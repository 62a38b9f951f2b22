// SPDX-License-Identifier: Apache-2.0
// THREADPOOL: the pool that the stream of the running execution was created with. Without a pool, everything runs on
// the calling thread.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/active_threadpool.hpp"
#include "common/fp_env.hpp"
#include "common/parallel_runtime.hpp"
#include "common/threadpool_job.hpp"

namespace tombola::impl {
namespace {

using threadpool_interop::threadpool_iface;

// The jobs of pools that threw. They are not used again, but stay reachable, so that leak checkers do not report them.
std::atomic<ThreadpoolJob*> abandoned{nullptr};

}  // namespace

const char* runtime_name() { return "THREADPOOL"; }

int runtime_threads() {
    const threadpool_iface* pool = active_threadpool().pool;
    if (pool == nullptr) return 1;
    const DefaultFpEnv::Suspended fp_env;  // the pool may make threads now
    if (pool->get_in_parallel()) return 1;
    return std::max(1, pool->get_num_threads());
}

void runtime_run(int tasks, int /*threads*/, FunctionRef<void(int)> body) {
    SpareJobs& spare = *active_threadpool().spare;
    std::unique_ptr<ThreadpoolJob> job = spare.take();
    if (job == nullptr) {
        // An earlier region of this execution may have written a part of the outputs, so a failure would come too late.
        for (int task = 0; task < tasks; ++task) body(task);
        return;
    }
    job->open(tasks, body);
    // The job of a pool that threw is closed and never freed, because the pool may still refer to it.
    const auto failure = [&](const char* what) {
        job->close();
        ThreadpoolJob* kept = job.release();
        kept->next_abandoned = abandoned.exchange(kept);
        return std::runtime_error(std::string("the thread pool failed: ") + what);
    };
    try {
        active_threadpool().pool->parallel_for(tasks, job->function());
    } catch (const std::exception& error) {
        throw failure(error.what());
    } catch (...) {
        throw failure("it threw an object that is no std::exception");
    }
    job->wait();  // asynchronous pools return at once
    spare.give(std::move(job));
}

}  // namespace tombola::impl
