// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tombola::impl::cpu::x64 {

// Computes `count` elements with a kernel that computes whole steps: a step has `step` elements of `element_bytes` bytes each, at most 256
// bytes together. convert(at, steps, to) writes the elements of `steps` steps, the first of which is element `at`. A partial last step is
// computed in a buffer, and its elements are copied.
template <class Convert>
void convert_by_steps(int64_t count, int64_t step, size_t element_bytes, void* to,
                      const Convert& convert) {
    constexpr size_t kMaxStepBytes = 256;
    const int64_t steps = count / step, whole = steps * step;
    if (steps > 0) convert(int64_t{0}, steps, to);
    if (whole == count) return;
    alignas(64) char last[kMaxStepBytes];
    assert(static_cast<size_t>(step) * element_bytes <= sizeof last);
    convert(whole, int64_t{1}, static_cast<void*>(last));
    std::memcpy(static_cast<char*>(to) + static_cast<size_t>(whole) * element_bytes, last,
                static_cast<size_t>(count - whole) * element_bytes);
}

}  // namespace tombola::impl::cpu::x64
