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

#include "common/types.hpp"
#include "cpu/random_bernoulli/bernoulli_rule.hpp"
#include "cpu/x64/rng/mt19937_generator.hpp"
#include "cpu/x64/rng/philox_generator.hpp"
#include "cpu/x64/rng/philox_transform.hpp"

namespace tombola::impl::cpu::x64 {

// Of the conversions from Philox: two constants.
inline constexpr OwnRegisters kBernoulliRegisters{0, 2};

inline std::string bernoulli_name(DataType type) {
    return std::string("bernoulli.") + name_of(type);
}

class PhiloxBernoulli : public PhiloxGenerator {
  public:
    using Key = std::tuple<CpuIsa, PhiloxLanes, DataType>;
    struct Parameters {
        uint32_t limit;
    };
    static PhiloxShape shape(const Key& key) {
        const DataType type = std::get<DataType>(key);
        return {bernoulli_name(type),
                static_cast<int>(size_of(type)),
                1,
                1,
                PhiloxShape::LaneOrder::halves,
                kBernoulliRegisters};
    }
    static PackedParameters pack(float p) {
        return PackedParameters(Parameters{static_cast<uint32_t>(std::ceil(p * 0x1p23f))});
    }
    explicit PhiloxBernoulli(const Key& key)
        : PhiloxGenerator({std::get<CpuIsa>(key), std::get<PhiloxLanes>(key)}, shape(key)),
          type_(std::get<DataType>(key)),
          bytes_(static_cast<int>(size_of(type_))) {}

  private:
    void load_parameters() override {
        taken_ = hold_u32(convert_vec(0), 0x7FFFFF);
        one_ = hold_elements(convert_vec(1), one_bits(type_), bytes_);
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
            store_where(to + at, below, one_, bytes_, scratch, streaming);
            at += lanes(4) * bytes_;
        }
    }

    DataType type_;
    int bytes_;  // of an element
    Held taken_, one_;
};

// A tensor P of f32, alignment tensorflow. The kernel reads P as dropout reads its source:
//
//   element = k * 2^-23 < P ? 1 : 0        the product is exact in f32
class PhiloxBernoulliTensor : public PhiloxTransformGenerator {
  public:
    using Key = std::tuple<CpuIsa, PhiloxLanes, DataType>;
    struct Parameters {
        Pointers pointers;
    };
    static TransformShape shape(const Key& key) {
        return {32, sizeof(float), static_cast<int>(size_of(std::get<DataType>(key)))};
    }
    explicit PhiloxBernoulliTensor(const Key& key)
        : PhiloxTransformGenerator({std::get<CpuIsa>(key), std::get<PhiloxLanes>(key)},
                                   bernoulli_name(std::get<DataType>(key)) + ".tensor", shape(key),
                                   kBernoulliRegisters),
          type_(std::get<DataType>(key)),
          bytes_(static_cast<int>(size_of(type_))) {}

  private:
    void load_values() override {
        taken_ = hold_u32(convert_vec(0), 0x7FFFFF);
        one_ = hold_elements(convert_vec(1), one_bits(type_), bytes_);
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
            store_where(to + at * bytes_, below, one_, bytes_, vec(s.c3), streaming);
            at += lanes(4);
        }
    }

    DataType type_;
    int bytes_;  // of an element
    Held taken_, one_;
};

// Lanes: an element in each u64 lane, whose first word, the high half of k, is the low word.
class Mt19937Bernoulli : public Mt19937Generator {
  public:
    using Key = std::tuple<CpuIsa, DataType>;
    static constexpr int kWords = 2;  // of an element
    struct Parameters {
        int64_t limit;
    };
    static Mt19937Shape shape(const Key& key) {
        const DataType type = std::get<DataType>(key);
        const int bytes = static_cast<int>(size_of(type));
        return {bernoulli_name(type), kWords, bytes, bytes == 8 ? 3 : 5, swapped_words_mask(53)};
    }
    // Narrower elements would fill less than a store.
    static bool serves(DataType type) { return size_of(type) >= 4; }
    static PackedParameters pack(double p) {
        return PackedParameters(Parameters{static_cast<int64_t>(std::ceil(p * 0x1p53))});
    }
    explicit Mt19937Bernoulli(const Key& key)
        : Mt19937Generator(std::get<CpuIsa>(key), shape(key)), type_(std::get<DataType>(key)) {}

  private:
    static constexpr int kLimit = kParameter, kZero = kParameter + 1, kOne = kParameter + 2;

    void load_parameters() override {
        load_parameter(kLimit, offsetof(Parameters, limit), sizeof(int64_t));
        zero_ = hold_u64(kZero, 0);
        one_ = hold_u64(kOne, one_bits(type_));
    }
    void emit_value() override {
        const Vec y = vec(kValue);
        const Mask below{k1, vec(kT0)};
        swap_words_u64(y, y);
        compare_greater_s64(below, vec(kLimit), y);
        and_or_masked_u64(y, below, zero_, one_);
    }
    void emit_store(int at, bool streaming) override {
        if (size_of(type_) == 8) return emit_put(at, vec(kValue), streaming);
        narrow_u64(half(kValue), vec(kValue));
        emit_put(at, half(kValue), streaming);
    }

    DataType type_;
    Held zero_, one_;
};

}  // namespace tombola::impl::cpu::x64
