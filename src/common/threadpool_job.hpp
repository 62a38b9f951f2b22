// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tasks that an execution gives to the caller's thread pool (THREADPOOL builds).

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "common/function_ref.hpp"

namespace tombola::impl {

// The tasks of one runtime_run(). A pool that throws may already have queued some of them, and may start them at any
// later time. So a job is allocated on the heap, and in that case it is never freed.
class ThreadpoolJob {
  public:
    ThreadpoolJob() : function_([this](int task, int) { run(task); }) {}

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
    ThreadpoolJob* next_abandoned = nullptr;  // in the list of jobs that are never freed
};

// The jobs of a stream that no execution is using. The stream is created with one, so executions that follow one another
// allocate nothing. There is no lock, because a child of fork() could not release it.
class SpareJobs {
  public:
    SpareJobs() = default;
    ~SpareJobs() {
        for (auto& slot : slots_) delete slot.load();
    }
    SpareJobs(const SpareJobs&) = delete;
    SpareJobs& operator=(const SpareJobs&) = delete;

    // Null if there is no memory for one.
    std::unique_ptr<ThreadpoolJob> take() {
        for (auto& slot : slots_)
            if (ThreadpoolJob* job = slot.exchange(nullptr))
                return std::unique_ptr<ThreadpoolJob>(job);
        return std::unique_ptr<ThreadpoolJob>(new (std::nothrow) ThreadpoolJob);
    }
    // Takes a job back. It is freed if all places are taken.
    void give(std::unique_ptr<ThreadpoolJob> job) {
        for (auto& slot : slots_) {
            ThreadpoolJob* empty = nullptr;
            if (slot.compare_exchange_strong(empty, job.get())) {
                static_cast<void>(job.release());  // the slot owns it
                return;
            }
        }
    }

  private:
    // If more executions than this run on one stream at the same time, some of them allocate a job each time.
    std::array<std::atomic<ThreadpoolJob*>, 8> slots_{};
};

}  // namespace tombola::impl
