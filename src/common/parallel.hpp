// SPDX-License-Identifier: Apache-2.0
#pragma once

// All use of threads goes through these functions. A file parallel_<runtime>.cpp implements them for each threading
// run-time. Work is divided by index, never by thread id, so results do not depend on the number of threads. Every
// worker runs under the default floating-point environment.

#include <cstddef>
#include <cstdint>

#include "common/function_ref.hpp"

namespace tombola::impl {

// The number of threads that parallel() can use from here; 1 inside a parallel region. The number belongs to the stream
// of the execution (its limit, its thread pool) and differs from one execution to the next. So the creation of a
// primitive depends only on whether it is 1 (DescRequest), and never on the number itself.
int max_threads();

// The number of logical processors of this machine: the same at creation and at every execution.
int processors();

// The number of parts that a scratchpad is planned for when `items` items are divided: one part per item, and at most
// one per processor. It does not depend on the number of threads at creation.
int max_parts(int64_t items);

// Limits max_threads() of the calling thread to `threads` for as long as the object lives.
constexpr int kNoThreadLimit = 0;
class ThreadLimit {
  public:
    explicit ThreadLimit(int threads);
    ~ThreadLimit();
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

  private:
    int before_;
};

// Calls body(part, parts) once for each part, on up to max_threads() threads. body must not throw.
void parallel(int parts, FunctionRef<void(int part, int parts)> body);

// split() returns the range [begin, end) of part `part` when `count` items are cut into `parts` near-equal ranges whose
// borders are multiples of `multiple`.
struct Range {
    int64_t begin, end;
};
Range split(int64_t count, int part, int parts, int64_t multiple = 1);

// The time that work takes, by the rates of the machine.
struct Work {
    double nanoseconds;  // of one thread
    // The minimum time in nanoseconds of all threads on neighbouring cores together, because they share the same memory.
    double min_nanoseconds = 0;
};

// Work that only reads and writes `bytes` bytes.
Work moving(size_t bytes);

// The number of parts to cut work into. It is 1 if waking a thread would cost more than it saves.
int parts_for(const Work& work);

// The number of parts that `rows` rows of equal work are divided among: at most one per row. It is also 1 if there are fewer rows than
// threads and each row is worth more threads than there are rows; all threads then work together on one row at a time.
int parts_for_rows(int64_t rows, const Work& all);

// Cuts [0, count) into ranges with borders at multiples of `multiple`, and runs body(begin, end) on each. If the whole
// work is too small to share, all of it runs on the calling thread.
template <class Body>
void parallel_ranges(int64_t count, int64_t multiple, const Work& work, const Body& body) {
    const int parts = parts_for(work);
    if (parts == 1) return body(int64_t{0}, count);
    parallel(parts, [&](int part, int all) {
        const Range range = split(count, part, all, multiple);
        if (range.begin < range.end) body(range.begin, range.end);
    });
}

}  // namespace tombola::impl
