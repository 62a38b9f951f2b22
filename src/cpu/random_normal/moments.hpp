// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arguments MEAN and STD of one execution. Their values are known only at execution, so they are checked here: both
// are finite, and STD is at least 0. They are 0 and 1 if absent.

#include <cmath>

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/float16.hpp"

namespace tombola::impl::cpu {

inline constexpr double kTwoPi = 0x1.921fb54442d18p+2;

// What the types of random_normal have in common: the arithmetic type, and the rounding to the type.
template <class T>
struct NormalType;
template <>
struct NormalType<float> {
    using Compute = float;
    static float widen(float value) { return value; }
    static float round(float value) { return value; }
};
template <>
struct NormalType<double> {
    using Compute = double;
    static double widen(double value) { return value; }
    static double round(double value) { return value; }
};
template <>
struct NormalType<Float16> {
    using Compute = float;
    static float widen(Float16 value) { return to_f32(value); }
    static Float16 round(float value) { return to_f16(value); }
};
template <>
struct NormalType<BFloat16> {
    using Compute = float;
    static float widen(BFloat16 value) { return to_f32(value); }
    static BFloat16 round(float value) { return to_bf16(value); }
};

// Both are values of type T, widened to the arithmetic type.
template <class T>
struct Moments {
    typename NormalType<T>::Compute mean, std;
};

template <class T>
Result<Moments<T>> resolve_moments(const ExecContext& context) {
    Moments<T> moments{0, 1};
    if (const auto* mean = context.input<T>(TOMBOLA_ARG_MEAN))
        moments.mean = NormalType<T>::widen(*mean);
    if (const auto* std = context.input<T>(TOMBOLA_ARG_STD))
        moments.std = NormalType<T>::widen(*std);
    if (!std::isfinite(moments.mean))
        return invalid("MEAN is %.9g; expected a finite number", static_cast<double>(moments.mean));
    if (!std::isfinite(moments.std) || moments.std < 0)
        return invalid("STD is %.9g; expected a finite number of at least 0",
                       static_cast<double>(moments.std));
    return moments;
}

}  // namespace tombola::impl::cpu
