// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arguments MIN and MAX of one execution. Their values are known only at execution, so they are checked here. MIN
// must be less than MAX. For floating point, MIN, MAX and MAX - MIN, rounded to the type, must be finite. Every range
// of an integer type is served, because MAX - MIN is computed modulo 2^32 or 2^64.

#include <cmath>
#include <type_traits>

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/float16.hpp"

namespace tombola::impl::cpu {

template <class T>
struct Bounds {
    T min, max;
};

// MAX - MIN of a floating-point type, rounded to it.
template <class T>
typename FloatFormat<T>::Compute range_of(const Bounds<T>& b) {
    using Format = FloatFormat<T>;
    return Format::widen(Format::round(Format::widen(b.max) - Format::widen(b.min)));
}

template <class T>
Status check(const Bounds<T>& b) {
    if constexpr (std::is_integral_v<T>) {
        if (b.min < b.max) return {};
        return invalid("MIN is %lld and MAX is %lld; expected MIN < MAX",
                       static_cast<int64_t>(b.min), static_cast<int64_t>(b.max));
    } else {
        const auto min = FloatFormat<T>::widen(b.min), max = FloatFormat<T>::widen(b.max);
        if (!std::isfinite(min))
            return invalid("MIN is %s; expected a finite number", digits(min).c_str());
        if (!std::isfinite(max))
            return invalid("MAX is %s; expected a finite number", digits(max).c_str());
        if (!(min < max))
            return invalid("MIN is %s and MAX is %s; expected MIN < MAX", digits(min).c_str(),
                           digits(max).c_str());
        if (!std::isfinite(range_of(b)))
            return invalid("MAX - MIN is infinite for MIN %s and MAX %s; expected a finite range",
                           digits(min).c_str(), digits(max).c_str());
        return {};
    }
}

template <class T>
Result<Bounds<T>> resolve_bounds(const ExecContext& context) {
    const Bounds<T> bounds{*context.input<T>(TOMBOLA_ARG_MIN), *context.input<T>(TOMBOLA_ARG_MAX)};
    TOMBOLA_TRY(check(bounds));
    return bounds;
}

}  // namespace tombola::impl::cpu
