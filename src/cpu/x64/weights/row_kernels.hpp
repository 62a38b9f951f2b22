// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes over a row of SRC, in units of kUnitClasses classes:
//
//   RowMaxKernel       finds the greatest element, and whether there is a refused element
//   WeightSumKernel    sums the weights of each block without storing a weight
//   SplitSumKernel     the same sums in fewer instructions, for types of up to 32 bits in rows of more than 4,096
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
        const void* src;
        // The row that is read next, from the same class on, or src itself. For weights, if the machine has `read_ahead`: the address that
        // many bytes after src. Only kernels of unscaled logits read it; others prefetch it.
        const void* ahead;
        int64_t blocks;  // at least 1
        int64_t units;   // of each block, at least 1
        uint64_t* sums;  // out: one per block
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

// With e = floor(log2 of the greatest weight) and L = ceil(log2 classes), kMinLog <= L <= kMaxLog, the integer q of a
// weight w < 2^(e+1) is computed in two parts, h and l:
//
//   q = max(1, floor(w * 2^(61-L-e))) = h * 2^(36-L) + l
//   h = floor(w' * 2^(25-e))
//   l = floor((w' * 2^(25-e) - h) * 2^(36-L))
//
// where w' = max(w, 2^(L+e-61)), or 0 if w is 0. Every step is exact. The factor 2^(25-e) is applied by an addition to the exponent before
// any other calculation, so no calculation sees a subnormal weight. h has 24 significant bits, so it is at most 2^26 - 4, and l is less
// than 2^23. A lane adds at most 64 of each per block, so the sums fit in 32 bits.
//
// The greatest weight is found by its bits as an unsigned integer. If this integer is above kGreatestFinite, there is -0 or an element that
// is not allowed.
class SplitSumKernel : public WeightOps {
  public:
    static constexpr int kMinLog = 13, kMaxLog = 36;
    static constexpr uint32_t kGreatestFinite = 0x7F7FFFFF;
    struct Scale {
        uint32_t greatest, ratio, flush;  // logits: as in WeightScaleArgs
        uint32_t smallest;                // the bits of 2^(L+e-61)
        uint32_t to_exponent;             // weights: 25 - e, as an addend to the bits of an f32
        uint32_t low_bits;                // 36 - L
        FixedPoint low;                   // of low_bits
    };
    // The exponential multiplies the weights of logits by 2^25. This is the exponent field of the greatest weight after that.
    static constexpr int kHighBits = 25, kFieldOfLogits = 127 + kHighBits;
    // field: the exponent field of the greatest weight, or kFieldOfLogits.
    static Scale scale(const WeightScaleArgs& args, int field, int log_classes, CpuIsa isa);

    using Key = std::tuple<CpuIsa, FloatType, bool, bool>;  // ISA, type, logits, scaled
    struct Args {
        const void* src;
        const void* ahead;  // as in WeightSumKernel
        int64_t blocks;     // at least 1
        int64_t units;      // of each block, 1 to 32
        uint64_t* sums;     // out: one per block
        Scale scale;
        uint32_t start;     // -low.bias * (vectors of a block), modulo 2^32
        RowFindings found;  // out, unless scaled; of weights, the maxima as described above
    };
    explicit SplitSumKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), std::get<2>(key), "weights.split_sum",
                    std::get<3>(key)) {}

  private:
    void generate() override;
    int units_together() const { return registers() == 32 ? 2 : 1; }
    void load_constants(const Reg& args);
    void emit_block(const Reg& src, const Reg& ahead, const Reg& left);
    void emit_units(const Reg& src, const Reg& ahead, int units);
    void emit_prepared(const Lanes& r);
    void emit_sum(const Reg& args, const Reg& sums);

    Vec smallest_, to_exponent_, low_, zeros_;
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
