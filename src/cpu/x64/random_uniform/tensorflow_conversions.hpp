// SPDX-License-Identifier: Apache-2.0
#pragma once

// Alignment tensorflow of random_uniform as conversions of the Philox kernels: one class for each output type, with the
// parameters, how they follow from MIN and MAX (pack), and what becomes of the words (emit_convert). The specification
// in scalar form is cpu/random_uniform/tensorflow_convert.hpp.
//
//   f32     unit = ((w & 7FFFFF) | 3F800000) - 1.0        value = unit * range + min, rounded twice
//   f64     the same on 64 bits; the first word is the high half
//   f16     k = w & 3FF: unit = k * 2^-10 exactly         value = f16(f16(k * (range * 2^-10)) + min)
//   bf16    k = w & 7F: unit = k * 2^-7 exactly           value = bf16(bf16(k * 2^-7 * range) + min); AVX-512 looks
//           it up by k
//   s32     w - q * range + min, where q = (w * m + a) >> s is the quotient exactly (Robison, "N-bit unsigned
//           division via N-bit multiply-add", ARITH 2005)
//   s64     likewise with an estimate of the quotient that is too small by at most 3, corrected afterwards
//
// These are form 0 of a conversion. Higher forms are faster special cases, for parameters that make steps the identity
// or exact:
//   f32, f64       1: range = 1, min = 0
//   f16            1: range is a power of two, 2^-14 or more, so that no product needs rounding
//                  2: range is 2^-4 or more, so that no product is subnormal: it is rounded without conversions
//   bf16 on AVX2   1: range is a power of two, min = 0
//                  2: range is between 2^-100 and 2^100, so that no intermediate is subnormal or infinite: the same
//
// Each parameter begins a slot of 8 bytes.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "cpu/float16.hpp"
#include "cpu/rng/bounds.hpp"
#include "cpu/rng/philox.hpp"
#include "cpu/x64/rng/philox_generator.hpp"

namespace tombola::impl::cpu::x64 {

inline int floor_log2(uint64_t x) { return 63 - __builtin_clzll(x); }

inline bool is_power_of_two(float x) {
    int exponent;
    return std::frexp(x, &exponent) == 0.5f;
}

// pack(bounds), and the kernel's code. The general one is that of f32 and f64.
template <class T>
class TensorflowConversion : public PhiloxGenerator {
  public:
    static constexpr bool k64 = sizeof(T) == 8;
    static PhiloxShape shape(const Key&) {
        return {k64 ? "f64" : "f32", sizeof(T), k64 ? 2 : 1, 2};
    }
    struct Parameters {
        alignas(8) T range, min;
    };
    static PackedParameters pack(const Bounds<T>& b) {
        const Parameters p{range_of(b), b.min};
        return PackedParameters(p, p.range == 1 && p.min == 0 ? 1 : 0);
    }
    explicit TensorflowConversion(const Key& key) : PhiloxGenerator(key, shape(key)) {}

