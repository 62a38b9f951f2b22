// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment pytorch of random_uniform as conversions of the MT19937 kernels: for each output type and number of words a
// class with the parameters, how they follow from MIN and MAX (pack), and what becomes of the words (emit_value). The
// specification in scalar form is cpu/random_uniform/pytorch_convert.hpp.
//
//   floating point   value = fma(integer of the word's low bits, scale, minimum), in f32 for the 16-bit types
//   integers         value = x mod divisor + minimum, wrapping; x is one word, or two

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "cpu/float16.hpp"
#include "cpu/random_uniform/pytorch_convert.hpp"
#include "cpu/x64/rng/mt19937_generator.hpp"

namespace tombola::impl::cpu::x64 {

// PyTorch takes as many low bits as the type has digits: 11, 8, 24 and 53.
constexpr uint64_t k24Bits = 0x00FFFFFF'00FFFFFF;
constexpr Mt19937Shape pytorch_shape_of(Float16, bool torch2) {
    return torch2 ? Mt19937Shape{"f16_torch2", 1, 2, 10, k24Bits}
                  : Mt19937Shape{"f16", 1, 2, 4, 0x000007FF'000007FF};
}
constexpr Mt19937Shape pytorch_shape_of(BFloat16, bool torch2) {
    return torch2 ? Mt19937Shape{"bf16_torch2", 1, 2, 19, k24Bits}
                  : Mt19937Shape{"bf16", 1, 2, 10, 0x000000FF'000000FF};
}
constexpr Mt19937Shape pytorch_shape_of(float, bool torch2) {
    return {torch2 ? "f32_torch2" : "f32", 1, 4, torch2 ? 4 : 2, k24Bits};
}
constexpr Mt19937Shape pytorch_shape_of(double, bool torch2) {
    return {torch2 ? "f64_torch2" : "f64", 2, 8, torch2 ? 5 : 3, swapped_words_mask(53)};
}

template <class T, FloatDraws rule>
class PytorchFloatConversion : public Mt19937Generator {
  public:
    using Convert = PytorchConvert<T>;
    using Compute = typename Convert::Compute;
    static constexpr bool kTorch2 = rule == FloatDraws::torch2;
    static constexpr Mt19937Shape kShape = pytorch_shape_of(T{}, kTorch2);
    struct Parameters {
        alignas(8) Compute minimum, scale;  // scale: range * 2^-digits
        alignas(8) Compute maximum;         // torch2
    };
    static Compute scale_of(const Convert& convert) { return convert.range() * kUnit; }
    // The arithmetic is PyTorch's if the scale is exact. It is not exact only for ranges of subnormal size.
    static bool serves(const Convert& convert) {
        return scale_of(convert) / kUnit == convert.range();
    }
    static PackedParameters pack(const Convert& convert) {
        return PackedParameters(
            Parameters{convert.minimum(), scale_of(convert), convert.maximum()});
    }
    explicit PytorchFloatConversion(const Key& key) : Mt19937Generator(std::get<0>(key), kShape) {}

  private:
    static constexpr Compute kUnit =
        Compute{1} / static_cast<Compute>(uint64_t{1} << Convert::digits(rule));
    static constexpr int kMinimum = kParameter, kScale = kParameter + 1, kMaximum = kParameter + 2;

    void load_parameters() override {
        load_parameter(kMinimum, offsetof(Parameters, minimum), sizeof(Compute));
        load_parameter(kScale, offsetof(Parameters, scale), sizeof(Compute));
        if (kTorch2) load_parameter(kMaximum, offsetof(Parameters, maximum), sizeof(Compute));
    }
    void emit_value() override {
        const Vec y = vec(kValue);
        if constexpr (sizeof(Compute) == 8) {
            cvt_swapped_u53_to_f64(y, y, vec(kT0));
            vfmadd213pd(y, vec(kScale), vec(kMinimum));
        } else {
            vcvtdq2ps(y, y);
            vfmadd213ps(y, vec(kScale), vec(kMinimum));
        }
        if (kTorch2) emit_excluded_maximum();
    }
    // Replaces MAX by MIN. No value is above MAX. Values of 16-bit types are rounded to their type first, but stay f32.
    void emit_excluded_maximum() {
        const Vec y = vec(kValue);
        const Mask equal{k1, vec(kT1)};
        if constexpr (sizeof(Compute) == 8) {
            compare_f64(equal, y, vec(kMaximum), kGreaterEqual);
            return select_masked_u64(y, equal, vec(kMinimum));
        }
        if constexpr (std::is_same_v<T, Float16>) {
            cvt_f32_to_f16(half(kValue), y);
            cvt_f16_to_f32(y, half(kValue));
        } else if constexpr (std::is_same_v<T, BFloat16>) {
            round_f32_to_bf16(y, y, vec(kT0));
            vpslld(y, y, 16);
        }
        compare_f32(equal, y, vec(kMaximum), kGreaterEqual);
        select_masked_u32(y, equal, vec(kMinimum));
    }
    void emit_store(int at, bool streaming) override {
        const Vec y = vec(kValue);
        if constexpr (std::is_same_v<T, Float16>) {
            cvt_f32_to_f16(half(kValue), y);
            emit_put(at, half(kValue), streaming);
        } else if constexpr (std::is_same_v<T, BFloat16>) {
            round_f32_to_bf16(y, y, vec(kT0));
            narrow_u32(half(kValue), y);
            emit_put(at, half(kValue), streaming);
        } else {
            emit_put(at, y, streaming);
        }
    }
};

// The parameters for integers. `reciprocal` is floor((2^32 - 1) / divisor), or floor((2^64 - 1) / divisor) for two
// words. A divisor and a reciprocal of 0 leave the word as it is.
struct PytorchIntegerParameters {
    uint64_t minimum;
    alignas(16) uint64_t divisor;
    uint64_t reciprocal;
};

// One word per value.
template <class T>
class PytorchWordConversion : public Mt19937Generator {
  public:
    using Parameters = PytorchIntegerParameters;
    static constexpr bool k64 = sizeof(T) == 8;
    static constexpr Mt19937Shape kShape{k64 ? "s64" : "s32", 1, sizeof(T), k64 ? 15 : 11};

    static PackedParameters pack(const PytorchConvert<T>& convert) {
        constexpr uint64_t kMaxWord = 0xFFFFFFFF;
        const uint64_t divisor = convert.range().range();
        Parameters p{convert.range().min(), 0, 0};
        if (divisor <= kMaxWord)
            // Otherwise every word is below the range.
            p = {p.minimum, divisor, kMaxWord / divisor};
        return PackedParameters(p);
    }
    explicit PytorchWordConversion(const Key& key) : Mt19937Generator(std::get<0>(key), kShape) {}

  private:
    static constexpr int kMinimum = kParameter, kDivisor = kParameter + 1,
                         kReciprocal = kParameter + 3;

    void load_parameters() override {
        load_parameter(kMinimum, offsetof(Parameters, minimum), sizeof(T));
        load_parameter(kDivisor, offsetof(Parameters, divisor), 4);
        load_parameter(kReciprocal, offsetof(Parameters, reciprocal), 4);
        set_odd_lanes(args());
    }
    // With m = floor((2^32 - 1) / d), 2^32 - m d <= d, so x/d - m x / 2^32 <= x / 2^32 < 1: the quotient
    //   q = floor(m x / 2^32)
    // is the true one or one less, and r = x - q d lies in [0, 2d) and does not exceed x.
    //   r mod d = min(r, r - d), unsigned: r - d wraps where r < d
    void emit_value() override {
        const Vec x = vec(kValue), even = vec(kT0), odd = vec(kT1);
        vpsrlq(odd, x, 32);
        vpmuludq(even, x, vec(kReciprocal));
        vpmuludq(odd, odd, vec(kReciprocal));
        vpsrlq(even, even, 32);
        blend_odd_u32(odd, even, odd);
        vpmulld(odd, odd, vec(kDivisor));
        vpsubd(x, x, odd);
        vpsubd(even, x, vec(kDivisor));
        vpminud(x, x, even);
        if (!k64) vpaddd(x, x, vec(kMinimum));
    }
    void emit_store(int at, bool streaming) override {
        if (!k64) return emit_put(at, vec(kValue), streaming);
        const Vec t = vec(kT0);
        for (const bool upper : {false, true}) {
            widen_u32(t, vec(kValue), upper);
            vpaddq(t, t, vec(kMinimum));
            emit_put(at + (upper ? bytes() : 0), t, streaming);
        }
    }
};

// Two words per value.
template <class T>
class PytorchWordPairConversion : public Mt19937Generator {
  public:
    using Parameters = PytorchIntegerParameters;
    static constexpr bool k64 = sizeof(T) == 8;
    static constexpr Mt19937Shape kShape{k64 ? "s64_wide" : "s32_wide", 2, sizeof(T),
                                         k64 ? 21 : 23};

    static PackedParameters pack(const PytorchConvert<T>& convert) {
        const uint64_t divisor = convert.range().range();
        return PackedParameters(Parameters{convert.range().min(), divisor, ~uint64_t{0} / divisor});
    }
    explicit PytorchWordPairConversion(const Key& key)
        : Mt19937Generator(std::get<0>(key), kShape) {}

  private:
    static constexpr int kMinimum = kParameter, kDivisor = kParameter + 1,
                         kDivisorHigh = kParameter + 2, kReciprocal = kParameter + 3,
                         kReciprocalHigh = kParameter + 4;  // High: >> 32
    static_assert(kReciprocalHigh <= kLastParameter);

    void load_parameters() override {
        load_parameter(kMinimum, offsetof(Parameters, minimum), sizeof(T));
        load_parameter(kDivisor, offsetof(Parameters, divisor), 8);
        load_parameter(kReciprocal, offsetof(Parameters, reciprocal), 8);
        vpsrlq(vec(kDivisorHigh), vec(kDivisor), 32);
        vpsrlq(vec(kReciprocalHigh), vec(kReciprocal), 32);
    }
    // As for one word, in 64 bits. The high half of m x, by words:
    //   t = x1 m0 + (x0 m0 >> 32);  w = x0 m1 + (t mod 2^32);  q = x1 m1 + (t >> 32) + (w >> 32)
    void emit_value() override {
        const Vec x = vec(kValue), x1 = vec(kT0), t = vec(kT1), w = vec(kT2), q = vec(kT3);
        const Vec m0 = vec(kReciprocal), m1 = vec(kReciprocalHigh);
        swap_words_u64(x, x);
        vpsrlq(x1, x, 32);
        vpmuludq(w, x, m0);
        vpsrlq(w, w, 32);
        vpmuludq(t, x1, m0);
        vpaddq(t, t, w);
        and_bits(q, t, low_word());
        vpmuludq(w, x, m1);
        vpaddq(w, w, q);
        vpmuludq(q, x1, m1);
        vpsrlq(t, t, 32);
        vpsrlq(w, w, 32);
        vpaddq(q, q, t);
        vpaddq(q, q, w);
        mul_lo_u64(w, q, vec(kDivisor), vec(kDivisorHigh), x1, t);
        vpsubq(x, x, w);
        min_with_difference_u64(x, x, vec(kDivisor), x1, t);
        if (k64) vpaddq(x, x, vec(kMinimum));
    }
    void emit_store(int at, bool streaming) override {
        if (k64) return emit_put(at, vec(kValue), streaming);
        narrow_u64(half(kValue), vec(kValue));
        vpaddd(half(kValue), half(kValue), half(kMinimum));
        emit_put(at, half(kValue), streaming);
    }
};

// The conversions of a type: of one word per value, and of two. f64 has only the one that takes both.
template <class T, FloatDraws rule, bool integral = std::is_integral_v<T>>
struct PytorchConversion {
    using OneWord = PytorchFloatConversion<T, rule>;
    using TwoWords = OneWord;
    static bool serves(const PytorchConvert<T>& convert) { return OneWord::serves(convert); }
};

template <class T, FloatDraws rule>
struct PytorchConversion<T, rule, true> {
    using OneWord = PytorchWordConversion<T>;
    using TwoWords = PytorchWordPairConversion<T>;
    static bool serves(const PytorchConvert<T>&) { return true; }
};

}  // namespace tombola::impl::cpu::x64
