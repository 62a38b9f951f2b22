// SPDX-License-Identifier: Apache-2.0
#include "common/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "common/fork.hpp"
#include "common/fp_env.hpp"
#include "common/machine.hpp"
#include "common/parallel_runtime.hpp"
#include "common/scratchpad.hpp"
#include "common/settings.hpp"

namespace tombola::impl {
namespace {

// Waking a sleeping worker of OpenMP on another processor and waiting for it costs 40 to 100 microseconds. A worker that still
// spins costs less than 1. So work is shared if two threads save more than waking costs: for most work, if one thread takes twice
// as long as waking. Every primitive estimates that time from the machine's rates.
//
// Regions show how their workers wait: if the last task begins within kAwakeDelay, they spin. (libgomp's spin for 4 milliseconds,
// unless OMP_WAIT_POLICY is passive.) Then waking costs less than kWakingAwake, as long as regions follow one another within
// kSpinning. Without a region the state of the workers is unknown. So once unshared work has taken `patience` times as long as
// waking, the next work is shared as a test, even if that does not pay. Patience grows while workers are found asleep, so that tests cost
// 2 % at most in the long run.
using Clock = std::chrono::steady_clock;
constexpr Clock::duration kAwakeDelay = std::chrono::microseconds(10),
                          kSpinning = std::chrono::milliseconds(1);
constexpr double kWakingAwake = 5e3;  // nanoseconds
constexpr double kMinPatience = 4, kMaxPatience = 128;
// If another process uses the other processors, a worker may begin milliseconds late. The cost of waking is then estimated from the
// observed delay: at most this many times the cost of waking a sleeping thread.
constexpr double kMaxWaking = 100;

// Work that is this many times as long as waking is shared in any case. Waking costs 3 % at most. Cores that are far apart do not
// compete for the same memory, so sharing may gain even where the measured costs say that it does not.
constexpr double kLongWork = 32;

// Whether sharing the work saves the time of waking.
bool pays(const Work& work, double waking) {
    if (work.nanoseconds < 2 * waking) return false;
    return waking == kWakingAwake || work.nanoseconds - work.min_nanoseconds >= waking ||
           work.nanoseconds >= kLongWork * waking;
}

// The number of parts of which each takes as long as waking a thread.
int worthwhile(const Work& work, double waking, int threads) {
    if (work.nanoseconds >= waking * threads) return threads;
    return std::max(1, static_cast<int>(work.nanoseconds / waking));
}

// Whether this thread is running a part. A region inside a part stays on the thread.
thread_local bool in_region = false;

// What ThreadLimit set for this thread.
thread_local int thread_limit = kNoThreadLimit;

// Runs parts [begin, end) one after another, on the thread that the run-time has chosen.
void run_parts(Range range, int parts, FunctionRef<void(int, int)> body) {
    const DefaultFpEnv fp_env;
    const bool before = std::exchange(in_region, true);
    for (int64_t part = range.begin; part < range.end; ++part) body(static_cast<int>(part), parts);
    in_region = before;
}

// What this thread has observed of the workers that its regions run on.
class Workers {
  public:
    // The nanoseconds that waking them probably takes.
    double waking() const {
        const double asleep = machine_sizes().waking;
        if (delay_ < kAwakeDelay && Clock::now() - seen_ < kSpinning) return kWakingAwake;
        return std::clamp(nanoseconds(delay_), asleep, kMaxWaking * asleep);
    }
    // Whether it is time for a test, before work that takes `work` times as long as waking.
    bool are_tried(double work) {
        untried_ += work;
        return untried_ >= patience_;
    }
    // Call it after each region. `delay`: from the start of the region to the start of its last task. One late start may be chance, or
    // the end of a pause, so the next work is a test too.
    void observe(Clock::duration delay) {
        delay_ = delay;
        seen_ = Clock::now();
        again_ = delay >= kAwakeDelay && !again_;
        untried_ = again_ ? patience_ : 0;
        if (delay < kAwakeDelay)
            patience_ = kMinPatience;
        else if (!again_)
            patience_ = std::min(2 * patience_, kMaxPatience);
    }

  private:
    static double nanoseconds(Clock::duration time) {
        return std::chrono::duration<double, std::nano>(time).count();
    }

