// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/random_uniform/pytorch_conversions.hpp"

#include <cstddef>
#include <tuple>

#include "cpu/float_type.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// PyTorch takes as many low bits as the type has digits: 11, 8, 24 and 53.
Mt19937Shape float_shape(FloatType type, bool torch2) {
    constexpr uint64_t k24Bits = 0x00FFFFFF'00FFFFFF;
    switch (type) {
        case FloatType::f16:
            return torch2 ? Mt19937Shape{"f16_torch2", 1, 2, 10, k24Bits}
                          : Mt19937Shape{"f16", 1, 2, 4, 0x000007FF'000007FF};
        case FloatType::bf16:
            return torch2 ? Mt19937Shape{"bf16_torch2", 1, 2, 19, k24Bits}
                          : Mt19937Shape{"bf16", 1, 2, 10, 0x000000FF'000000FF};
        case FloatType::f32:
            return {torch2 ? "f32_torch2" : "f32", 1, 4, torch2 ? 4 : 2, k24Bits};
        case FloatType::f64:
            return {torch2 ? "f64_torch2" : "f64", 2, 8, torch2 ? 5 : 3, swapped_words_mask(53)};
    }
    return {};
}

class PytorchFloatConversion : public Mt19937Generator {
  public:
    using Key = std::tuple<CpuIsa, DataType, FloatDraws>;
    static Mt19937Shape shape(const Key& key) {
        return float_shape(float_type_of(std::get<DataType>(key)),
                           std::get<FloatDraws>(key) == FloatDraws::torch2);
    }
    explicit PytorchFloatConversion(const Key& key)
        : Mt19937Generator(std::get<CpuIsa>(key), shape(key)),
          type_(std::get<DataType>(key)),
          torch2_(std::get<FloatDraws>(key) == FloatDraws::torch2) {}

  private:
    static constexpr int kMinimum = kParameter, kScale = kParameter + 1, kMaximum = kParameter + 2;

    bool wide() const { return type_ == DataType::f64; }

    void load_parameters() override {
        wide() ? load_parameters_of<double>() : load_parameters_of<float>();
    }
    template <class Compute>
    void load_parameters_of() {
        using Parameters = PytorchFloatParameters<Compute>;
        load_parameter(kMinimum, offsetof(Parameters, minimum), sizeof(Compute));
        load_parameter(kScale, offsetof(Parameters, scale), sizeof(Compute));
        if (torch2_) load_parameter(kMaximum, offsetof(Parameters, maximum), sizeof(Compute));
    }
    void emit_value() override {
        const Vec y = vec(kValue);
        if (wide()) {
            cvt_swapped_u53_to_f64(y, y, vec(kT0));
            vfmadd213pd(y, vec(kScale), vec(kMinimum));
        } else {
            vcvtdq2ps(y, y);
            vfmadd213ps(y, vec(kScale), vec(kMinimum));
        }
        if (torch2_) emit_excluded_maximum();
    }
    // Replaces MAX by MIN. No value is above MAX. Values of 16-bit types are rounded to their type first, but stay f32.
    void emit_excluded_maximum() {
        const Vec y = vec(kValue);
        const Mask equal{k1, vec(kT1)};
        if (wide()) {
            compare_f64(equal, y, vec(kMaximum), kGreaterEqual);
            return select_masked_u64(y, equal, vec(kMinimum));
        }
        if (type_ == DataType::f16) {
            cvt_f32_to_f16(half(kValue), y);
            cvt_f16_to_f32(y, half(kValue));
        } else if (type_ == DataType::bf16) {
            round_f32_to_bf16(y, y, vec(kT0));
            vpslld(y, y, 16);
        }
        compare_f32(equal, y, vec(kMaximum), kGreaterEqual);
        select_masked_u32(y, equal, vec(kMinimum));
    }
    void emit_store(int at, bool streaming) override {
        const Vec y = vec(kValue);
        if (type_ == DataType::f16) {
            cvt_f32_to_f16(half(kValue), y);
            emit_put(at, half(kValue), streaming);
        } else if (type_ == DataType::bf16) {
            round_f32_to_bf16(y, y, vec(kT0));
            narrow_u32(half(kValue), y);
            emit_put(at, half(kValue), streaming);
        } else {
            emit_put(at, y, streaming);
        }
    }

    DataType type_;
    bool torch2_;
};

// One word per value.
class PytorchWordConversion : public Mt19937Generator {
  public:
    using Key = std::tuple<CpuIsa, DataType>;
    static Mt19937Shape shape(const Key& key) {
        return std::get<DataType>(key) == DataType::s64 ? Mt19937Shape{"s64", 1, 8, 15}
                                                        : Mt19937Shape{"s32", 1, 4, 11};
    }
    explicit PytorchWordConversion(const Key& key)
        : Mt19937Generator(std::get<CpuIsa>(key), shape(key)),
          bytes_(size_of(std::get<DataType>(key))) {}

  private:
    using Parameters = PytorchIntegerParameters;
    static constexpr int kMinimum = kParameter, kDivisor = kParameter + 1,
                         kReciprocal = kParameter + 3;

    void load_parameters() override {
        load_parameter(kMinimum, offsetof(Parameters, minimum), bytes_);
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
        if (bytes_ == 4) vpaddd(x, x, vec(kMinimum));
    }
    void emit_store(int at, bool streaming) override {
        if (bytes_ == 4) return emit_put(at, vec(kValue), streaming);
        const Vec t = vec(kT0);
        for (const bool upper : {false, true}) {
            widen_u32(t, vec(kValue), upper);
            vpaddq(t, t, vec(kMinimum));
            emit_put(at + (upper ? bytes() : 0), t, streaming);
        }
    }

    size_t bytes_;  // of a value
};

// Two words per value.
class PytorchWordPairConversion : public Mt19937Generator {
  public:
    using Key = std::tuple<CpuIsa, DataType>;
    static Mt19937Shape shape(const Key& key) {
        return std::get<DataType>(key) == DataType::s64 ? Mt19937Shape{"s64_wide", 2, 8, 21}
                                                        : Mt19937Shape{"s32_wide", 2, 4, 23};
    }
    explicit PytorchWordPairConversion(const Key& key)
        : Mt19937Generator(std::get<CpuIsa>(key), shape(key)),
          bytes_(size_of(std::get<DataType>(key))) {}

  private:
    using Parameters = PytorchIntegerParameters;
    static constexpr int kMinimum = kParameter, kDivisor = kParameter + 1,
                         kDivisorHigh = kParameter + 2, kReciprocal = kParameter + 3,
                         kReciprocalHigh = kParameter + 4;  // High: >> 32
    static_assert(kReciprocalHigh <= kLastParameter);

    void load_parameters() override {
        load_parameter(kMinimum, offsetof(Parameters, minimum), bytes_);
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
        if (bytes_ == 8) vpaddq(x, x, vec(kMinimum));
    }
    void emit_store(int at, bool streaming) override {
        if (bytes_ == 8) return emit_put(at, vec(kValue), streaming);
        narrow_u64(half(kValue), vec(kValue));
        vpaddd(half(kValue), half(kValue), half(kMinimum));
        emit_put(at, half(kValue), streaming);
    }

    size_t bytes_;  // of a value
};

}  // namespace

Result<Mt19937Kernel> make_pytorch_kernel(CpuIsa isa, DataType type, FloatDraws rule, int words) {
    if (type != DataType::s32 && type != DataType::s64)
        return make_mt19937_kernel<PytorchFloatConversion>({isa, type, rule});
    return words == 2 ? make_mt19937_kernel<PytorchWordPairConversion>({isa, type})
                      : make_mt19937_kernel<PytorchWordConversion>({isa, type});
}

}  // namespace tombola::impl::cpu::x64