  private:
    void load_parameters() override {
        constexpr size_t kRange = offsetof(Parameters, range), kMin = offsetof(Parameters, min);
        range_ = k64 ? parameter_u64(kRange) : parameter_u32(kRange);
        min_ = k64 ? parameter_u64(kMin) : parameter_u32(kMin);
        mask_ =
            k64 ? hold_u64(convert_vec(0), 0x000FFFFFFFFFFFFF) : hold_u32(convert_vec(0), 0x7FFFFF);
    }
    // An element of f64 is a pair (w1, w0), unchanged.
    void emit_gather(Stream& s) override { k64 ? emit_unpack_as_is(s) : emit_unpack(s); }
    void emit_convert(Stream& s, int form) override {
        const auto one = k64 ? vector_f64(1.0) : vector_f32(1.0f);
        for (const int index : {s.c0, s.c2}) {
            const Vec v = vec(index);
            and_or(v, mask_, one);
            k64 ? vsubpd(v, v, one) : vsubps(v, v, one);
            if (form == 1) continue;
            k64 ? vmulpd(v, v, range_) : vmulps(v, v, range_);
            k64 ? vaddpd(v, v, min_) : vaddps(v, v, min_);
        }
    }
    Held mask_;
    Spread range_, min_;
};

template <>
class TensorflowConversion<Float16> : public PhiloxGenerator {
  public:
    static PhiloxShape shape(const Key&) { return {"f16", 2, 1, 3}; }
    struct Parameters {
        alignas(8) float step, min, minus_step_2_23;  // range * 2^-10; -2^23 * step
    };
    // Form 1: the product of a power of two and 10 bits is exact in f16, unless it needs digits below 2^-24. Form 2: no
    // product except 0 is below 2^-14, where f16 has fewer digits.
    static PackedParameters pack(const Bounds<Float16>& b) {
        const float range = range_of(b);
        uint32_t form = 0;
        if (is_power_of_two(range) && range >= 0x1p-14f)
            form = 1;
        else if (range >= 0x1p-4f)
            form = 2;
        return PackedParameters(Parameters{range * 0x1p-10f, to_f32(b.min), range * -0x1p13f},
                                form);
    }
    explicit TensorflowConversion(const Key& key) : PhiloxGenerator(key, shape(key)) {}

  private:
    void load_parameters() override {
        step_ = parameter_u32(offsetof(Parameters, step));
        min_ = parameter_u32(offsetof(Parameters, min));
        mask_ = hold_u32(convert_vec(0), 0x3FF);
    }
    void emit_convert(Stream& s, int form) override {
        const Vec t = vec(s.c1);
        for (const int index : {s.c0, s.c2}) {
            const Vec v = vec(index);
            if (form == 2) {
                // The bits of 2^23 | k are those of the f32 number 2^23 + k. So k * step is one fma, and exact:
                //   (2^23 + k) * step - 2^23 * step
                and_or(v, mask_, vector_f32(0x1p23f));
                broadcast_u32(t, parameter_address(offsetof(Parameters, minus_step_2_23)));
                vfmadd132ps(v, t, step_);
                round_f32_to_digits(v, t, 11);
                vaddps(v, v, min_);
            } else {
                and_bits(v, v, mask_);
                vcvtdq2ps(v, v);
                if (form == 1) {
                    // The product is exact, so only the sum is rounded.
                    broadcast_u32(t, parameter_address(offsetof(Parameters, min)));
                    vfmadd132ps(v, t, step_);
                } else {
                    vmulps(v, v, step_);
                    cvt_f32_to_f16(half(index), v);
                    cvt_f16_to_f32(v, half(index));
                    vaddps(v, v, min_);
                }
            }
            cvt_f32_to_f16(half(index), v);
        }
    }
    void emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming) override {
        store(ptr[to], half(s.c0), streaming);
        store(ptr[to + bytes() / 2], half(s.c2), streaming);
    }
    Held mask_;
    Spread step_, min_;
};

// The common part of the two conversions to bf16. A block's four values fill one u64 lane, so blocks need not be
// gathered. The pairs give lanes of words (w1 w3 w0 w2), and one shuffle puts them in order.
template <>
class TensorflowConversion<BFloat16> : public PhiloxGenerator {
  public:
    struct Parameters {
        alignas(8) float range, min, step;  // step: range * 2^-7
    };
    // Form 1: 7 bits times a power of two, with nothing added, is exact in bf16 if it is not subnormal. Form 2: no
    // intermediate is subnormal or infinite in f32.
    static PackedParameters pack(const Bounds<BFloat16>& b) {
        const float range = range_of(b), min = to_f32(b.min);
        uint32_t form = 0;
        if (is_power_of_two(range) && range >= 0x1p-119f && min == 0.0f)
            form = 1;
        else if (range >= 0x1p-100f && range <= 0x1p100f)
            form = 2;
        return PackedParameters(Parameters{range, min, range * 0x1p-7f}, form);
    }

