// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment tensorflow: from Philox words to values, as the specification has it.
//
//     float types   value = u * (MAX - MIN) + MIN, each operation rounded to the type;
//                   u in [0, 1) has as many bits as the type has behind its leading one
//     integers      value = x mod (MAX - MIN) + MIN, modulo 2^32 or 2^64
//
// f64 and s64 take two words. The first word is the high half of f64's bits, the second that of s64's.

#include <cstdint>

#include "cpu/float16.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/rng/integers.hpp"
#include "cpu/rng/unit.hpp"

namespace tombola::impl::cpu {

template <class T>
class TensorflowConvert;  // kWords, and T operator()(const uint32_t words[kWords]) const

template <>
class TensorflowConvert<float> {
  public:
    static constexpr int kWords = 1;
    explicit TensorflowConvert(const Bounds<float>& bounds)
        : range_(bounds.max - bounds.min), min_(bounds.min) {}
    float operator()(const uint32_t* words) const { return u23(words[0]) * range_ + min_; }

  private:
    float range_, min_;
};

template <>
class TensorflowConvert<double> {
  public:
    static constexpr int kWords = 2;
    explicit TensorflowConvert(const Bounds<double>& bounds)
        : range_(bounds.max - bounds.min), min_(bounds.min) {}
    double operator()(const uint32_t* words) const {
        return u52(words[0], words[1]) * range_ + min_;
    }

  private:
    double range_, min_;
};

template <>
class TensorflowConvert<Float16> {
  public:
    static constexpr int kWords = 1;
    explicit TensorflowConvert(const Bounds<Float16>& bounds)
        : range_(to_f32(to_f16(to_f32(bounds.max) - to_f32(bounds.min)))),
          min_(to_f32(bounds.min)) {}
    Float16 operator()(const uint32_t* words) const {
        return to_f16(to_f32(to_f16(unit_f32<10>(words[0]) * range_)) + min_);
    }

  private:
    float range_, min_;
};

template <>
class TensorflowConvert<BFloat16> {
  public:
    static constexpr int kWords = 1;
    explicit TensorflowConvert(const Bounds<BFloat16>& bounds)
        : range_(to_f32(to_bf16(to_f32(bounds.max) - to_f32(bounds.min)))),
          min_(to_f32(bounds.min)) {}
    BFloat16 operator()(const uint32_t* words) const {
        return to_bf16(to_f32(to_bf16(unit_f32<7>(words[0]) * range_)) + min_);
    }

  private:
    float range_, min_;
};

template <>
class TensorflowConvert<int32_t> {
  public:
    static constexpr int kWords = 1;
    explicit TensorflowConvert(const Bounds<int32_t>& bounds) : range_(bounds) {}
    int32_t operator()(const uint32_t* words) const { return range_.value(words[0]); }

  private:
    IntegerRange<int32_t> range_;
};

template <>
class TensorflowConvert<int64_t> {
  public:
    static constexpr int kWords = 2;
    explicit TensorflowConvert(const Bounds<int64_t>& bounds) : range_(bounds) {}
    int64_t operator()(const uint32_t* words) const {
        return range_.value(join_words(words[1], words[0]));
    }

  private:
    IntegerRange<int64_t> range_;
};

}  // namespace tombola::impl::cpu
