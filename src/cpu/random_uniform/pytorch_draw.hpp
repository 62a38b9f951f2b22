// SPDX-License-Identifier: Apache-2.0
#pragma once

// How PyTorch's CPU generator makes a value of a type from one or two words of MT19937 (Tensor.uniform_ and
// Tensor.random_; doc/random_uniform.md).
//
//     floating point   v = (bits mod 2^d) * 2^-d, d the type's digits;  value = fma(v, max - min, min)
//     integers         value = bits mod (max - min) + min, wrapping
//
// where bits is one word, or for f64 and wide integers (first << 32 | second), and max - min is rounded to the
// type. f16 and bf16 are computed in f32 and rounded at the end.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "common/types.hpp"
#include "cpu/float16.hpp"
#include "cpu/random_uniform/bounds.hpp"

namespace tombola::impl::cpu {

// The type a value is computed in, and its digits (the leading bit counted).
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
class PytorchDraw {
  public:
    using Type = PytorchFloat<T>;
    using Compute = typename Type::Compute;

    PytorchDraw(const Bounds<T>& bounds, IntDraws)
        : minimum_(Type::widen(bounds.min)),
          range_(Type::widen(Type::round(Type::widen(bounds.max) - minimum_))) {}

    static constexpr int words() { return std::is_same_v<T, double> ? 2 : 1; }
    T value(uint64_t bits) const {
        const uint64_t low = bits & ((uint64_t{1} << Type::kDigits) - 1);
        const Compute v = static_cast<Compute>(low) * kUnit;
        return Type::round(std::fma(v, range_, minimum_));
    }

    static constexpr Compute kUnit =
        Compute{1} / static_cast<Compute>(uint64_t{1} << Type::kDigits);  // 2^-d
    Compute minimum() const { return minimum_; }
    Compute range() const { return range_; }

  private:
    Compute minimum_, range_;
};

template <class T>
class PytorchDraw<T, true> {
  public:
    using Unsigned = std::make_unsigned_t<T>;

    PytorchDraw(const Bounds<T>& bounds, IntDraws rule)
        : minimum_(static_cast<Unsigned>(bounds.min)),
          range_(static_cast<Unsigned>(bounds.max) - minimum_),
          words_(is_wide(bounds, rule) ? 2 : 1) {}

    int words() const { return words_; }
    T value(uint64_t bits) const {
        return static_cast<T>(static_cast<Unsigned>(bits % range_) + minimum_);
    }
    Unsigned minimum() const { return minimum_; }
    Unsigned range() const { return range_; }

  private:
    bool is_wide(const Bounds<T>& bounds, IntDraws rule) const {
        constexpr int64_t kMaxWord = 0xFFFFFFFF;
        constexpr bool k64 = sizeof(T) == 8;
        switch (rule) {
            case IntDraws::spec:
                return k64 && !(bounds.min <= kMaxWord && bounds.max <= kMaxWord);
            case IntDraws::torch1:
                return k64 && range_ > static_cast<uint64_t>(kMaxWord);
            case IntDraws::torch2:
                return range_ >= Unsigned{1} << 28;
        }
        return false;
    }

    Unsigned minimum_, range_;
    int words_;
};

}  // namespace tombola::impl::cpu
