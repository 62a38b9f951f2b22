// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arguments MEAN and STD of one execution. Their values are known only at execution, so they are checked here: both
// are finite, and STD is at least 0. They are 0 and 1 if absent.

#include <cmath>

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/float16.hpp"

namespace tombola::impl::cpu {

// The time that plain C++ takes for a normal number. Measured on Sapphire Rapids alone.
inline constexpr double kPortableNormalNanoseconds = 20;

inline constexpr double kTwoPi = 0x1.921fb54442d18p+2;

// Both are values of type T, widened to the arithmetic type.
template <class T>
struct Moments {
    typename FloatFormat<T>::Compute mean, std;
};

template <class T>
Result<Moments<T>> resolve_moments(const ExecContext& context) {
    Moments<T> moments{0, 1};
    if (const auto* mean = context.input<T>(TOMBOLA_ARG_MEAN))
        moments.mean = FloatFormat<T>::widen(*mean);
    if (const auto* std = context.input<T>(TOMBOLA_ARG_STD))
        moments.std = FloatFormat<T>::widen(*std);
    if (!std::isfinite(moments.mean))
        return invalid("MEAN is %s; expected a finite number", digits(moments.mean).c_str());
    if (!std::isfinite(moments.std) || moments.std < 0)
        return invalid("STD is %s; expected a finite number of at least 0",
                       digits(moments.std).c_str());
    return moments;
}

}  // namespace tombola::impl::cpu
