// SPDX-License-Identifier: Apache-2.0
#pragma once

// What memory allows: fills, a copy and a read of a buffer, on as many threads as the library may use.

#include <cstddef>
#include <cstdint>

namespace tombola::bench {

void fill_memset(uint8_t* data, size_t bytes);
void fill_stores(uint8_t* data, size_t bytes);     // ordinary stores in a loop
void fill_nt_stores(uint8_t* data, size_t bytes);  // stores past the cache
void copy_memcpy(uint8_t* to, const uint8_t* from, size_t bytes);
void read_all(const uint8_t* data, size_t bytes);

// Threads that the library may use.
int max_threads();
// Threads that a fill of so many bytes is shared by: waking them for less costs more than it saves.
int threads_for(size_t bytes);

// While it lives, the library and the functions above use the calling thread alone.
class OneThread {
  public:
    OneThread();
    ~OneThread();
    OneThread(const OneThread&) = delete;

  private:
    int threads_;
};

}  // namespace tombola::bench
