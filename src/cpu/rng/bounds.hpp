// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arguments MIN and MAX of one execution. Their values are known only at execution, so they are checked here: both
// are finite,
// MIN < MAX, and for floating point MAX - MIN, rounded to the type, finite. Every range of an integer type is
// served: MAX - MIN is taken modulo 2^32 or 2^64.

#include <cinttypes>
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

inline Status check_bounds(double min, double max, bool finite_range) {
    if (!std::isfinite(min)) return invalid("MIN is %.9g; expected a finite number", min);
    if (!std::isfinite(max)) return invalid("MAX is %.9g; expected a finite number", max);
    if (!(min < max)) return invalid("MIN is %.9g and MAX is %.9g; expected MIN < MAX", min, max);
    if (!finite_range)
        return invalid("MAX - MIN is infinite for MIN %.9g and MAX %.9g; expected a finite range",
                       min, max);
    return {};
}

inline Status check(const Bounds<float>& b) {
    return check_bounds(b.min, b.max, std::isfinite(b.max - b.min));
}
inline Status check(const Bounds<double>& b) {
    return check_bounds(b.min, b.max, std::isfinite(b.max - b.min));
}
inline Status check(const Bounds<Float16>& b) {
    const float min = to_f32(b.min), max = to_f32(b.max);
    return check_bounds(min, max, std::isfinite(to_f32(to_f16(max - min))));
}
inline Status check(const Bounds<BFloat16>& b) {
    const float min = to_f32(b.min), max = to_f32(b.max);
    return check_bounds(min, max, std::isfinite(to_f32(to_bf16(max - min))));
}
template <class Int, class = std::enable_if_t<std::is_integral_v<Int>>>
Status check(const Bounds<Int>& b) {
    if (b.min < b.max) return {};
    return invalid("MIN is %" PRId64 " and MAX is %" PRId64 "; expected MIN < MAX",
                   static_cast<int64_t>(b.min), static_cast<int64_t>(b.max));
}

template <class T>
Result<Bounds<T>> resolve_bounds(const ExecContext& context) {
    const Bounds<T> bounds{*context.input<T>(TOMBOLA_ARG_MIN), *context.input<T>(TOMBOLA_ARG_MAX)};
    TOMBOLA_TRY(check(bounds));
    return bounds;
}

}  // namespace tombola::impl::cpu