  protected:
    static PhiloxShape bf16_shape(int forms, const OwnRegisters& own) {
        return {"bf16", 2, 1, forms, PhiloxShape::LaneOrder::natural, own};
    }
    using PhiloxGenerator::PhiloxGenerator;

    void load_parameters() override {
        range_ = parameter_u32(offsetof(Parameters, range));
        min_ = parameter_u32(offsetof(Parameters, min));
    }
    // Computes the value of k, an integer of 7 bits, in the high half of each lane. The low half holds junk.
    void emit_value(const Vec& k, const Vec& scratch) {
        vcvtdq2ps(k, k);
        vmulps(k, k, vector_f32(0x1p-7f));
        vmulps(k, k, range_);
        round_f32_to_bf16_high(k, k, scratch);
        and_bits(k, k, vector_u32(0xFFFF0000));
        vaddps(k, k, min_);
        round_f32_to_bf16_high(k, k, scratch);
    }
    void emit_gather(Stream&) override {}
    void emit_word_order(const Vec& v) {
        constexpr uint8_t kOrder[8] = {4, 5, 0, 1, 6, 7, 2, 3};
        uint8_t table[64];
        for (size_t i = 0; i < sizeof table; ++i)
            table[i] = static_cast<uint8_t>(kOrder[i % 8] + i % 16 / 8 * 8);
        vpshufb(v, v, vector_table(table));
    }
    void emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming) override {
        store(ptr[to], vec(s.c0), streaming);
    }
    Spread range_, min_;
};

// Computes each value.
class TensorflowBf16Arithmetic : public TensorflowConversion<BFloat16> {
  public:
    static PhiloxShape shape(const Key&) { return bf16_shape(3, {0, 0}); }
    explicit TensorflowBf16Arithmetic(const Key& key) : TensorflowConversion(key, shape(key)) {}

  private:
    void load_parameters() override {
        TensorflowConversion::load_parameters();
        step_ = parameter_u32(offsetof(Parameters, step));
    }
    void emit_convert(Stream& s, int form) override {
        for (const int v : {s.c0, s.c2}) {
            and_bits(vec(v), vec(v), vector_u32(0x7F));
            if (form == 0) {
                emit_value(vec(v), vec(s.c1));
                continue;
            }
            vcvtdq2ps(vec(v), vec(v));
            vmulps(vec(v), vec(v), step_);
            if (form == 1) continue;
            round_f32_to_digits(vec(v), vec(s.c1), 8);
            vaddps(vec(v), vec(v), min_);
            round_f32_to_bf16_high(vec(v), vec(v), vec(s.c1));
        }
        interleave_high_u16(vec(s.c0), vec(s.c0), vec(s.c2));
        emit_word_order(vec(s.c0));
    }
    Spread step_;
};

// Looks values up in a table, on AVX-512. vpermi2w looks 16-bit lanes up in two registers. The 128 possible values fill
// four registers and are computed once per call.
class TensorflowBf16Table : public TensorflowConversion<BFloat16> {
    static constexpr int kTables = 4;  // of 32 values

  public:
    static PhiloxShape shape(const Key&) { return bf16_shape(1, {0, kTables}); }
    explicit TensorflowBf16Table(const Key& key) : TensorflowConversion(key, shape(key)) {}

  private:
    Vec values(int table) const { return vec(convert_vec(table)); }

    void load_parameters() override {
        TensorflowConversion::load_parameters();
        const Vec even = vec(0), odd = vec(1), scratch = vec(2);
        for (int table = 0; table < kTables; ++table) {
            uint32_t k[16];
            for (uint32_t i = 0; i < 16; ++i) k[i] = 32 * static_cast<uint32_t>(table) + 2 * i;
            load(even, vector_table(k));
            vpaddd(odd, even, vector_u32(1));
            emit_value(even, scratch);
            emit_value(odd, scratch);
            interleave_high_u16(values(table), even, odd);
        }
    }
    // vpermi2w reads the low 6 bits of its index; bit 6 says which pair of registers.
    void emit_convert(Stream& s, int) override {
        const Vec v = vec(s.c2);
        interleave_low_u16(v, vec(s.c0), vec(s.c2));
        emit_word_order(v);
        vptestnmw(k1, v, vector_u16(0x40));
        vptestmw(k2, v, vector_u16(0x40));
        vpermi2w(v | k1, values(0), values(1));
        vpermi2w(v | k2, values(2), values(3));
        std::swap(s.c0, s.c2);
    }
};