    Clock::duration delay_ = kAwakeDelay;
    Clock::time_point seen_{};
    double untried_ = 0, patience_ = kMinPatience;
    bool again_ = false;
};
thread_local Workers workers;

// Not inlined: the region may have ended on another thread than it began on.
__attribute__((noinline)) void observe_workers(Clock::duration delay) { workers.observe(delay); }

// While the run-time runs the tasks of a region, the calling thread is as if it had not called the library: it may take a task of the program
// that executes another primitive. With TBB the call may also continue on another thread, if the program suspends tasks.
class OutsideOfExecution {
  public:
    OutsideOfExecution() { leave(); }
    ~OutsideOfExecution() { enter(); }
    OutsideOfExecution(const OutsideOfExecution&) = delete;
    OutsideOfExecution& operator=(const OutsideOfExecution&) = delete;

  private:
    __attribute__((noinline)) void leave() {
        limit_ = std::exchange(thread_limit, kNoThreadLimit);
        scratchpad_ = take_thread_scratchpad();
    }
    __attribute__((noinline)) void enter() {
        thread_limit = limit_;
        give_thread_scratchpad(scratchpad_);
    }
    int limit_ = kNoThreadLimit;
    Scratchpad scratchpad_{};
    const DefaultFpEnv::Suspended fp_env_;  // the run-time may make threads, which inherit it
};

}  // namespace

int processors() {
    return made_once(
        [] { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); });
}

int max_parts(int64_t items) {
    return static_cast<int>(std::clamp<int64_t>(items, 1, processors()));
}

// Not inlined: the execution in between may have ended on another thread.
__attribute__((noinline)) ThreadLimit::ThreadLimit(int threads)
    : before_(std::exchange(thread_limit, threads)) {}
__attribute__((noinline)) ThreadLimit::~ThreadLimit() { thread_limit = before_; }

int max_threads() {
    if (in_region || thread_limit == 1) return 1;
    const int threads = runtime_threads();
    return thread_limit == kNoThreadLimit ? threads : std::min(threads, thread_limit);
}

void parallel(int parts, FunctionRef<void(int, int)> body) {
    if (parts <= 1) return body(0, 1);
    // There is one task per thread, so that no run-time can use more threads.
    const int threads = max_threads();
    const int tasks = std::min(parts, threads);
    if (tasks == 1) return run_parts({0, parts}, parts, body);
    const Clock::time_point region = Clock::now();
    Clock::time_point last = region;
    {
        const OutsideOfExecution outside;
        runtime_run(tasks, threads, [&](int task) {
            if (task == tasks - 1) last = Clock::now();
            run_parts(split(parts, task, tasks), parts, body);
        });
    }
    observe_workers(last - region);
}

Range split(int64_t count, int part, int parts, int64_t multiple) {
    const int64_t units = (count + multiple - 1) / multiple;
    const int64_t each = units / parts;
    const int64_t more = units % parts;  // the first `more` parts have one unit more
    const int64_t begin = each * part + std::min<int64_t>(part, more);
    const int64_t end = begin + each + (part < more ? 1 : 0);
    return {std::min(begin * multiple, count), std::min(end * multiple, count)};
}

Work moving(size_t bytes) { return {static_cast<double>(bytes) / machine_sizes().traffic}; }

int parts_for(const Work& work) {
    const std::optional<int> asked = waking_asked_for();
    if (asked) return worthwhile(work, 1000.0 * *asked, max_threads());
    if (work.nanoseconds < 2 * kWakingAwake) return 1;
    const int threads = max_threads();
    if (threads == 1) return 1;
    double waking = workers.waking();
    if (!pays(work, waking)) {
        if (!workers.are_tried(work.nanoseconds / waking)) return 1;
        waking = kWakingAwake;
    }
    return worthwhile(work, waking, threads);
}

int parts_for_rows(int64_t rows, const Work& all) {
    const int parts = parts_for(all);
    if (parts <= rows) return parts;
    const auto count = static_cast<double>(rows);
    const Work row{all.nanoseconds / count, all.min_nanoseconds / count};
    return parts_for(row) > rows ? 1 : static_cast<int>(rows);
}

}  // namespace tombola::impl
