// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the greatest logits of a row are found without a sort. A row is cut into groups of kGroupClasses classes.
//
//   MaskKernel       copies a row, with -inf for classes that are not allowed
//   GroupMaxKernel   the maxima of kGroupLanes interleaved parts of each group, the greatest logit, and whether there is a
//                    NaN
//   CountKernel      how many numbers are at least a threshold
//   CollectKernel    the classes whose logit is at least a threshold, or lies between two, in class order
//
// If at least k of the maxima reach a threshold, the first k classes of the order reach it too. Then only groups with
// such a maximum have to be read again.

#include <cstdint>
#include <tuple>

#include "cpu/x64/weights/weight_ops.hpp"

namespace tombola::impl::cpu::x64 {

inline constexpr int kGroupClasses = 512;
inline constexpr int kGroupLanes = 16;

// The bits of -inf, in the low bytes.
uint32_t minus_infinity(FloatType type);

class MaskKernel : public WeightOps {
  public:
    static constexpr int kWordClasses = 32;  // number of classes in one word of MASK
    using Key = std::tuple<CpuIsa, FloatType>;
    struct Args {
        const void* src;
        void* dst;
        const uint32_t* mask;  // bit k % 32 of word k / 32 is 1 where class k is allowed
        int64_t words;         // at least 1
    };
    explicit MaskKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), true, "token_sampler.mask") {}

  private:
    void generate() override;
};

class GroupMaxKernel : public WeightOps {
  public:
    using Key = std::tuple<CpuIsa, FloatType, bool>;  // ISA, type, whether the rows lie in memory
    struct Args {
        const void* src;
        int64_t groups;     // at least 1
        float* maxima;      // out: kGroupLanes per group
        RowFindings found;  // out
    };
    explicit GroupMaxKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), true,
                    std::get<2>(key) ? "token_sampler.far_max" : "token_sampler.max"),
          far_(std::get<2>(key)) {}

  private:
    void generate() override;
    int chains() const;
    Mask ordered(int chain) const { return {Xbyak::Opmask(1 + chain), vec(7)}; }
    Vec greatest() const { return vec(9); }
    void emit_group(const Reg& src);
    void emit_load_pair(const Vec& even, const Vec& odd, const Xbyak::RegExp& from);
    void emit_end(const Reg& args, const Reg& unset, const Reg& refused);

    bool far_;
};

class CountKernel : public WeightOps {
  public:
    using Key = std::tuple<CpuIsa, FloatType>;
    struct Args {
        const void* values;
        int64_t units;       // of kUnitClasses numbers, at least 1
        uint64_t threshold;  // the bits of an f32
        uint64_t reached;    // out
    };
    explicit CountKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), true, "token_sampler.count") {}

  private:
    void generate() override;
};

class CollectKernel : public WeightOps {
  public:
    using Key = std::tuple<CpuIsa, FloatType, bool>;  // ISA, type, between two thresholds
    struct Args {
        const void* src;
        const float* maxima;  // kGroupLanes per group
        int64_t groups;       // at least 1; out: how many are left
        uint64_t first;       // the class of the first element
        uint32_t* to;        // out: the end of the classes; up to 64 bytes after it are overwritten
        uint32_t* limit;     // the kernel stops after the group in which `to` reaches `limit`
        uint32_t threshold;  // the bits of an f32
        // Upper threshold, as bits of an f32; used only by kernels with two thresholds.
        uint32_t highest;
    };
    explicit CollectKernel(const Key& key)
        : WeightOps(std::get<0>(key), std::get<1>(key), true,
                    std::get<2>(key) ? "token_sampler.collect_between" : "token_sampler.collect"),
          between_(std::get<2>(key)) {}

  private:
    void generate() override;
    void emit_reached(const Mask& reached, const Vec& x);
    void emit_pair(const Reg& src, const Reg& first, const Reg& to, const Reg& count,
                   const Reg& bit);

    bool between_;
};

}  // namespace tombola::impl::cpu::x64
