// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes over one whole row of SRC. Generated kernels handle whole units. The classes after the last whole unit are
// handled in a padded copy. Rows whose greatest weight is tiny are handled in scalar C++.

#include <cstdint>
#include <memory>

#include "common/status.hpp"
#include "cpu/weights/row_source.hpp"
#include "cpu/weights/weight_exp.hpp"
#include "cpu/x64/weights/near_sum_kernel.hpp"
#include "cpu/x64/weights/positive_sum_kernel.hpp"
#include "cpu/x64/weights/row_kernels.hpp"

namespace tombola::impl::cpu::x64 {

// One row. Its classes are contiguous at `data`.
struct Row {
    dim_t index = 0;
    const char* data = nullptr;
    RowScale scale;          // for scalar C++
    WeightScaleArgs args{};  // for the kernels
    SplitSumKernel::Scale split_scale{};
    int field = 0;           // the exponent field of the greatest weight
    bool is_scalar = false;  // only scalar C++ can handle this row
};

// The index of the first of `count` weights whose inclusive prefix sum is at least `target`. `target` must not exceed the sum of all.
dim_t class_reaching(const uint64_t* weights, dim_t count, uint64_t target);

class RowPasses {
  public:
    static constexpr dim_t kBlockUnits = 32;
    static constexpr dim_t kBlockClasses = kBlockUnits * kUnitClasses;
    static constexpr dim_t kShortClasses = kBlockClasses;  // the maximum for store_short()

    // What is wanted besides the maximum: store() alone, or store() and sum().
    enum class Weights { stored, both };
    // `src` is [batch, classes]. `scaled`: set_scale() is called with a ratio.
    static Result<RowPasses> create(CpuIsa isa, const MemoryDesc& src, bool log_probs,
                                    Weights weights, bool scaled = false);

    dim_t classes() const { return classes_; }
    dim_t blocks() const { return (classes_ + kBlockClasses - 1) / kBlockClasses; }
    dim_t element_bytes() const { return element_bytes_; }
    // The nanoseconds that one thread takes to read this many classes and to sum their weights.
    double nanoseconds(dim_t classes) const;

    // Finds the greatest element among classes [begin, end); begin is a multiple of kUnitClasses. Returns false if an
    // element is not allowed.
    bool greatest(const char* row, dim_t begin, dim_t end, double& result) const;
    // Whether a row with this greatest element can be drawn from.
    bool is_distribution(double greatest) const;
    // Sets the fields of `row` that follow from the greatest element. `flush`: see WeightScaleArgs.
    void set_scale(Row& row, double greatest, float ratio = 1,
                   float flush = WeightExpF32::kFlush) const;

    // The sums of the weights of blocks [begin, end) of `block_units` units. `ahead` is the row that will be read next, laid
    // out like this one. It also does what greatest() does, unless row.is_scalar: for weights, on this row; for logits, on
    // the row ahead, unless they are scaled.
    bool sum(const Row& row, const RowSource& source, dim_t begin, dim_t end, const char* ahead,
             uint64_t* sums, double& greatest, dim_t block_units = kBlockUnits) const;
    // Weights of classes [begin, end), begin a multiple of kUnitClasses. Up to kUnitClasses - 1 more elements of
    // `weights` are overwritten.
    void store(const Row& row, const RowSource& source, dim_t begin, dim_t end,
               uint64_t* weights) const;
    // Does the work of greatest(), is_distribution(), set_scale() and store() for a whole row of at most kShortClasses classes, by one call of
    // each of two kernels. Returns false if the row is refused. Overwrites as many elements of `weights` as store().
    bool store_short(Row& row, const RowSource& source, uint64_t* weights) const;

  private:
    RowPasses() = default;
    // A copy of fewer than two units, padded to whole units.
    struct alignas(64) Rest {
        uint64_t words[2 * kUnitClasses * sizeof(double) / sizeof(uint64_t)];
        dim_t units;
        const char* data() const { return reinterpret_cast<const char*>(words); }
    };
    // Merges what a kernel has found into `greatest`. Returns false if an element is not allowed.
    bool accept(const RowFindings& found, double& greatest) const;
    // The classes [begin, end), fewer than two units, followed by classes of weight 0.
    Rest padded(const char* row, dim_t begin, dim_t end) const;
    // Consecutive blocks of a row, and where their sums go.
    struct Blocks {
        const char* data;
        const char* ahead;
        dim_t count, units;
        uint64_t* sums;
    };
    void pass_over(Blocks& blocks, dim_t count) const;
    // The same for a kernel that compared the bits of weights as unsigned integers. Also returns false for -0, although it is allowed.
    bool accept_bits(const RowFindings& found, double& greatest) const;
    // The same for a kernel that compared elements as they are stored.
    bool accept_stored(const RowFindings& found, double& greatest) const;
    // Sum blocks with the kernel that serves the row best. Return false if an element is not allowed.
    bool sum_best(const Row& row, const Blocks& blocks, double& greatest) const;
    // Sums with the kernel that serves all blocks.
    bool sum_blocks(const Row& row, const Blocks& blocks, double& greatest) const;
    bool sum_split(const Row& row, const Blocks& blocks, double& greatest) const;
    template <class Sum>
    bool sum_between_stops(const Row& row, Blocks blocks, int kernels, double& greatest,
                           const Sum& sum) const;
    // Sums with the kernel for logits near the greatest one, and with sum_blocks() where a block has other logits. If a block of scaled
    // logits has others, they are probably -inf, so the rest of the row gets the kernel with a limit.
    bool sum_near(const Row& row, const Blocks& blocks, double& greatest) const;
    // With the kernel for weights that are not tiny, and sum_blocks() for blocks that have others. From the first of them on,
    // the row gets the kernel that allows weights of 0, and where this one stops, the kernel that also allows -0.
    bool sum_positive(const Row& row, const Blocks& blocks, double& greatest) const;

    JitFunction<RowMaxKernel::Args> max_;
    JitFunction<WeightSumKernel::Args> sum_;
    JitFunction<SplitSumKernel::Args> split_sum_;  // instead of sum_ if splits_
    bool splits_ = false;
    JitFunction<NearSumKernel::Args> near_sum_, near_limited_sum_;  // empty if there are none
    NearSumKernel::Shape near_shape_{};
    static constexpr int kPositiveKernels = 3;
    static constexpr PositiveSumKernel::Zeros kPositiveZeros[kPositiveKernels] = {
        PositiveSumKernel::Zeros::tiny, PositiveSumKernel::Zeros::plain,
        PositiveSumKernel::Zeros::any};
    // Empty if there are none.
    JitFunction<PositiveSumKernel::Args> positive_sums_[kPositiveKernels];
    JitFunction<WeightStoreKernel::Args> store_;
    CpuIsa isa_ = CpuIsa::none;  // of the kernels
    FloatType type_ = FloatType::f32;
    bool log_probs_ = false;
    bool scaled_ = false;
    dim_t classes_ = 0;
    int log_classes_ = 0;
    dim_t element_bytes_ = 0;
};

}  // namespace tombola::impl::cpu::x64
