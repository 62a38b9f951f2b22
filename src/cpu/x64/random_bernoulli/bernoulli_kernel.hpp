// SPDX-License-Identifier: Apache-2.0
#pragma once

// From the words of a stream to Bernoulli numbers: cpu/random_bernoulli/bernoulli_rule.hpp.
//
//   element = k < P * 2^bits ? 1 : 0       k the word's low bits; both sides are exact in f32, or f64 for 53 bits
//
// Lanes: a step makes lanes(4) elements, from one vector of words or from two.
//
// Registers:  v0 k    v1 P * 2^bits of a tensor    v2 to v4 masks (AVX2)    v5 scratch    v6 2^bits    v7 1 (AVX-512)
//             v8 P * 2^bits of one P               v9 bits taken (AVX-512)  k1 to k3 masks (AVX-512)
//             gpr 0 args, 1 words, 2 p, 3 to, 4 steps

#include <cstdint>
#include <tuple>

#include "cpu/random_bernoulli/bernoulli_rule.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class BernoulliKernel : public Vocabulary {
  public:
    struct Args {
        const uint32_t* words;
        // f64 for 53 bits, otherwise f32: one probability, or one for each element.
        const void* p;
        void* to;
        int64_t steps;  // at least 1
        // Nonzero: stores bypass the caches, and `to` is aligned to a cache line.
        uint64_t streaming;
    };
    // The ISA, the uniform number, the type of DST, and whether there is one P for all elements.
    using Key = std::tuple<CpuIsa, BernoulliDraw, DataType, bool>;
    explicit BernoulliKernel(const Key& key);

  private:
    void generate() override;
    void load_constants();
    void emit_loop(bool streaming);
    void emit_compare_f32();
    void emit_compare_f64(int half, const Mask& mask);

    BernoulliDraw draw_;
    DataType type_;
    bool one_p_;
    Held taken_, one_;
};

}  // namespace tombola::impl::cpu::x64
