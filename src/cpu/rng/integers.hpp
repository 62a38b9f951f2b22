// SPDX-License-Identifier: Apache-2.0
#pragma once

// Integers in [MIN, MAX) by remainder, as TensorFlow and PyTorch draw them:  x mod (MAX - MIN) + MIN. The difference
// and the sum are taken modulo 2^32 or 2^64, so every range of a type is served.

#include <cstdint>
#include <type_traits>

#include "common/types.hpp"
#include "cpu/rng/bounds.hpp"

namespace tombola::impl::cpu {

template <class T>
class IntegerRange {
  public:
    using Unsigned = std::make_unsigned_t<T>;
    explicit IntegerRange(const Bounds<T>& bounds)
        : min_(static_cast<Unsigned>(bounds.min)),
          range_(static_cast<Unsigned>(bounds.max) - min_) {}

    // The range from 0 to the greatest value of the type.
    static IntegerRange full() { return IntegerRange(0, Unsigned{1} << (sizeof(T) * 8 - 1)); }

    // The integer of the bits x. Bits is u32 if the rule draws one word, u64 if it draws two.
    template <class Bits>
    T value(Bits x) const {
        return static_cast<T>(static_cast<Unsigned>(x % range_) + min_);
    }
    Unsigned min() const { return min_; }
    Unsigned range() const { return range_; }

  private:
    IntegerRange(Unsigned min, Unsigned range) : min_(min), range_(range) {}

    Unsigned min_, range_;
};

// How many words PyTorch draws for an integer: 1 or 2. Its releases differ, so the descriptor names the rule
// (doc/random_uniform.md).
template <class T>
int words_per_integer(const Bounds<T>& bounds, IntDraws rule) {
    constexpr int64_t kMaxWord = 0xFFFFFFFF;
    constexpr bool k64 = sizeof(T) == 8;
    const auto range = IntegerRange<T>(bounds).range();
    bool wide = false;
    switch (rule) {
        case IntDraws::spec:
            wide = k64 && !(bounds.min <= kMaxWord && bounds.max <= kMaxWord);
            break;
        case IntDraws::torch1:
            wide = k64 && range > static_cast<uint64_t>(kMaxWord);
            break;
        case IntDraws::torch2:
            wide = range >= uint32_t{1} << 28;
            break;
    }
    return wide ? 2 : 1;
}

}  // namespace tombola::impl::cpu
