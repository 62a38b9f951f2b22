// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thread pool as a framework might bring one: some workers, a queue of jobs, and a caller who helps with its own
// job and with no other.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tombola/tombola_threadpool_iface.hpp"

namespace tombola::test {

class TestThreadpool : public threadpool_interop::threadpool_iface {
  public:
    // Asynchronous: parallel_for() returns at once.
    explicit TestThreadpool(int workers, bool asynchronous = false)
        : asynchronous_(asynchronous), threads_count_(workers + (asynchronous ? 0 : 1)) {
        for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { work(); });
    }
    ~TestThreadpool() override {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            stop_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    int get_num_threads() const override { return threads_count_; }
    bool get_in_parallel() const override { return inside(); }
    uint64_t get_flags() const override { return asynchronous_ ? ASYNCHRONOUS : 0; }
    void parallel_for(int n, const std::function<void(int, int)>& fn) override {
        ++calls_;
        const auto job = std::make_shared<Job>(Job{fn, n});
        std::unique_lock<std::mutex> lock(mutex_);
        jobs_.push_back(job);
        changed_.notify_all();
        if (asynchronous_) return;
        while (job->next < job->n) run_one(*job, lock);
        changed_.wait(lock, [&] { return job->done == job->n; });
    }

    // How often parallel_for() was called.
    int calls() const { return calls_; }

  private:
    struct Job {
        std::function<void(int, int)> fn;
        int n;
        int next = 0;
        int done = 0;
    };

    static bool& inside() {
        thread_local bool value = false;
        return value;
    }
    void run_one(Job& job, std::unique_lock<std::mutex>& lock) {
        const int i = job.next++;
        lock.unlock();
        inside() = true;
        job.fn(i, job.n);
        inside() = false;
        lock.lock();
        if (++job.done == job.n) changed_.notify_all();
    }
    void work() {
        std::unique_lock<std::mutex> lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
            if (jobs_.empty()) return;
            const std::shared_ptr<Job> job = jobs_.front();
            if (job->next == job->n) {
                jobs_.pop_front();
            } else {
                run_one(*job, lock);
            }
        }
    }

    const bool asynchronous_;
    const int threads_count_;
    std::atomic<int> calls_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Job>> jobs_;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace tombola::test
