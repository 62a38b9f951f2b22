// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inner loops of a jump of MT19937 as generated code (cpu/rng/mt19937_jump.hpp has the mathematics).
//
// Squaring modulo p. The square of a word is one carry-less multiplication. p has 135 terms, so shifts remove its
// multiples faster than multiplications would: for each term t^e below the leading one, the bit of weight
// t^(b + 19937 - e) is added to the bit of weight t^b. Lanes: a chunk has 4 or 8 words of bits, and
//
//     chunk ^= (words at distance q) >> r | (words at distance q + 1) << (64 - r),    19937 - e = 64 q + r
//
// The high half is reduced from the top down. No chunk depends on itself, because the smallest distance is 623 bits.
// Distances ascend, and a chunk is done when they leave the half. Then the low half takes its bits from the high half.
// There the distances descend, and a chunk is done when they no longer reach the high half.
//
// Adding windows. 13 registers hold a part of the sum of 624 words, so there are 3 or 6 passes over the places.

#include <tuple>

#include "common/status.hpp"
#include "cpu/rng/mt19937_jump.hpp"
#include "cpu/x64/vocabulary.hpp"

namespace tombola::impl::cpu::x64 {

class MtSquareKernel : public Vocabulary {
  public:
    struct Args {
        const uint64_t* g;
        uint64_t* low;
        uint64_t* zero_high_zero;
    };
    using Key = std::tuple<CpuIsa>;
    explicit MtSquareKernel(const Key& key) : Vocabulary(std::get<CpuIsa>(key), "mt19937.square") {}

  private:
    void generate() override;
    void emit_squares();
    void emit_reduce_high();
    void emit_reduce_low();
    void emit_xor_from(const Reg& at, int distance);
};

class MtAddWindowsKernel : public Vocabulary {
  public:
    struct Args {
        uint32_t* sum;
        const uint32_t* line;
        const uint16_t* places;
        int64_t count;  // at least 1
    };
    using Key = std::tuple<CpuIsa>;
    explicit MtAddWindowsKernel(const Key& key)
        : Vocabulary(std::get<CpuIsa>(key), "mt19937.add_windows") {}

  private:
    void generate() override;
};

class JitMtJumpLoops : public MtJumpLoops {
  public:
    static Result<JitMtJumpLoops> create(CpuIsa isa);

    void square(const MtPolynomial& g, MtSquare& square) const override;
    void add_windows(uint32_t* sum, const uint32_t* line, const uint16_t* places,
                     int count) const override;

  private:
    JitMtJumpLoops() = default;

    JitFunction<MtSquareKernel::Args> square_;
    JitFunction<MtAddWindowsKernel::Args> add_windows_;
};

}  // namespace tombola::impl::cpu::x64
