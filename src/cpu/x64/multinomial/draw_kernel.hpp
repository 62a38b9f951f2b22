// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples from a cumulative distribution by its guide table (cpu/multinomial/guide_table.hpp), one sample per lane.
//
//   a = (w0 & FFFFF) << 32 | w1      the uniform number is a / 2^52
//   t = ceil(a * S / 2^52)           exact: products of 32-bit halves, a = a1:a0 and S = s1:s0
//     = (a1 s1 << 12) + (((a0 s0 + FFFFFFFF >> 32) + a1 s0 + a0 s1 + FFFFF) >> 20)
//   k = guide[t >> shift];  while (prefix[k] < t) ++k, at most `classes` times
//
// The search ends after at most `classes` steps, whatever the gathers return. So a faulty gather, which some emulators
// have, gives a wrong sample and not an endless loop.
//
// For a = 0 this t is 0 and not 1. k is the same, because guide[0] is the lowest class that can be drawn.

#include <cstdint>
#include <tuple>

#include "common/types.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class DrawKernel : public Vocabulary {
  public:
    using Key = std::tuple<CpuIsa, DataType>;
    struct Args {
        const uint32_t* words;  // one pair (w0, w1) per sample
        void* indices;          // out: s32 or s64, one per sample
        int64_t groups;         // of kGroupSamples samples, at least 1
        const uint32_t* guide;
        const uint64_t* prefix;
        uint64_t sum;      // S
        uint64_t shift;    // of a bucket
        uint64_t classes;  // bounds the search
    };
    static constexpr int kGroupSamples = 32;

    explicit DrawKernel(const Key& key);

  private:
    // One vector of samples: its target, its class, the class's prefix sum, and whether that is below the target.
    struct Sample {
        Vec t, k, c;
        Mask searching;
    };

    void generate() override;
    Sample sample(int i) const {
        return {vec(3 * i), vec(3 * i + 1), vec(3 * i + 2), {Xbyak::Opmask(1 + i), vec(14 + i)}};
    }
    Mask consumed() const { return {k5, t0_}; }
    void emit_target(const Sample& s, const Address& words);
    void emit_guess(const Sample& s);
    void emit_first_step(const Sample& s);
    void emit_next_step(const Sample& s);
    void emit_test_any_searching();
    void emit_store(const Sample& s, const Xbyak::RegExp& to);

    DataType type_;
    int vectors_;  // of samples at once
    Vec s0_, s1_, high_, up_, shift_, one_, t0_, t1_;
    Reg guide_, prefix_;
};

}  // namespace tombola::impl::cpu::x64
