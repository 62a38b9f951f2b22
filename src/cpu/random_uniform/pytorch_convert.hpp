// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment pytorch: from one or two words of MT19937 to values, as PyTorch's CPU generator does it (Tensor.uniform_ and
// Tensor.random_; doc/random_uniform.md).
//
//     float types   value = fma(u, MAX - MIN, MIN); u in [0, 1) has as many bits as the type has digits
//     integers      value = x mod (MAX - MIN) + MIN, modulo 2^32 or 2^64
//
// MAX - MIN is rounded to the type. f16 and bf16 are computed in f32 and rounded at the end. Of two words the first is
// the high half.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "common/types.hpp"
#include "cpu/float16.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/rng/integers.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

// The type that a value is computed in, and its digits (the leading bit counted).
template <class T>
struct PytorchFloat;
template <>
struct PytorchFloat<float> {
    using Compute = float;
    static constexpr int kDigits = 24;
    static float widen(float value) { return value; }
    static float round(float value) { return value; }
};
template <>
struct PytorchFloat<double> {
    using Compute = double;
    static constexpr int kDigits = 53;
    static double widen(double value) { return value; }
    static double round(double value) { return value; }
};
template <>
struct PytorchFloat<Float16> {
    using Compute = float;
    static constexpr int kDigits = 11;
    static float widen(Float16 value) { return to_f32(value); }
    static Float16 round(float value) { return to_f16(value); }
};
template <>
struct PytorchFloat<BFloat16> {
    using Compute = float;
    static constexpr int kDigits = 8;
    static float widen(BFloat16 value) { return to_f32(value); }
    static BFloat16 round(float value) { return to_bf16(value); }
};

template <class T, bool integral = std::is_integral_v<T>>
class PytorchConvert {
  public:
    using Type = PytorchFloat<T>;
    using Compute = typename Type::Compute;

    PytorchConvert(const Bounds<T>& bounds, IntDraws)
        : minimum_(Type::widen(bounds.min)),
          range_(Type::widen(Type::round(Type::widen(bounds.max) - minimum_))) {}

    static constexpr int words() { return std::is_same_v<T, double> ? 2 : 1; }
    T value(uint64_t bits) const {
        if constexpr (std::is_same_v<Compute, double>)
            return std::fma(unit_f64<Type::kDigits>(bits), range_, minimum_);
        else
            return Type::round(
                std::fma(unit_f32<Type::kDigits>(static_cast<uint32_t>(bits)), range_, minimum_));
    }
    Compute minimum() const { return minimum_; }
    Compute range() const { return range_; }

  private:
    Compute minimum_, range_;
};

template <class T>
class PytorchConvert<T, true> {
  public:
    PytorchConvert(const Bounds<T>& bounds, IntDraws rule)
        : range_(bounds), words_(words_per_integer(bounds, rule)) {}

    int words() const { return words_; }
    T value(uint64_t bits) const { return range_.value(bits); }
    const IntegerRange<T>& range() const { return range_; }

  private:
    IntegerRange<T> range_;
    int words_;
};

}  // namespace tombola::impl::cpu
