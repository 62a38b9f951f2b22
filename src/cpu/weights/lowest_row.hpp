// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "common/types.hpp"

namespace tombola::impl::cpu {

// The lowest row that any thread has found to be wrong.
class LowestRow {
  public:
    void report(dim_t row) {
        dim_t lowest = row_.load(std::memory_order_relaxed);
        while (row < lowest &&
               !row_.compare_exchange_weak(lowest, row, std::memory_order_relaxed)) {
        }
    }
    bool any() const { return row() != kNone; }
    dim_t row() const { return row_.load(std::memory_order_relaxed); }

  private:
    static constexpr dim_t kNone = INT64_MAX;
    std::atomic<dim_t> row_{kNone};
};

}  // namespace tombola::impl::cpu
