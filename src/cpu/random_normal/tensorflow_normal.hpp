// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment tensorflow: from a Philox block to normal numbers, as TensorFlow's kernels do it (the transform of Box and
// Muller; doc/random_normal.md).
//
//   f32          words x0 x1 x2 x3: four values, two of (x0, x1), two of (x2, x3)
//                  u = max(u23(x0), 1e-7),  a = 2 pi * u23(x1),  R = sqrt(-2 ln u)      sin a * R, cos a * R
//   f16, bf16    these four values, rounded to the type
//   f64          two values: u = max(u52(x0, x1), 1e-7),  a = 2 pi * u52(x2, x3)
//
// Then value * STD + MEAN, each operation rounded to the type.

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "cpu/maths/ln.hpp"
#include "cpu/maths/ln_f32.hpp"
#include "cpu/maths/sin_cos.hpp"
#include "cpu/random_normal/moments.hpp"
#include "cpu/rng/philox.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

inline constexpr double kTensorflowMinUniform = 1e-7;

template <class T>
class TensorflowNormal {
  public:
    using Type = FloatFormat<T>;
    using Compute = typename Type::Compute;
    // Values of a block of four words.
    static constexpr int kBlockValues = std::is_same_v<T, double> ? 2 : 4;

    explicit TensorflowNormal(const Moments<T>& moments) : moments_(moments) {}

    void block(const PhiloxBlock& x, T* to) const {
        if constexpr (std::is_same_v<T, double>) {
            pair(u52(x[0], x[1]), kTwoPi * u52(x[2], x[3]), to);
        } else {
            pair(u23(x[0]), static_cast<float>(kTwoPi * u23(x[1])), to);
            pair(u23(x[2]), static_cast<float>(kTwoPi * u23(x[3])), to + 2);
        }
    }

  private:
    void pair(Compute u, Compute angle, T* to) const {
        const Compute radius =
            std::sqrt(Compute{-2} * ln(std::max(u, static_cast<Compute>(kTensorflowMinUniform))));
        const SinCos<Compute> direction = sin_cos(angle);
        to[0] = scale(direction.sin * radius);
        to[1] = scale(direction.cos * radius);
    }
    // Each operation is rounded to the type.
    T scale(Compute value) const {
        const auto rounded = [](Compute x) { return Type::widen(Type::round(x)); };
        const Compute product = rounded(rounded(value) * moments_.std);
        return Type::round(product + moments_.mean);
    }

    Moments<T> moments_;
};

}  // namespace tombola::impl::cpu