template <>
class TensorflowConversion<int32_t> : public PhiloxGenerator {
  public:
    static PhiloxShape shape(const Key&) { return {"s32", 4, 1}; }
    struct Parameters {
        uint64_t multiplier, addend, shift, range;
        uint32_t min;
    };
    // With l = floor(log2 range) and 2^(32+l) = m * range + r, the quotient is
    //   w * (m + 1) >> (32 + l)     if range - r <= 2^l
    //   (w * m + m) >> (32 + l)     otherwise; then r <= 2^l
    // If r = 0, the range is a power of two, and the quotient is a shift.
    static PackedParameters pack(const Bounds<int32_t>& b) {
        const auto min = static_cast<uint32_t>(b.min);
        const uint32_t range = static_cast<uint32_t>(b.max) - min;
        const int l = floor_log2(range);
        const uint64_t power = uint64_t{1} << (32 + l);
        const uint64_t m = power / range, r = power % range;
        const auto shift = static_cast<uint64_t>(32 + l);
        if (r == 0)
            return PackedParameters(Parameters{uint64_t{1} << 31, 0, shift - 1, range, min});
        if (range - r <= uint64_t{1} << l)
            return PackedParameters(Parameters{m + 1, 0, shift, range, min});
        return PackedParameters(Parameters{m, m, shift, range, min});
    }
    explicit TensorflowConversion(const Key& key) : PhiloxGenerator(key, shape(key)) {}

  private:
    void load_parameters() override {
        multiplier_ = parameter_u64(offsetof(Parameters, multiplier));
        addend_ = parameter_u64(offsetof(Parameters, addend));
        shift_ = parameter_u64(offsetof(Parameters, shift));
        range_ = parameter_u64(offsetof(Parameters, range));
        min_ = parameter_u32(offsetof(Parameters, min));
    }
    // Words 1 and 3 are the low halves of the pairs, words 0 and 2 the high ones.
    void emit_gather(Stream& s) override {
        emit_pair_remainder(vec(s.c0), vec(s.c1), vec(s.c3));
        emit_pair_remainder(vec(s.c2), vec(s.c1), vec(s.c3));
        emit_unpack(s);
    }
    // Replaces both words of each pair by their remainders modulo the range.
    void emit_pair_remainder(const Vec& pair, const Vec& low, const Vec& high) {
        vpsrlq(high, pair, 32);
        emit_multiple(low, pair);
        emit_multiple(high, high);
        vpsubd(pair, pair, low);  // below 2^32: nothing to subtract in the high half
        vpsllq(high, high, 32);
        vpsubd(pair, pair, high);
    }
    // d = (w * m + a >> s) * range: the greatest multiple of the range that w holds.
    void emit_multiple(const Vec& d, const Vec& w) {
        vpmuludq(d, w, multiplier_);
        vpaddq(d, d, addend_);
        vpsrlvq(d, d, shift_);
        vpmuludq(d, d, range_);
    }
    void emit_convert(Stream& s, int) override {
        vpaddd(vec(s.c0), vec(s.c0), min_);
        vpaddd(vec(s.c2), vec(s.c2), min_);
    }
    Spread multiplier_, addend_, shift_, range_, min_;
};

