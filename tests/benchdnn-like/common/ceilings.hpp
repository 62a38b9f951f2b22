// SPDX-License-Identifier: Apache-2.0
#pragma once

// What memory allows: fills, a copy and a read of a buffer, on as many threads as the library may use.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tombola::bench {

// The ways to fill a buffer that this processor has.
struct Fill {
    const char* name;  // as %bound% shows it
    void (*run)(uint8_t* data, size_t bytes);
};
const std::vector<Fill>& fills();
void copy_memcpy(uint8_t* to, const uint8_t* from, size_t bytes);
void read_all(const uint8_t* data, size_t bytes);

// Puts the memory out of all caches.
void evict(const uint8_t* data, size_t bytes);

// The processor's time-stamp counter; 0 where there is none.
uint64_t ticks();

// Threads that the library may use, as far as this program can share work in the library's manner: 1 unless the
// run-time is OpenMP.
int max_threads();
// Threads that a fill of so many bytes is shared by: waking them for less costs more than it saves.
int threads_for(size_t bytes);

// While it lives, the executions on stream() and the functions above use no more than so many threads; 0: as many as
// the run-time gives.
class ThreadLimit {
  public:
    explicit ThreadLimit(int threads);
    ~ThreadLimit();
    ThreadLimit(const ThreadLimit&) = delete;

  private:
    int before_;
};

}  // namespace tombola::bench
