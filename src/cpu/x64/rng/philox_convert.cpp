// SPDX-License-Identifier: Apache-2.0
// The outputs of a Philox kernel: raw words, and alignment tensorflow of random_uniform (its specification in
// scalar form: cpu/random_uniform/tensorflow_convert.hpp). philox_fill.cpp computes the parameters.
//
//   f32     unit = ((w & 7FFFFF) | 3F800000) - 1.0        value = unit * range + min, rounded twice
//   f64     the same on 64 bits; the first word is the high half
//   f16     k = w & 3FF: unit = k * 2^-10 exactly         value = f16(f16(k * (range * 2^-10)) + min)
//   bf16    k = w & 7F: unit = k * 2^-7 exactly           value = bf16(bf16(k * 2^-7 * range) + min)
//   s32     w - q * range + min, where q = (w * m + a) >> s is the quotient exactly (Robison, "N-bit unsigned
//           division via N-bit multiply-add", ARITH 2005)
//   s64     likewise with an estimate of the quotient that is too small by at most 3, mended afterwards
//
// "fast" is the short form, for parameters that make steps the identity or exact:
//   f32, f64    range = 1, min = 0
//   f16, bf16   range is a power of two, so that no product needs rounding; for bf16 also min = 0
#include <cstddef>
#include <optional>

#include "cpu/rng/philox.hpp"
#include "cpu/x64/rng/philox_kernel.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

constexpr bool kHasFast = true;

class WordsKernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit WordsKernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "words", 4, 1, LaneOrder::halves, !kHasFast) {}

  private:
    void emit_convert(Stream&, bool) override {}
};

class F32Kernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit F32Kernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "f32", 4, 1, LaneOrder::halves, kHasFast) {}

  private:
    void load_parameters() override {
        range_ = parameter_u32(0);
        min_ = parameter_u32(1);
        mask_ = hold_u32(convert_vec(0), 0x7FFFFF);
    }
    void emit_convert(Stream& s, bool fast) override {
        for (const int v : {s.c0, s.c2}) {
            and_or(vec(v), *mask_, vector_f32(1.0f));
            vsubps(vec(v), vec(v), vector_f32(1.0f));
            if (fast) continue;
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
        : PhiloxKernel(std::get<0>(key), "f64", 8, 2, LaneOrder::halves, kHasFast) {}

  private:
    void load_parameters() override {
        range_ = parameter_u64(0);
        min_ = parameter_u64(1);
        mask_ = hold_u64(convert_vec(0), 0x000FFFFFFFFFFFFF);
    }
    // The pairs (w1, w0) are what an element consists of.
    void emit_gather(Stream& s) override { emit_unpack_as_is(s); }
    void emit_convert(Stream& s, bool fast) override {
        for (const int v : {s.c0, s.c2}) {
            and_or(vec(v), *mask_, vector_f64(1.0));
            vsubpd(vec(v), vec(v), vector_f64(1.0));
            if (fast) continue;
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
        : PhiloxKernel(std::get<0>(key), "f16", 2, 1, LaneOrder::halves, kHasFast) {}

  private:
    void load_parameters() override {
        step_ = parameter_u32(0);  // range * 2^-10
        min_ = parameter_u32(1);
    }
    void emit_convert(Stream& s, bool fast) override {
        for (const int v : {s.c0, s.c2}) {
            and_bits(vec(v), vec(v), vector_u32(0x3FF));
            vcvtdq2ps(vec(v), vec(v));
            if (fast) {
                // The product is exact: one rounding, the sum's.
                broadcast_u32(vec(s.t), parameter_address(1));
                vfmadd132ps(vec(v), vec(s.t), step_);
            } else {
                vmulps(vec(v), vec(v), step_);
                cvt_f32_to_f16(half(v), vec(v));
                cvt_f16_to_f32(vec(v), half(v));
                vaddps(vec(v), vec(v), min_);
            }
            cvt_f32_to_f16(half(v), vec(v));
        }
    }
    void emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming) override {
        store_any(to, half(s.c0), streaming);
        store_any(to + bytes() / 2, half(s.c2), streaming);
    }
    Spread step_, min_;
};

class BF16Kernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit BF16Kernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "bf16", 2, 1, LaneOrder::natural, kHasFast) {}

  private:
    void load_parameters() override {
        range_ = parameter_u32(0);
        min_ = parameter_u32(1);
        step_ = parameter_u32(2);  // range * 2^-7
    }
    void emit_convert(Stream& s, bool fast) override {
        for (const int v : {s.c0, s.c2}) {
            and_bits(vec(v), vec(v), vector_u32(0x7F));
            vcvtdq2ps(vec(v), vec(v));
            if (fast) {
                vmulps(vec(v), vec(v), step_);
                vpsrld(vec(v), vec(v), 16);
                continue;
            }
            vmulps(vec(v), vec(v), vector_f32(0x1p-7f));
            vmulps(vec(v), vec(v), range_);
            round_f32_to_bf16(vec(v), vec(v), vec(s.t));
            vpslld(vec(v), vec(v), 16);
            vaddps(vec(v), vec(v), min_);
            round_f32_to_bf16(vec(v), vec(v), vec(s.t));
        }
        // Blocks 0 2 4 6 and 1 3 5 7: packing within 16 bytes puts them in order.
        vpackusdw(vec(s.c0), vec(s.c0), vec(s.c2));
    }
    void emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming) override {
        store_any(to, vec(s.c0), streaming);
    }
    Spread range_, min_, step_;
};

class S32Kernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit S32Kernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "s32", 4, 1, LaneOrder::halves, !kHasFast) {}

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
    void emit_convert(Stream& s, bool) override {
        vpaddd(vec(s.c0), vec(s.c0), min_);
        vpaddd(vec(s.c2), vec(s.c2), min_);
    }
    Spread multiplier_, addend_, shift_, range_, min_;
};

class S64Kernel : public PhiloxKernel {
  public:
    using Key = std::tuple<CpuIsa>;
    explicit S64Kernel(const Key& key)
        : PhiloxKernel(std::get<0>(key), "s64", 8, 2, LaneOrder::halves, !kHasFast, 2) {}

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
    void emit_convert(Stream& s, bool) override {
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
            return cached<BF16Kernel>(isa);
        case PhiloxOutput::f32:
            return cached<F32Kernel>(isa);
        case PhiloxOutput::f64:
            return cached<F64Kernel>(isa);
        case PhiloxOutput::s32:
            return cached<S32Kernel>(isa);
        default:
            return cached<S64Kernel>(isa);
    }
}

}  // namespace tombola::impl::cpu::x64
