// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment pytorch: from words of MT19937 to normal numbers, as PyTorch's CPU generator does it (Tensor.normal_; the
// transform of Box and Muller; doc/random_normal.md).
//
// 16 or more elements are made in blocks of 16. With v[0..16) the uniform numbers of a block, for j < 8,
//
//     R = sqrt(-2 ln(1 - v[j])),  a = 2 pi * v[j+8]
//     out[j] = R * cos a * STD + MEAN,  out[j+8] = R * sin a * STD + MEAN
//
//   f32          v = u24; ln, sin and cos in f32; the last product and the sum are one fma
//   f64          v = u53; the same in f64
//   f16, bf16    v has 11 or 8 bits; each operation is computed in f32 and rounded to the type, none is fused
//
// Fewer elements are made one after the other, in f64, from pairs of u53: NormalPairs.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cpu/maths/ln.hpp"
#include "cpu/maths/ln_f32.hpp"
#include "cpu/maths/sin_cos.hpp"
#include "cpu/random_normal/moments.hpp"
#include "cpu/rng/mt19937.hpp"
#include "cpu/rng/normal_state.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

inline constexpr int kNormalBlock = 16;

template <class T>
class PytorchNormal {
  public:
    using Type = FloatFormat<T>;
    using Compute = typename Type::Compute;
    static constexpr int kWords = std::is_same_v<T, double> ? 2 : 1;  // of a value
    // The type has fewer digits than its arithmetic, and each operation is rounded to the type.
    static constexpr bool kNarrow = !std::is_same_v<T, Compute>;

    explicit PytorchNormal(const Moments<T>& moments) : moments_(moments) {}

    // The next 16 values.
    void block(Mt19937& words, T* to) const {
        Compute v[kNormalBlock];
        for (Compute& value : v) value = uniform(words);
        constexpr int kHalf = kNormalBlock / 2;
        for (int j = 0; j < kHalf; ++j) {
            const Compute radius = rounded(std::sqrt(Compute{-2} * rounded(ln(Compute{1} - v[j]))));
            const SinCos<Compute> direction = sin_cos(angle(v[j + kHalf]));
            to[j] = scale(radius, direction.cos);
            to[j + kHalf] = scale(radius, direction.sin);
        }
    }

  private:
    static Compute uniform(Mt19937& words) {
        const uint32_t first = words.next();
        if constexpr (std::is_same_v<T, double>)
            return u53(first, words.next());
        else
            return unit_f32 < std::is_same_v<T, Float16> ? 11
                   : std::is_same_v<T, BFloat16>         ? 8
                                                         : 24 > (first);
    }
    static Compute rounded(Compute x) { return Type::widen(Type::round(x)); }
    // f32 takes 2 pi in f32. The others take it in f64.
    static Compute angle(Compute v) {
        if constexpr (std::is_same_v<T, float>)
            return static_cast<float>(kTwoPi) * v;
        else
            return rounded(static_cast<Compute>(kTwoPi * v));
    }
    T scale(Compute radius, Compute direction) const {
        const Compute value = rounded(radius * rounded(direction));
        if constexpr (kNarrow)
            return Type::round(rounded(value * moments_.std) + moments_.mean);
        else
            return std::fma(value, moments_.std, moments_.mean);
    }

    Moments<T> moments_;
};

// Normal numbers one after the other, in pairs: R * cos a, then R * sin a. With u1 and u2 the next two u53 of the
// stream, R = sqrt(-2 log1p(-u2)) and a = 2 pi * u1.
class NormalPairs {
  public:
    NormalPairs(Mt19937& words, KeptNormal kept) : words_(words), kept_(kept) {}

    double next() {
        if (kept_.valid) {
            kept_.valid = false;
            return kept_.value;
        }
        const double u1 = uniform(), u2 = uniform();
        const double radius = std::sqrt(-2.0 * log1p_of_minus(u2));
        const SinCos<double> direction = sin_cos(kTwoPi * u1);
        kept_ = {true, radius * direction.sin};
        return radius * direction.cos;
    }
    const KeptNormal& kept() const { return kept_; }

  private:
    double uniform() {
        const uint32_t first = words_.next();
        return u53(first, words_.next());
    }

    Mt19937& words_;
    KeptNormal kept_;
};

}  // namespace tombola::impl::cpu
