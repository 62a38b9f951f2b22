// SPDX-License-Identifier: Apache-2.0
// The outputs of a Philox kernel: raw words, and alignment tensorflow of random_uniform (its specification in
// scalar form: cpu/random_uniform/tensorflow_convert.hpp). philox_fill.cpp computes the parameters.
//
//   f32     unit = ((w & 7FFFFF) | 3F800000) - 1.0        value = unit * range + min, rounded twice
//   f64     the same on 64 bits; the first word is the high half
//   f16     k = w & 3FF: unit = k * 2^-10 exactly         value = f16(f16(k * (range * 2^-10)) + min)
//   bf16    k = w & 7F: unit = k * 2^-7 exactly           value = bf16(bf16(k * 2^-7 * range) + min); AVX-512 looks
//           it up by k
//   s32     w - q * range + min, where q = (w * m + a) >> s is the quotient exactly (Robison, "N-bit unsigned
//           division via N-bit multiply-add", ARITH 2005)
//   s64     likewise with an estimate of the quotient that is too small by at most 3, mended afterwards
//
// These are form 0 of a conversion. Shorter forms serve parameters that make steps the identity or exact:
//   f32, f64       1: range = 1, min = 0
//   f16            1: range is a power of two, so that no product needs rounding
//                  2: range is 2^-4 or more, so that no product is subnormal: it is rounded without conversions
//   bf16 on AVX2   1: range is a power of two, min = 0
//                  2: range is between 2^-100 and 2^100, so that no intermediate is subnormal or infinite: the same
#include <cstddef>
#include <optional>
#include <utility>

#include "cpu/rng/philox.hpp"
#include "cpu/x64/rng/philox_kernel.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// Forms of a conversion (top of the file).
constexpr int kOneForm = 1, kTwoForms = 2, kThreeForms = 3;

class WordsKernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit WordsKernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "words", 4, 1, LaneOrder::halves, kOneForm) {}

  private:
    void emit_convert(Stream&, int) override {}
};

class F32Kernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit F32Kernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "f32", 4, 1, LaneOrder::halves, kTwoForms) {}

  private:
    void load_parameters() override {
        range_ = parameter_u32(0);
        min_ = parameter_u32(1);
        mask_ = hold_u32(convert_vec(0), 0x7FFFFF);
    }
    void emit_convert(Stream& s, int form) override {
        for (const int v : {s.c0, s.c2}) {
            and_or(vec(v), *mask_, vector_f32(1.0f));
            vsubps(vec(v), vec(v), vector_f32(1.0f));
            if (form == 1) continue;
            vmulps(vec(v), vec(v), range_);
            vaddps(vec(v), vec(v), min_);
        }
    }
    std::optional<Held> mask_;
    Spread range_, min_;
};

class F64Kernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit F64Kernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "f64", 8, 2, LaneOrder::halves, kTwoForms) {}

  private:
    void load_parameters() override {
        range_ = parameter_u64(0);
        min_ = parameter_u64(1);
        mask_ = hold_u64(convert_vec(0), 0x000FFFFFFFFFFFFF);
    }
    // The pairs (w1, w0) are what an element consists of.
    void emit_gather(Stream& s) override { emit_unpack_as_is(s); }
    void emit_convert(Stream& s, int form) override {
        for (const int v : {s.c0, s.c2}) {
            and_or(vec(v), *mask_, vector_f64(1.0));
            vsubpd(vec(v), vec(v), vector_f64(1.0));
            if (form == 1) continue;
            vmulpd(vec(v), vec(v), range_);
            vaddpd(vec(v), vec(v), min_);
        }
    }
    std::optional<Held> mask_;
    Spread range_, min_;
};

class F16Kernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit F16Kernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "f16", 2, 1, LaneOrder::halves, kThreeForms) {}

  private:
    void load_parameters() override {
        step_ = parameter_u32(0);  // range * 2^-10
        min_ = parameter_u32(1);
        mask_ = hold_u32(convert_vec(0), 0x3FF);
    }
    void emit_convert(Stream& s, int form) override {
        for (const int v : {s.c0, s.c2}) {
            if (form == 2) {
                emit_product(vec(v), vec(s.t));
                emit_round_product(vec(v), vec(s.t), 11);
                vaddps(vec(v), vec(v), min_);
            } else if (form == 1) {
                // The product is exact: one rounding, the sum's.
                emit_integer(vec(v));
                broadcast_u32(vec(s.t), parameter_address(1));
                vfmadd132ps(vec(v), vec(s.t), step_);
            } else {
                emit_integer(vec(v));
                vmulps(vec(v), vec(v), step_);
                cvt_f32_to_f16(half(v), vec(v));
                cvt_f16_to_f32(vec(v), half(v));
                vaddps(vec(v), vec(v), min_);
            }
            cvt_f32_to_f16(half(v), vec(v));
        }
    }
    void emit_integer(const Vec& v) {
        and_bits(v, v, *mask_);
        vcvtdq2ps(v, v);
    }
    // p = k * step: with 2^23 + k, which is k under the exponent of 2^23, it is one fma, and exact
    //   (2^23 + k) * step - 2^23 * step
    void emit_product(const Vec& v, const Vec& scratch) {
        and_or(v, *mask_, vector_f32(0x1p23f));
        broadcast_u32(scratch, parameter_address(2));  // -2^23 * step
        vfmadd132ps(v, scratch, step_);
    }
    void emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming) override {
        store_any(to, half(s.c0), streaming);
        store_any(to + bytes() / 2, half(s.c2), streaming);
    }
    std::optional<Held> mask_;
    Spread step_, min_;
};

