// SPDX-License-Identifier: Apache-2.0
#pragma once

// The targets of a Fisher-Yates shuffle:  to[j] = i + word[j] mod (range - i)  with i = first + j.
//
// In f64, with d = range - i, w the word and r near 1 / d:
//
//     q = trunc((w + 1/2) * r);   w mod d = trunc(w + 1/2 - q * d)
//
// w + 1/2 is exact, and w + 1/2 - q * d is too, by fma. (w + 1/2) / d lies at least 1 / (2d) from an integer, which is 2^-33 of
// it or more. So q is right where the product is wrong by less than 2^-33 of it. q < 2^31 for d >= 2, and the last step of a
// shuffle has d = 2.
//
// For d below kMinRefined r is the quotient, rounded. Above, a division would take most of the time, and r is made of the r of
// the step before, which belongs to d + step. With t = 1 - d * r = step / (d + step):
//
//     r' = r + r * (t + t^2)          wrong by t^3 < 2^-36 of it, and by what is rounded
//
// Lanes: one target in each f64 lane. Targets behind the last one may be computed too; where d <= 0 they are junk.

#include <cstdint>
#include <tuple>

#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class TargetKernel : public Vocabulary {
  public:
    struct Args {
        const uint32_t* words;
        uint32_t* to;
        int64_t
            count;  // at least 1; whole steps of kMaxStep words are read and targets are written
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
