// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment tensorflow: from Philox words to values, as the specification has it.
//
//     float types   x = (the low bits of the word, under the exponent of 1.0) - 1       in [0, 1)
//                   value = x * (MAX - MIN) + MIN, each operation rounded to the type
//     integers      value = word % (MAX - MIN) + MIN, modulo 2^32 or 2^64
//
// f64 takes two words, of which the first is the high half; s64 takes two, of which the second is.

#include <cstdint>

#include "cpu/float16.hpp"
#include "cpu/random_uniform/bounds.hpp"

namespace tombola::impl::cpu {

template <class T>
class TensorflowConvert;  // kWords, and T operator()(const uint32_t words[kWords]) const

template <>
class TensorflowConvert<float> {
  public:
    static constexpr int kWords = 1;
    explicit TensorflowConvert(Bounds<float> bounds)
        : range_(bounds.max - bounds.min), min_(bounds.min) {}
    float operator()(const uint32_t* words) const {
        const float unit = bit_cast<float>(0x3F800000 | (words[0] & 0x7FFFFF)) - 1.0f;
        return unit * range_ + min_;
    }

  private:
    float range_, min_;
};

template <>
class TensorflowConvert<double> {
  public:
    static constexpr int kWords = 2;
    explicit TensorflowConvert(Bounds<double> bounds)
        : range_(bounds.max - bounds.min), min_(bounds.min) {}
    double operator()(const uint32_t* words) const {
        const uint64_t fraction = uint64_t{words[0] & 0xFFFFF} << 32 | words[1];
        const double unit = bit_cast<double>(uint64_t{0x3FF} << 52 | fraction) - 1.0;
        return unit * range_ + min_;
    }

  private:
    double range_, min_;
};

// x is exact in f32 and in the type: the fraction's bits are all that the type has.
template <>
class TensorflowConvert<Float16> {
  public:
    static constexpr int kWords = 1;
    explicit TensorflowConvert(Bounds<Float16> bounds)
        : range_(to_f32(to_f16(to_f32(bounds.max) - to_f32(bounds.min)))),
          min_(to_f32(bounds.min)) {}
    Float16 operator()(const uint32_t* words) const {
        const Float16 one_to_two{static_cast<uint16_t>(0x3C00 | (words[0] & 0x3FF))};
        const float unit = to_f32(one_to_two) - 1.0f;
        return to_f16(to_f32(to_f16(unit * range_)) + min_);
    }

  private:
    float range_, min_;
};

template <>
class TensorflowConvert<BFloat16> {
  public:
    static constexpr int kWords = 1;
    explicit TensorflowConvert(Bounds<BFloat16> bounds)
        : range_(to_f32(to_bf16(to_f32(bounds.max) - to_f32(bounds.min)))),
          min_(to_f32(bounds.min)) {}
    BFloat16 operator()(const uint32_t* words) const {
        const BFloat16 one_to_two{static_cast<uint16_t>(0x3F80 | (words[0] & 0x7F))};
        const float unit = to_f32(one_to_two) - 1.0f;
        return to_bf16(to_f32(to_bf16(unit * range_)) + min_);
    }

  private:
    float range_, min_;
};

template <>
class TensorflowConvert<int32_t> {
  public:
    static constexpr int kWords = 1;
    explicit TensorflowConvert(Bounds<int32_t> bounds)
        : range_(static_cast<uint32_t>(bounds.max) - static_cast<uint32_t>(bounds.min)),
          min_(static_cast<uint32_t>(bounds.min)) {}
    int32_t operator()(const uint32_t* words) const {
        return static_cast<int32_t>(words[0] % range_ + min_);
    }

  private:
    uint32_t range_, min_;
};

template <>
class TensorflowConvert<int64_t> {
  public:
    static constexpr int kWords = 2;
    explicit TensorflowConvert(Bounds<int64_t> bounds)
        : range_(static_cast<uint64_t>(bounds.max) - static_cast<uint64_t>(bounds.min)),
          min_(static_cast<uint64_t>(bounds.min)) {}
    int64_t operator()(const uint32_t* words) const {
        const uint64_t x = uint64_t{words[1]} << 32 | words[0];
        return static_cast<int64_t>(x % range_ + min_);
    }

  private:
    uint64_t range_, min_;
};

}  // namespace tombola::impl::cpu