// What the two kernels of bf16 share. A block's four values are a u64 lane, so no blocks are gathered: the pairs
// give lanes of words (w1 w3 w0 w2), which one shuffle puts in order.
class BF16Kernel : public PhiloxKernel {
  protected:
    BF16Kernel(CpuIsa isa, int forms)
        : PhiloxKernel(isa, "bf16", 2, 1, LaneOrder::natural, forms) {}

    void load_parameters() override {
        range_ = parameter_u32(0);
        min_ = parameter_u32(1);
    }
    // Of k, an integer of 7 bits: the value in the high half of each lane, junk in the low one.
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
        store_any(to, vec(s.c0), streaming);
    }
    Spread range_, min_;
};

// Each value by itself.
class BF16ArithmeticKernel : public BF16Kernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit BF16ArithmeticKernel(const Key& key) : BF16Kernel(std::get<0>(key), kThreeForms) {}

  private:
    void load_parameters() override {
        BF16Kernel::load_parameters();
        step_ = parameter_u32(2);  // range * 2^-7
    }
    void emit_convert(Stream& s, int form) override {
        for (const int v : {s.c0, s.c2}) {
            and_bits(vec(v), vec(v), vector_u32(0x7F));
            if (form == 0) {
                emit_value(vec(v), vec(s.t));
                continue;
            }
            vcvtdq2ps(vec(v), vec(v));
            vmulps(vec(v), vec(v), step_);
            if (form == 1) continue;
            emit_round_product(vec(v), vec(s.t), 8);
            vaddps(vec(v), vec(v), min_);
            round_f32_to_bf16_high(vec(v), vec(v), vec(s.t));
        }
        interleave_high_u16(vec(s.c0), vec(s.c0), vec(s.c2));
        emit_word_order(vec(s.c0));
    }
    Spread step_;
};

// On AVX-512, which looks 16-bit lanes up in two registers (vpermi2w): the 128 values there are, in four
// registers, computed once a call.
class BF16TableKernel : public BF16Kernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit BF16TableKernel(const Key& key) : BF16Kernel(std::get<0>(key), kOneForm) {}

  private:
    static constexpr int kTables = 4;  // of 32 values
    Vec values(int table) const { return vec(convert_vec(table)); }

    void load_parameters() override {
        BF16Kernel::load_parameters();
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

class S32Kernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit S32Kernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "s32", 4, 1, LaneOrder::halves, kOneForm) {}

  private:
    void load_parameters() override {
        multiplier_ = parameter_u64(0);
        addend_ = parameter_u64(1);
        shift_ = parameter_u64(2);
        range_ = parameter_u64(3);
        min_ = parameter_u32(4);
    }
    // Words 1 and 3 are the low halves of the pairs, words 0 and 2 the high ones.
    void emit_gather(Stream& s) override {
        emit_pair_remainder(vec(s.c0), vec(s.c1), vec(s.c3));
        emit_pair_remainder(vec(s.c2), vec(s.c1), vec(s.c3));
        emit_unpack(s);
    }
    // Both words of each pair modulo the range.
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

class S64Kernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit S64Kernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "s64", 8, 2, LaneOrder::halves, kOneForm, 2) {}

  private:
    void load_parameters() override {
        multiplier_ = parameter_u64(0);
        multiplier_high_ = parameter_high(0);
        shift_ = parameter_u64(1);
        range_ = parameter_u64(2);
        range_high_ = parameter_high(2);
        twice_ = parameter_u64(3);
        min_ = parameter_u64(4);
    }
    void emit_convert(Stream& s, int) override {
        for (const int v : {s.c0, s.c2})
            emit_remainder(vec(v), vec(s.c1), vec(s.c3), vec(s.t), vec(convert_vec(0)));
    }
    // q = hi64(x * m) >> s without the low product and the carries of the middle ones: hi64 is too small by at
    // most 2, so q by at most 3 where range < 4, and by at most 1 otherwise (philox_fill.cpp).
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

template <class Kernel>
Result<std::shared_ptr<const PhiloxKernel>> cached(CpuIsa isa) {
    auto kernel = cached_kernel<Kernel>({isa});
    TOMBOLA_TRY(kernel.take_status());
    return std::shared_ptr<const PhiloxKernel>(kernel.take());
}

}  // namespace

Result<std::shared_ptr<const PhiloxKernel>> philox_kernel(CpuIsa isa, PhiloxOutput output) {
    switch (output) {
        case PhiloxOutput::words:
            return cached<WordsKernel>(isa);
        case PhiloxOutput::f16:
            return cached<F16Kernel>(isa);
        case PhiloxOutput::bf16:
            return isa >= CpuIsa::avx512_core ? cached<BF16TableKernel>(isa)
                                              : cached<BF16ArithmeticKernel>(isa);
        case PhiloxOutput::f32:
            return cached<F32Kernel>(isa);
        case PhiloxOutput::f64:
            return cached<F64Kernel>(isa);
        case PhiloxOutput::s32:
            return cached<S32Kernel>(isa);
        case PhiloxOutput::s64:
            return cached<S64Kernel>(isa);
    }
    return unimplemented("no Philox kernel for output %d", static_cast<int>(output));
}

}  // namespace tombola::impl::cpu::x64
