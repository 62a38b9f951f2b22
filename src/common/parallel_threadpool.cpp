// SPDX-License-Identifier: Apache-2.0
// THREADPOOL: the pool that the stream of the running execution was created with; without one, the calling thread.
#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "common/active_threadpool.hpp"
#include "common/parallel_runtime.hpp"

namespace tombola::impl {
namespace {

using threadpool_interop::threadpool_iface;

// Lets one thread wait until a number of parts have ended.
class Countdown {
  public:
    explicit Countdown(int count) : left_(count) {}
    void finish_one() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (--left_ == 0) done_.notify_one();  // under the lock: the waiting thread destroys this
    }
    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        done_.wait(lock, [this] { return left_ == 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable done_;
    int left_;
};

}  // namespace

const char* runtime_name() { return "THREADPOOL"; }

int runtime_threads() {
    const threadpool_iface* pool = active_threadpool();
    if (pool == nullptr || pool->get_in_parallel()) return 1;
    return std::max(1, pool->get_num_threads());
}

void runtime_run(int parts, FunctionRef<void(int)> body) {
    threadpool_iface* pool = active_threadpool();
    // A captured pointer or two fit into std::function without an allocation.
    if ((pool->get_flags() & threadpool_iface::ASYNCHRONOUS) == 0) {
        pool->parallel_for(parts, [&body](int part, int) { body(part); });
        return;
    }
    Countdown countdown(parts);
    pool->parallel_for(parts, [&body, &countdown](int part, int) {
        body(part);
        countdown.finish_one();
    });
    countdown.wait();
}

}  // namespace tombola::impl
