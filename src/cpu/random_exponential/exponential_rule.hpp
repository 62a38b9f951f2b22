// SPDX-License-Identifier: Apache-2.0
#pragma once

// The numbers of random_exponential, as doc/random_exponential.md defines them. E = -ln(1 - u) is computed in f64
// (cpu/maths/ln.hpp) for every type.
//
//     pytorch      u53 of two words          value = (1 / LAMBDA) * E
//     tensorflow   u23 of a word; f64: u52   value = E / LAMBDA
//
// The value is rounded to f32 for f16, bf16 and f32, then to the type.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "common/implementation.hpp"
#include "common/status.hpp"
#include "cpu/float16.hpp"
#include "cpu/maths/ln.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

constexpr int exponential_words(Alignment alignment, DataType type) {
    return alignment == Alignment::pytorch || type == DataType::f64 ? 2 : 1;
}

// The argument LAMBDA; 1 if it is absent.
inline Result<double> resolve_lambda(const ExecContext& context) {
    const auto* lambda = context.input<double>(TOMBOLA_ARG_LAMBDA);
    if (lambda == nullptr) return 1.0;
    if (!(*lambda > 0) || !std::isfinite(*lambda) || !std::isfinite(1 / *lambda))
        return invalid("LAMBDA is %s; expected a finite number above 0 with a finite reciprocal",
                       digits(*lambda).c_str());
    return *lambda;
}

inline double to_element(double value, double) { return value; }
inline float to_element(double value, float) { return static_cast<float>(value); }
inline Float16 to_element(double value, Float16) { return to_f16(static_cast<float>(value)); }
inline BFloat16 to_element(double value, BFloat16) { return to_bf16(static_cast<float>(value)); }

// +0 for u = 0.
inline double standard_exponential(double u) { return 0.0 - log1p_of_minus(u); }

template <class T>
T pytorch_exponential(const uint32_t* words, double lambda) {
    return to_element(1.0 / lambda * standard_exponential(u53(words[0], words[1])), T{});
}

template <class T>
T tensorflow_exponential(const uint32_t* words, double lambda) {
    double u = 0;
    if constexpr (std::is_same_v<T, double>)
        u = u52(words[0], words[1]);
    else
        u = u23(words[0]);
    return to_element(standard_exponential(u) / lambda, T{});
}

}  // namespace tombola::impl::cpu
