// SPDX-License-Identifier: Apache-2.0
#pragma once

// The targets of a Fisher-Yates shuffle:  to[j] = i + word[j] mod (range - i)  with i = first + j.
//
// By f64 division, with d = range - i and w the word, both exact in f64:
//
//     q = trunc(w / d);   w mod d = w - q * d
//
// The division is rounded once, and q is right: w / d lies at least 1 / d below the next integer, which is 1 / w > 2^-32
// of it, and the rounding moves it by 2^-53 of it at most. q < 2^31 for d >= 2. The last step of a shuffle has d = 2.
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

    explicit TargetKernel(const Key& key) : Vocabulary(std::get<0>(key), "permutation.targets") {}

  private:
    void generate() override;
    void emit_targets(int set, const Address& words, const Address& to);
};

}  // namespace tombola::impl::cpu::x64
