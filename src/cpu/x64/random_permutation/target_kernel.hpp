// SPDX-License-Identifier: Apache-2.0
#pragma once

// The targets of a Fisher-Yates shuffle:  to[j] = i + word[j] mod (range - i)  with i = first + j.
//
// In f64, with d = range - i, w the word and r near 1 / d:
//
//     q = trunc((w + 1/2) * r);   w mod d = trunc(w + 1/2 - q * d)
//
// w + 1/2 is exact, and so is w + 1/2 - q * d, which is an fma. (w + 1/2) / d is at least 1 / (2d) away from every
// integer, which is a relative distance of at least 2^-33. So q is right if the relative error of the product is below
// 2^-33. q < 2^31 for d >= 2, and the last step of a shuffle has d = 2.
//
// For d below kMinRefined, r is 1 / d, rounded. Above, divisions would take most of the time, so r is refined from the
// r of the step before, which belongs to d + step. With t = 1 - d * r = step / (d + step):
//
//     r' = r + r * (t + t^2)          relative error t^3 < 2^-36, plus rounding errors
//
// kMinRefined follows from this error for steps of 16, so it is the same on every machine.
//
// Lanes: one target in each f64 lane. Targets after the last one may be computed too; where d <= 0 they are junk.

#include <cstdint>
#include <tuple>

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class TargetKernel : public Vocabulary {
  public:
    struct Args {
        const uint32_t* words;
        uint32_t* to;
        // At least 1. Whole steps of kMaxStep words are read, and as many targets are written.
        int64_t count;
        double first, divisor;  // i of the first target; range - i
    };
    using Key = std::tuple<CpuIsa>;
    static constexpr int kMaxStep = 16;
    static constexpr int64_t kMinRefined = 65536;

    explicit TargetKernel(const Key& key) : Vocabulary(std::get<0>(key), "permutation.targets") {}

  private:
    void generate() override;
    void emit_loop(bool refines);
    void emit_targets(int set, bool refines, const Address& words, const Address& to);
    void emit_divisor(int set);
    void emit_reciprocal(int set, bool refines);
};

}  // namespace tombola::impl::cpu::x64
