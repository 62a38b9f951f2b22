// SPDX-License-Identifier: Apache-2.0
#include "common/parallel.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "common/fp_env.hpp"
#include "common/machine.hpp"
#include "common/parallel_runtime.hpp"

namespace tombola::impl {
namespace {

// Waking a sleeping worker of OpenMP on another processor and waiting for it at the end costs 74 to 86 microseconds (on
// Sapphire Rapids). A worker that still spins costs 1 microsecond, but the library cannot know which it will be. Times of
// two sleeping threads, relative to one:
//
//   shuffle, 2 MiB of traffic, 36 us     2.9      fill with words, 2 MiB, 137 us      1.12
//   dropout, 2 MiB of traffic, 76 us     1.67     normal numbers, 2 MiB, 344 us       0.73
//   shuffle, 4 MiB of traffic, 151 us    0.97     fill with words, 4 MiB, 268 us      0.82
//   dropout, 4 MiB of traffic, 174 us    1.06     exponential numbers, 2 MiB, 778 us  0.62
//
// What decides is the time of one thread, not the bytes: fills tell how long an element takes, and other work is counted
// in bytes of memory traffic that takes as long. Work is shared if it takes at
// least twice the time of waking: 172 microseconds on that machine (machine_sizes()).

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

}  // namespace

int processors() {
    static const int count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return count;
}

int max_parts(int64_t items) {
    return static_cast<int>(std::clamp<int64_t>(items, 1, processors()));
}

ThreadLimit::ThreadLimit(int threads) : before_(std::exchange(thread_limit, threads)) {}
ThreadLimit::~ThreadLimit() { thread_limit = before_; }

int max_threads() {
    if (in_region || thread_limit == 1) return 1;
    const int threads = runtime_threads();
    return thread_limit == kNoThreadLimit ? threads : std::min(threads, thread_limit);
}

void parallel(int parts, FunctionRef<void(int, int)> body) {
    if (parts <= 1) return body(0, 1);
    // There is one task per thread, so that no run-time can use more threads.
    const int tasks = std::min(parts, max_threads());
    if (tasks == 1) return run_parts({0, parts}, parts, body);
    runtime_run(tasks, [&](int task) { run_parts(split(parts, task, tasks), parts, body); });
}

Range split(int64_t count, int part, int parts, int64_t multiple) {
    const int64_t units = (count + multiple - 1) / multiple;
    const int64_t each = units / parts;
    const int64_t more = units % parts;  // the first `more` parts have one unit more
    const int64_t begin = each * part + std::min<int64_t>(part, more);
    const int64_t end = begin + each + (part < more ? 1 : 0);
    return {std::min(begin * multiple, count), std::min(end * multiple, count)};
}

int parts_for(size_t work_bytes) {
    const size_t bytes_per_part = machine_sizes().bytes_per_part;
    if (work_bytes < 2 * bytes_per_part) return 1;
    const size_t worthwhile = work_bytes / bytes_per_part;
    return static_cast<int>(std::min<size_t>(worthwhile, static_cast<size_t>(max_threads())));
}

}  // namespace tombola::impl
