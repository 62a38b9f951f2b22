// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes over a row of SRC, in units of kUnitClasses classes:
//
//   RowMaxKernel       its greatest element, and whether it has a refused element
//   WeightSumKernel    the sums of its weights, block by block, without storing a weight; without logits also
//                      what RowMaxKernel tells
//   WeightStoreKernel  its weights

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
