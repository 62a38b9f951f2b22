// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment pytorch: from one or two words of MT19937 to values, as PyTorch's CPU generator does it (Tensor.uniform_
// and Tensor.random_; doc/random_uniform.md).
//
//     float types   value = fma(u, MAX - MIN, MIN); u in [0, 1) has as many bits as the type has digits
//     integers      value = x mod (MAX - MIN) + MIN, modulo 2^32 or 2^64
//     full range    value = x mod 2^31 for s32, of one word, and x mod 2^63 for s64, of two
//
// MAX - MIN is rounded to the type. f16 and bf16 are computed in f32 and rounded at the end. Of two words the first is
// the high half.
//
// By the rule torch2, f16 and bf16 take u of 24 bits, and MAX - MIN is an f32 number. A value of any float type that is
// MAX after it was rounded to the type becomes MIN.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "common/implementation.hpp"
#include "common/primitives/random_uniform.hpp"
#include "common/status.hpp"
#include "common/types.hpp"
#include "cpu/float16.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/rng/integers.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

template <class T, bool integral = std::is_integral_v<T>>
class PytorchConvert {
  public:
    using Format = FloatFormat<T>;
    using Compute = typename Format::Compute;

    static Result<PytorchConvert> resolve(const ExecContext& context,
                                          const RandomUniformDesc& desc) {
        const Bounds<T> bounds = TOMBOLA_TRY(resolve_bounds<T>(context));
        return PytorchConvert(bounds, desc.float_draws);
    }
    PytorchConvert(const Bounds<T>& bounds, FloatDraws rule)
        : rule_(rule),
          minimum_(Format::widen(bounds.min)),
          maximum_(Format::widen(bounds.max)),
          range_(rule == FloatDraws::torch1 ? range_of(bounds) : maximum_ - minimum_) {}

    static constexpr int words() { return std::is_same_v<T, double> ? 2 : 1; }
    // The bits of u.
    static constexpr int digits(FloatDraws rule) {
        constexpr int kComputed = FloatFormat<Compute>::kDigits;
        return rule == FloatDraws::torch1 ? Format::kDigits : kComputed;
    }
    T value(uint64_t bits) const {
        if (rule_ == FloatDraws::torch1) return Format::round(computed<FloatDraws::torch1>(bits));
        const T value = Format::round(computed<FloatDraws::torch2>(bits));
        return Format::widen(value) == maximum_ ? Format::round(minimum_) : value;
    }
    Compute minimum() const { return minimum_; }
    Compute maximum() const { return maximum_; }
    Compute range() const { return range_; }

  private:
    template <FloatDraws rule>
    Compute computed(uint64_t bits) const {
        if constexpr (std::is_same_v<Compute, double>)
            return std::fma(unit_f64<digits(rule)>(bits), range_, minimum_);
        else
            return std::fma(unit_f32<digits(rule)>(static_cast<uint32_t>(bits)), range_, minimum_);
    }

    FloatDraws rule_;
    Compute minimum_, maximum_, range_;
};

template <class T>
class PytorchConvert<T, true> {
  public:
    static Result<PytorchConvert> resolve(const ExecContext& context,
                                          const RandomUniformDesc& desc) {
        if (desc.full_range) return PytorchConvert(IntegerRange<T>::full(), sizeof(T) / 4);
        const Bounds<T> bounds = TOMBOLA_TRY(resolve_bounds<T>(context));
        return PytorchConvert(bounds, desc.int_draws);
    }
    PytorchConvert(const Bounds<T>& bounds, IntDraws rule)
        : PytorchConvert(IntegerRange<T>(bounds), words_per_integer(bounds, rule)) {}

    int words() const { return words_; }
    T value(uint64_t bits) const { return range_.value(bits); }
    const IntegerRange<T>& range() const { return range_; }

  private:
    PytorchConvert(const IntegerRange<T>& range, int words) : range_(range), words_(words) {}

    IntegerRange<T> range_;
    int words_;
};

}  // namespace tombola::impl::cpu