template <>
class TensorflowConversion<int64_t> : public PhiloxGenerator {
  public:
    static PhiloxShape shape(const Key&) {
        return {"s64", 8, 2, 1, PhiloxShape::LaneOrder::halves, /*own=*/{2, 2}};
    }
    struct Parameters {
        // twice: 2 * range if the range is below 4, otherwise 0.
        uint64_t multiplier, shift, range, twice, min;
    };
    // With l = floor(log2 range) and m = floor((2^(64+l) - 1) / range) < 2^64, x * m / 2^(64+l) is less than x / range
    // by less than (1 + 1/range) / 2^l. The kernel's hi64(x * m) omits the low product and two fractions, so it is too
    // small by at most 2. That is 2 / 2^l of a quotient. For l >= 2 the two errors sum to less than 1, and q is too
    // small by at most 1. For ranges 1 to 3 it is too small by at most 3, so 2 * range is subtracted first if possible.
    static PackedParameters pack(const Bounds<int64_t>& b) {
        const auto min = static_cast<uint64_t>(b.min);
        const uint64_t range = static_cast<uint64_t>(b.max) - min;
        const int l = floor_log2(range);
        const Uint128 power_less_1 = l == 63 ? ~Uint128{0} >> 1 : (Uint128{1} << (64 + l)) - 1;
        const auto m = static_cast<uint64_t>(power_less_1 / range);
        return PackedParameters(
            Parameters{m, static_cast<uint64_t>(l), range, range < 4 ? 2 * range : 0, min});
    }
    explicit TensorflowConversion(const Key& key) : PhiloxGenerator(key, shape(key)) {}

  private:
    void load_parameters() override {
        multiplier_ = parameter_u64(offsetof(Parameters, multiplier));
        multiplier_high_ = parameter_high(offsetof(Parameters, multiplier));
        shift_ = parameter_u64(offsetof(Parameters, shift));
        range_ = parameter_u64(offsetof(Parameters, range));
        range_high_ = parameter_high(offsetof(Parameters, range));
        twice_ = parameter_u64(offsetof(Parameters, twice));
        min_ = parameter_u64(offsetof(Parameters, min));
    }
    void emit_convert(Stream& s, int) override {
        for (const int v : {s.c0, s.c2})
            emit_remainder(vec(v), vec(s.c1), vec(s.c3), vec(convert_vec(0)), vec(convert_vec(1)));
    }
    // q = hi64(x * m) >> s without the low product and the carries of the middle ones: hi64 is too small by at
    // most 2, so q by at most 3 where range < 4, and by at most 1 otherwise (pack()).
    void emit_remainder(const Vec& x, const Vec& q, const Vec& t, const Vec& u, const Vec& w) {
        vpsrlq(t, x, 32);
        vpmuludq(q, t, multiplier_high_);  // xh * mh
        vpmuludq(t, t, multiplier_);       // xh * ml
        vpmuludq(u, x, multiplier_high_);  // xl * mh
        vpsrlq(t, t, 32);
        vpsrlq(u, u, 32);
        vpaddq(q, q, t);
        vpaddq(q, q, u);
        vpsrlvq(q, q, shift_);
        mul_lo_u64(t, q, range_, range_high_, u, w);
        vpsubq(x, x, t);
        min_with_difference_u64(x, x, twice_, t, u);
        min_with_difference_u64(x, x, range_, t, u);
        vpaddq(x, x, min_);
    }
    Spread multiplier_, multiplier_high_, shift_, range_, range_high_, twice_, min_;
};

template <class T>
Result<PhiloxKernel> tensorflow_kernel(CpuIsa isa, int64_t rows) {
    return make_philox_kernel<TensorflowConversion<T>>({isa, PhiloxLanes::run}, rows);
}
template <>
inline Result<PhiloxKernel> tensorflow_kernel<BFloat16>(CpuIsa isa, int64_t rows) {
    return shape_of(isa).permutes_pairs
               ? make_philox_kernel<TensorflowBf16Table>({isa, PhiloxLanes::run}, rows)
               : make_philox_kernel<TensorflowBf16Arithmetic>({isa, PhiloxLanes::run}, rows);
}

}  // namespace tombola::impl::cpu::x64
