// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes over a row of SRC, in units of kUnitClasses classes:
//
//   RowMaxKernel       finds the greatest element, and whether there is a refused element
//   WeightSumKernel    sums the weights of each block without storing a weight
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
    // For scaled logits: a scaled logit below `flush` has the weight 0. At least WeightExpF32::kFlush.
    uint64_t flush;
};

// Sums the weights of blocks. In the same pass it also finds, depending on the source:
//
//   weights          the greatest weight of the classes that it sums
//   logits           the greatest logit of the row that is read next, which the kernel fetches into the cache with that
//   scaled logits    nothing; it only prefetches the row that is read next
class WeightSumKernel : public WeightOps {
  public:
    using Key = std::tuple<CpuIsa, FloatType, bool, bool>;  // ISA, type, logits, scaled
    struct Args {
        BlockArgs blocks;
        WeightScaleArgs scale;
        RowFindings found;  // out, unless scaled
    };
    explicit WeightSumKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), std::get<2>(key), "weights.sum",
                    std::get<3>(key)) {}

  private:
    void generate() override;
    void emit_unit(const Reg& src, const Reg& ahead);
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
