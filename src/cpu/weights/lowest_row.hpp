// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "common/status.hpp"
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
    // The status of a refused row. `found` is the result of its second check, which succeeds only if the caller changed the tensors meanwhile.
    Status reason(Status found) const {
        if (!found.ok()) return found;
        return Status(StatusCode::runtime_error,
                      format("row %lld was refused and then accepted; expected inputs that do not "
                             "change during the execution",
                             row()));
    }

  private:
    static constexpr dim_t kNone = INT64_MAX;
    std::atomic<dim_t> row_{kNone};
};

// Whether a check of a row fails. The message of the check is discarded. A parallel region must not throw, so std::bad_alloc is caught.
// Checks allocate memory only for the message of a failure, so std::bad_alloc means that the row is refused.
template <class Check>
bool refuses(const Check& check) {
    try {
        return !check().ok();
    } catch (const std::bad_alloc&) {
        return true;
    }
}

}  // namespace tombola::impl::cpu
