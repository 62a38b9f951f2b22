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

template <class T, bool integral = std::is_integral_v<T>>
class PytorchConvert {
  public:
    using Format = FloatFormat<T>;
    using Compute = typename Format::Compute;

    PytorchConvert(const Bounds<T>& bounds, IntDraws)
        : minimum_(Format::widen(bounds.min)), range_(range_of(bounds)) {}

    static constexpr int words() { return std::is_same_v<T, double> ? 2 : 1; }
    T value(uint64_t bits) const {
        if constexpr (std::is_same_v<Compute, double>)
            return std::fma(unit_f64<Format::kDigits>(bits), range_, minimum_);
        else
            return Format::round(
                std::fma(unit_f32<Format::kDigits>(static_cast<uint32_t>(bits)), range_, minimum_));
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
