// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment tensorflow: from Philox words to values, as the specification defines it.
//
//     float types   value = u * (MAX - MIN) + MIN, each operation rounded to the type;
//                   u in [0, 1) has as many bits as the type stores of its significand
//     integers      value = x mod (MAX - MIN) + MIN, modulo 2^32 or 2^64
//
// f64 and s64 take two words. The first word is the high half of f64's bits, the second that of s64's.

#include <cstdint>
#include <type_traits>

#include "cpu/float16.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/rng/integers.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

template <class T, bool integral = std::is_integral_v<T>>
class TensorflowConvert {
  public:
    static constexpr int kWords = sizeof(T) == 8 ? 2 : 1;
    explicit TensorflowConvert(const Bounds<T>& bounds)
        : range_(range_of(bounds)), min_(Format::widen(bounds.min)) {}
    T operator()(const uint32_t* words) const {
        return Format::round(Format::widen(Format::round(unit(words) * range_)) + min_);
    }

  private:
    using Format = FloatFormat<T>;
    using Compute = typename Format::Compute;

    static Compute unit(const uint32_t* words) {
        if constexpr (kWords == 2)
            return u52(words[0], words[1]);
        else
            return unit_f32<Format::kDigits - 1>(words[0]);
    }

    Compute range_, min_;
};

template <class T>
class TensorflowConvert<T, true> {
  public:
    static constexpr int kWords = sizeof(T) == 8 ? 2 : 1;
    explicit TensorflowConvert(const Bounds<T>& bounds) : range_(bounds) {}
    T operator()(const uint32_t* words) const {
        if constexpr (kWords == 2)
            return range_.value(join_words(words[1], words[0]));
        else
            return range_.value(words[0]);
    }

  private:
    IntegerRange<T> range_;
};

}  // namespace tombola::impl::cpu
