// SPDX-License-Identifier: Apache-2.0
#pragma once

// Estimates of the sums of blocks, in far fewer instructions than exact sums, for types of up to 32 bits. They decide nearly every draw
// (estimated_row.hpp). A row that they do not decide is summed exactly.
//
// A lane adds f32 weights to one of kSums f32 sums. At the end of a block, these are added, and the sum of the lanes is stored as an f64.
// There are two kinds of errors:
//
//   roundings   of a sum that gets n numbers or products that are not negative: a relative error of at most n * 2^-24. A sum of a lane gets
//               at most max_addends() of them, and kSums are added in two more steps. The errors of f64 do not matter.
//   logits      kWeightError + kWeightErrorPerUnit * |d| relative to the weight of d = logit - greatest logit: see below. The weights as
//               parts of their sum are probabilities p, and |d| is at most -ln p. The mean of -ln p, the entropy, is at most ln(classes).
//               So the error of the sum is at most kWeightError + kWeightErrorPerUnit * ln(classes).
//
// The exact sum adds the integers of weights (cpu/weights/weight_quantum.hpp), each of which differs from the weight by at most 1 unit of
// 2^(L+e-61). The sum of all is at least 2^e. So this adds at most 2^(2L-61) to the error.

#include <cstdint>
#include <tuple>

#include "cpu/x64/weights/logit_passes.hpp"
#include "cpu/x64/weights/row_kernels.hpp"

namespace tombola::impl::cpu::x64 {

// The error of the estimate of any part of a row's sum, relative to the sum of the whole row. L is ceil_log2(classes).
double estimate_error(CpuIsa isa, bool log_probs, int log_classes);
// With more classes, most of the error would be that of the integers.
inline constexpr int kMaxEstimatedLog = 20;

// Of weights. It also finds what PositiveSumKernel finds.
class WeightEstimateKernel : public WeightOps {
  public:
    using Key = std::tuple<CpuIsa, FloatType>;
    struct Args {
        BlockArgs blocks;   // sums: f64
        RowFindings found;  // out, as of PositiveSumKernel
    };
    explicit WeightEstimateKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), false, "weights.estimate") {}

  private:
    void generate() override;
    void emit_vectors(const Reg& src, int vectors);
    Vec element(int i) const { return vec(i); }
    Vec sum(int i) const { return vec(8 + i); }
};

// The weight of a logit in fewer steps than weight_exp(), with a table of the first `size` powers of 2^(1/size):
//
//   z = fma(e, size * kLog2e, -kRound)         -(n + kRound), n the integer next to size * d / ln 2, where e = -d
//   t = fma(e, size * kLog2e, -(z + kRound))   -(size * d / ln 2 - n) up to roundings: |t| <= 1/2
//   s = table[n mod size] * 2^floor(n / size)
//   w = s * 2^(-t / size)                      a polynomial of t; s times its value is not rounded
//
// kLog2e is 1.0000000134 times as great as 1 / ln 2, so the error of t grows with e. Beyond kFarthest e counts as kFarthest: the weight
// becomes e^-80 in place of less.
struct WeightEstimate {
    static constexpr float kLog2e = 0x1.715476p+0f, kRound = 0x1.8p+23f, kFarthest = 80.0f;
    static constexpr int kMaxDegree = 3;
    // What depends on the ISA. c[0] is 1, the others minimise the greatest relative error: 2^-24.1 with 32 entries, 2^-25.2 with 8.
    int size_log, degree;
    float c[kMaxDegree + 1];
    static WeightEstimate of(CpuIsa isa);
    // An entry of the table, without the bits that n adds to those of the exponent.
    uint32_t entry(int i) const;

    // The difference to weight_exp<WeightExpF32>(), relative to it, is at most kError + kErrorPerUnit * e. The greatest differences found
    // in all floats from 2^-40 on are 2.28e-7 + 1.4e-8 * e.
    static constexpr double kError = 2.6e-7, kErrorPerUnit = 1.4e-8;
};

// Of logits. It also finds what LogitSumKernel finds.
class LogitEstimateKernel : public LogitPasses {
  public:
    using Key = std::tuple<CpuIsa, FloatType, bool>;  // ISA, type, scaled
    struct Args {
        LogitArgs row;      // sums: f64
        RowFindings found;  // out, unless scaled
    };
    explicit LogitEstimateKernel(const Key& key)
        : LogitPasses(std::get<0>(key), std::get<1>(key), std::get<2>(key),
                      "weights.logit_estimate"),
          weight_(WeightEstimate::of(std::get<0>(key))) {}

  private:
    void generate() override;
    void load_constants();
    void list_steps();
    void emit_blocks(bool in_passes);
    Vec sum(int i) const;

    Vec second_scratch() const { return vec(registers() == 32 ? 8 : 15); }

    WeightEstimate weight_;
    Held log2e_, round_, farthest_, c_[WeightEstimate::kMaxDegree + 1], table_[2];
};

}  // namespace tombola::impl::cpu::x64
