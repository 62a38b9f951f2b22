// SPDX-License-Identifier: Apache-2.0
#pragma once

// random_bernoulli (cpu/random_bernoulli/bernoulli_rule.hpp) by kernels that draw and compare at once. With one P for all
// elements they are conversions of the Philox kernels (alignment tensorflow) and of the MT19937 kernels (pytorch, elements
// of 4 and 8 bytes):
//
//   element = k < P * 2^bits ? 1 : 0       k the low 23 bits of a word, or 53 bits of two words
//
// P * 2^bits is exact in P's type. k is an integer, so it is compared with the smallest integer that is at least P * 2^bits.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include "cpu/float16.hpp"
#include "cpu/random_bernoulli/bernoulli_rule.hpp"
#include "cpu/rng/element_type.hpp"
#include "cpu/x64/rng/mt19937_generator.hpp"
#include "cpu/x64/rng/philox_generator.hpp"
#include "cpu/x64/rng/philox_transform.hpp"

namespace tombola::impl::cpu::x64 {

// Of the conversions from Philox: two constants.
inline constexpr OwnRegisters kBernoulliRegisters{0, 2};

constexpr const char* bernoulli_name(uint8_t) { return "bernoulli.u8"; }
constexpr const char* bernoulli_name(int32_t) { return "bernoulli.s32"; }
constexpr const char* bernoulli_name(int64_t) { return "bernoulli.s64"; }
constexpr const char* bernoulli_name(Float16) { return "bernoulli.f16"; }
constexpr const char* bernoulli_name(BFloat16) { return "bernoulli.bf16"; }
constexpr const char* bernoulli_name(float) { return "bernoulli.f32"; }
constexpr const char* bernoulli_name(double) { return "bernoulli.f64"; }

template <class T>
class PhiloxBernoulli : public PhiloxGenerator {
  public:
    static constexpr int kBytes = sizeof(T);
    static constexpr PhiloxShape kShape{
        bernoulli_name(T{}), kBytes, 1, 1, PhiloxShape::LaneOrder::halves, 4, 6,
        kBernoulliRegisters};
    struct Parameters {
        uint32_t limit;
    };
    static PackedParameters pack(float p) {
        return PackedParameters(Parameters{static_cast<uint32_t>(std::ceil(p * 0x1p23f))});
    }
    explicit PhiloxBernoulli(const Key& key) : PhiloxGenerator(key, kShape) {}

  private:
    void load_parameters() override {
        taken_ = hold_u32(convert_vec(0), 0x7FFFFF);
        one_ = hold_elements(convert_vec(1), one_bits(data_type_of(T{})), kBytes);
    }
    void emit_convert(Stream&, int) override {}
    void emit_store(const Stream& s, const Xbyak::RegExp& to, bool streaming) override {
        const Vec limit = vec(s.c1), scratch = vec(s.c3);
        const Mask below{k1, limit};
        int at = 0;
        for (const Vec& k : {vec(s.c0), vec(s.c2)}) {
            and_bits(k, k, taken_);
            broadcast_u32(limit, parameter_address(offsetof(Parameters, limit)));
            compare_greater_s32(below, limit, k);
            store_where(to + at, below, one_, kBytes, scratch, streaming);
            at += lanes(4) * kBytes;
        }
    }

    Held taken_, one_;
};

// A tensor P of f32, alignment tensorflow. The kernel reads P as dropout reads its source:
//
//   element = k * 2^-23 < P ? 1 : 0        the product is exact in f32
template <class T>
class PhiloxBernoulliTensor : public PhiloxTransformGenerator {
  public:
    static constexpr int kBytes = sizeof(T);
    static constexpr TransformShape kShape{32, sizeof(float), kBytes};
    struct Parameters {
        Pointers pointers;
    };
    explicit PhiloxBernoulliTensor(const Key& key)
        : PhiloxTransformGenerator(key, (std::string(bernoulli_name(T{})) + ".tensor").c_str(),
                                   kShape, kBernoulliRegisters) {}

  private:
    void load_values() override {
        taken_ = hold_u32(convert_vec(0), 0x7FFFFF);
        one_ = hold_elements(convert_vec(1), one_bits(data_type_of(T{})), kBytes);
    }
    void emit_group(const Stream& s, const Xbyak::RegExp& from, const Xbyak::RegExp& to,
                    const Xbyak::RegExp&, bool streaming) override {
        const Mask below{k1, vec(s.c1)};
        int at = 0;  // element
        for (const Vec& k : {vec(s.c0), vec(s.c2)}) {
            and_bits(k, k, taken_);
            vcvtdq2ps(k, k);
            vmulps(k, k, vector_f32(0x1p-23f));
            compare_f32(below, k, ptr[from + at * int{sizeof(float)}], kLess);
            store_where(to + at * kBytes, below, one_, kBytes, vec(s.c3), streaming);
            at += lanes(4);
        }
    }

    Held taken_, one_;
};

// Lanes: an element in each u64 lane, whose first word, the high half of k, is the low word.
template <class T>
class Mt19937Bernoulli : public Mt19937Generator {
  public:
    static constexpr bool kServes = sizeof(T) >= 4;  // narrower ones would fill less than a store
    static constexpr Mt19937Shape kShape{bernoulli_name(T{}), 2, sizeof(T), sizeof(T) == 8 ? 3 : 5,
                                         swapped_words_mask(53)};
    struct Parameters {
        int64_t limit;
    };
    static PackedParameters pack(double p) {
        return PackedParameters(Parameters{static_cast<int64_t>(std::ceil(p * 0x1p53))});
    }
    explicit Mt19937Bernoulli(const Key& key) : Mt19937Generator(std::get<0>(key), kShape) {}

  private:
    static constexpr int kLimit = kParameter, kZero = kParameter + 1, kOne = kParameter + 2;

    void load_parameters() override {
        load_parameter(kLimit, offsetof(Parameters, limit), sizeof(int64_t));
        zero_ = hold_u64(kZero, 0);
        one_ = hold_u64(kOne, one_bits(data_type_of(T{})));
    }
    void emit_value() override {
        const Vec y = vec(kValue);
        const Mask below{k1, vec(kT0)};
        swap_words_u64(y, y);
        compare_greater_s64(below, vec(kLimit), y);
        and_or_masked_u64(y, below, zero_, one_);
    }
    void emit_store(int at, bool streaming) override {
        if (sizeof(T) == 8) return emit_put(at, vec(kValue), streaming);
        narrow_u64(half(kValue), vec(kValue));
        emit_put(at, half(kValue), streaming);
    }

    Held zero_, one_;
};

}  // namespace tombola::impl::cpu::x64
