// SPDX-License-Identifier: Apache-2.0
// THREADPOOL: the pool that the stream of the running execution was created with. Without a pool, everything runs on
// the calling thread.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/active_threadpool.hpp"
#include "common/parallel_runtime.hpp"

namespace tombola::impl {
namespace {

using threadpool_interop::threadpool_iface;

// The tasks of one runtime_run(). A pool that throws may already have queued some of them, and may start them at any
// later time. So a job is allocated on the heap, and in that case it is never freed.
class Job {
  public:
    Job() : function_([this](int task, int) { run(task); }) {}

    void open(int tasks, FunctionRef<void(int)>& body) {
        const std::lock_guard<std::mutex> lock(mutex_);
        body_ = &body;
        left_ = tasks;
    }

    // The function that the pool is given. The pool may keep a reference to it.
    const std::function<void(int, int)>& function() const { return function_; }

    // Waits until all tasks have ended.
    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return left_ == 0; });
    }

    // Prevents further tasks from starting, and waits until the started ones have ended.
    void close() {
        std::unique_lock<std::mutex> lock(mutex_);
        body_ = nullptr;
        changed_.wait(lock, [this] { return running_ == 0; });
    }

  private:
    void run(int task) {
        std::unique_lock<std::mutex> lock(mutex_);
        FunctionRef<void(int)>* const body = body_;
        if (body == nullptr) return;
        ++running_;
        lock.unlock();
        (*body)(task);
        lock.lock();
        --running_;
        --left_;
        changed_.notify_one();  // under the lock: the job may end or be opened again afterwards
    }

    const std::function<void(int, int)> function_;
    std::mutex mutex_;
    std::condition_variable changed_;
    FunctionRef<void(int)>* body_ = nullptr;  // null: closed
    int left_ = 0;                            // tasks that have not ended
    int running_ = 0;

  public:
    Job* left_behind_before = nullptr;  // see left_behind
};

// The jobs of pools that threw. They are not used again, but stay reachable, so that leak checkers do not report them.
std::atomic<Job*> left_behind{nullptr};

// Each thread keeps one finished job for its next execution. The variable has no destructor, because executions may
// still run while static objects are destroyed (scratchpad.cpp).
thread_local Job* spare_job = nullptr;

struct AtThreadEnd {
    ~AtThreadEnd() {
        delete spare_job;
        spare_job = nullptr;
    }
};

}  // namespace

const char* runtime_name() { return "THREADPOOL"; }

int runtime_threads() {
    const threadpool_iface* pool = active_threadpool();
    if (pool == nullptr || pool->get_in_parallel()) return 1;
    return std::max(1, pool->get_num_threads());
}

void runtime_run(int tasks, FunctionRef<void(int)> body) {
    [[maybe_unused]] thread_local const AtThreadEnd at_thread_end;
    Job* job = std::exchange(spare_job, nullptr);
    if (job == nullptr) job = new Job;
    job->open(tasks, body);
    // The job of a pool that threw is closed and never freed, because the pool may still refer to it.
    const auto failure = [&](const char* what) {
        job->close();
        job->left_behind_before = left_behind.exchange(job);
        return std::runtime_error(std::string("the thread pool failed: ") + what);
    };
    try {
        active_threadpool()->parallel_for(tasks, job->function());
    } catch (const std::exception& error) {
        throw failure(error.what());
    } catch (...) {
        throw failure("it threw an object that is no std::exception");
    }
    job->wait();  // asynchronous pools return at once
    delete std::exchange(spare_job, job);
}

}  // namespace tombola::impl
