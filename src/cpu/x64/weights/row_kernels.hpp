// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes over a row of SRC, in units of kUnitClasses classes:
//
//   RowMaxKernel       finds the greatest element, and whether there is a refused element
//   WeightSumKernel    sums the weights of each block without storing a weight; without logits it also finds what
//                      RowMaxKernel finds
//   LogitSumKernel     the same sums in fewer instructions, for logits of up to 32 bits in rows of more than 4,096
//                      classes
//   WeightStoreKernel  stores the weights

#include <cstdint>
#include <tuple>

#include "cpu/x64/weights/weight_ops.hpp"

namespace tombola::impl::cpu::x64 {

class RowMaxKernel : public WeightOps {
  public:
    using Key = std::tuple<CpuIsa, FloatType, bool>;
    struct Args {
        const void* src;
        int64_t units;
        RowFindings found;  // out
    };
    explicit RowMaxKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), std::get<2>(key), "weights.max") {}

  private:
    void generate() override;
};

// The arguments of the two kernels that compute weights.
struct WeightScaleArgs {
    uint64_t greatest;  // logits: the greatest one, as the bits of a lane
    uint64_t top;       // 1 + L + exponent field of the greatest weight
    uint64_t ratio;     // of scaled logits, as the bits of a lane
    uint64_t
        flush;  // of scaled logits: a scaled logit below it has the weight 0; not below WeightExpF32::kFlush
};

class WeightSumKernel : public WeightOps {
  public:
    using Key = std::tuple<CpuIsa, FloatType, bool, bool>;  // ISA, type, logits, scaled
    struct Args {
        const void* src;
        const void*
            ahead;       // prefetched in step with src: the data that is read next, or src itself
        int64_t blocks;  // at least 1
        int64_t units;   // of each block, at least 1
        uint64_t* sums;  // out: one per block
        WeightScaleArgs scale;
        RowFindings found;  // out, without logits
    };
    explicit WeightSumKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), std::get<2>(key), "weights.sum",
                    std::get<3>(key)) {}

  private:
    void generate() override;
    Mask noted() const { return {k2, vec(8)}; }
    void emit_unit(const Reg& src, const Reg& ahead);
};

// With L = ceil(log2 classes) >= kMinLog, the integer q of a weight w <= 1 is computed in two parts, h and l:
//
//   q = max(1, floor(w * 2^(61-L))) = h * 2^(36-L) + l
//   h = floor(w' * 2^25)
//   l = floor((w' * 2^25 - h) * 2^(36-L))
//
// where w' = max(w, 2^(L-61)), or 0 if w is 0. Every step is exact. h is at most 2^25 and l is less than 2^23. A lane
// adds at most 64 of them for a block, so their sums have 32 bits.
class LogitSumKernel : public WeightOps {
  public:
    static constexpr int kMinLog = 13;
    static constexpr int kHighBits = 25;
    struct Scale {
        uint32_t greatest, ratio, flush;  // as in WeightScaleArgs
        float smallest;                   // 2^(L-36)
        uint32_t low_bits;                // 36 - L
        FixedPoint low;                   // of low_bits
    };
    static Scale scale(const WeightScaleArgs& args, int log_classes, CpuIsa isa);

    using Key = std::tuple<CpuIsa, FloatType, bool>;  // ISA, type, scaled
    struct Args {
        const void* src;
        const void* ahead;  // as in WeightSumKernel
        int64_t blocks;     // at least 1
        int64_t units;      // of each block, 1 to 32
        uint64_t* sums;     // out: one per block
        Scale scale;
        uint32_t start;  // -low.bias * (vectors of a block), modulo 2^32
    };
    explicit LogitSumKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), true, "weights.logit_sum",
                    std::get<2>(key)) {}

  private:
    void generate() override;
    void emit_unit(const Reg& src, const Reg& ahead);
    void emit_sum(const Reg& args, const Reg& sums);

    Vec smallest_, low_;
};

class WeightStoreKernel : public WeightOps {
  public:
    using Key = std::tuple<CpuIsa, FloatType, bool, bool>;  // ISA, type, logits, scaled
    struct Args {
        const void* src;
        int64_t units;      // at least 1
        uint64_t* weights;  // out: one per class
        WeightScaleArgs scale;
    };
    explicit WeightStoreKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), std::get<2>(key), "weights.store",
                    std::get<3>(key)) {}

  private:
    void generate() override;
    ZipOrder order() const { return {vec(5), vec(6)}; }
    void emit_store(const Reg& to, int vector, const Lanes& r);
};

}  // namespace tombola::impl::cpu::x64
