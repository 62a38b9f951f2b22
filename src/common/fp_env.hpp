// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results must not depend on the caller's rounding mode, flush-to-zero or denormals-are-zero settings: every
// execution, and every worker thread, runs under the default MXCSR and restores what was there.

#include <xmmintrin.h>

namespace tombola::impl {

class DefaultFpEnv {
  public:
    DefaultFpEnv() : saved_(_mm_getcsr()) {
        if (saved_ != kDefaultMxcsr) _mm_setcsr(kDefaultMxcsr);
    }
    // Exception flags that were raised meanwhile are dropped with the rest.
    ~DefaultFpEnv() { _mm_setcsr(saved_); }
    DefaultFpEnv(const DefaultFpEnv&) = delete;
    DefaultFpEnv& operator=(const DefaultFpEnv&) = delete;

  private:
    // Round to nearest even, no flushing, all exceptions masked, no flag raised (Intel SDM vol. 1, 10.2.3).
    static constexpr unsigned kDefaultMxcsr = 0x1F80;
    unsigned saved_;
};

}  // namespace tombola::impl
