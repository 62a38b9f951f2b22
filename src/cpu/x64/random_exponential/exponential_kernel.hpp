// SPDX-License-Identifier: Apache-2.0
#pragma once

// From the words of a stream to exponentially distributed numbers: cpu/random_exponential/exponential_rule.hpp, in f64
// lanes.
//
//   k = the low bits of the words, as f64 (exact)
//   x = 1 - k * 2^-bits
//   value = (0 - ln x) * factor or, for tensorflow, (0 - ln x) / factor
//
// Lanes: a step makes lanes(4) elements in two vectors of f64. For narrower types they are rounded to f32 and joined.
//
// Registers:  v0 factor   v1 2^-bits   v2 zero   v3 x of the first half   v4 x of the second half
//             v5 ... v11 ln, of both halves in turn; with 32 registers of the first half, and v12 ... v18 of the second
//             after them: constants
//             gpr 0 args, 1 words, 2 to, 3 steps

#include <cstdint>
#include <tuple>

#include "common/types.hpp"
#include "cpu/x64/maths.hpp"

namespace tombola::impl::cpu::x64 {

class ExponentialKernel : public Maths {
  public:
    struct Args {
        const uint32_t* words;
        void* to;
        int64_t steps;  // at least 1
        double factor;  // pytorch: 1 / LAMBDA; tensorflow: LAMBDA
        // Nonzero: stores bypass the caches, and `to` is aligned to a cache line.
        uint64_t streaming;
    };
    using Key = std::tuple<CpuIsa, Alignment, DataType>;
    explicit ExponentialKernel(const Key& key);

  private:
    void generate() override;
    // Whether both logarithms have scratch registers, so that their instructions alternate.
    bool has_room() const { return registers() > 16; }
    void emit_loop(bool streaming);
    void emit_uniform(int half);  // x = 1 - u
    void emit_logarithms();
    void emit_exponential(int half);
    void emit_store(bool streaming);
    int words() const;
    int bits() const;

    Alignment alignment_;
    DataType type_;
    Held taken_, magic_, one_;
};

}  // namespace tombola::impl::cpu::x64
