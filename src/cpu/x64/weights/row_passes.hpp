// SPDX-License-Identifier: Apache-2.0
#pragma once

// The passes over one whole row of SRC. Generated kernels handle whole units. The classes after the last whole unit are
// handled in a padded copy. Rows whose greatest weight is tiny are handled in scalar C++.

#include <algorithm>
#include <cstdint>
#include <memory>

#include "common/status.hpp"
#include "cpu/weights/row_source.hpp"
#include "cpu/weights/weight_exp.hpp"
#include "cpu/x64/weights/estimate_kernels.hpp"
#include "cpu/x64/weights/logit_sum_kernel.hpp"
#include "cpu/x64/weights/positive_sum_kernel.hpp"
#include "cpu/x64/weights/row_kernels.hpp"

namespace tombola::impl::cpu::x64 {

// One row. Its classes are contiguous at `data`.
struct Row {
    dim_t index = 0;
    const char* data = nullptr;
    RowScale scale;          // for scalar C++
    WeightScaleArgs args{};  // for the kernels
    int field = 0;           // the exponent field of the greatest weight
    bool is_scalar = false;  // only scalar C++ can handle this row
};

// The index of the first of `count` weights whose inclusive prefix sum is at least `target`, and by how much this sum exceeds it. If `target`
// exceeds the sum of all, the index is `count`. The sum must be below 2^63, and `target` at least 1.
struct ClassReached {
    dim_t index;
    uint64_t excess;
};
ClassReached reach_class(const uint64_t* weights, dim_t count, uint64_t target);
// The same, but the last class if the target exceeds the sum of all.
inline dim_t class_reaching(const uint64_t* weights, dim_t count, uint64_t target) {
    return std::min(reach_class(weights, count, target).index, count - 1);
}

class RowPasses {
  public:
    static constexpr dim_t kBlockUnits = kMaxBlockUnits;
    static constexpr dim_t kBlockClasses = kBlockUnits * kUnitClasses;
    static constexpr dim_t kShortClasses = kBlockClasses;  // the maximum for store_short()

    // What is wanted besides the maximum: store() alone, also sum(), or also estimate() where there can be one.
    enum class Weights { stored, summed, estimated };
    // `src` is [batch, classes]. `scaled`: set_scale() is called with a ratio.
    static Result<RowPasses> create(CpuIsa isa, const MemoryDesc& src, bool log_probs,
                                    Weights weights, bool scaled = false);

    dim_t classes() const { return classes_; }
    dim_t blocks() const { return (classes_ + kBlockClasses - 1) / kBlockClasses; }
    dim_t element_bytes() const { return element_bytes_; }
    // The integer of a weight is below this, or is 1.
    uint64_t max_weight() const { return uint64_t{1} << (kWeightBits - log_classes_); }
    // The nanoseconds that one thread takes to read this many classes and to sum their weights, or to estimate the sums.
    enum class Sums { exact, estimated };
    double nanoseconds(dim_t classes, Sums sums = Sums::exact) const;

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
    // Whether there is estimate().
    bool has_estimates() const { return estimate_logits_ || estimate_weights_; }
    // Does what sum() does, also the search for the greatest element, but writes estimates of the sums, of blocks of kBlockUnits. Their unit
    // is the weight 1. For weights, it needs only row.data.
    bool estimate(const Row& row, dim_t begin, dim_t end, const char* ahead, double* sums,
                  double& greatest) const;
    // The error of the estimate of any part of a row's sum, relative to the sum of the row.
    double estimate_error() const { return estimate_error_; }
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
    void pass_over(BlockArgs& blocks, dim_t count) const;
    // The same as accept() for a kernel that compared the bits of weights, as they are stored, as unsigned integers. Also returns false for
    // -0, although it is allowed.
    bool accept_stored(const RowFindings& found, double& greatest) const;
    // Takes the blocks [begin, end) of `block_units` units: sum_blocks(blocks, is_padded) for those in place, and for padded copies of the
    // last classes.
    template <class Sum, class SumBlocks>
    bool sum_row(const Row& row, dim_t begin, dim_t end, const char* ahead, Sum* sums,
                 dim_t block_units, const SumBlocks& sum_blocks) const;
    bool estimate_blocks(const Row& row, const BlockArgs& blocks, double& greatest) const;
    // What a kernel has found that compared the bits of weights; if they have -0, they are searched again.
    bool accept_weights(const RowFindings& found, const char* data, dim_t units,
                        double& greatest) const;
    // Sums blocks. `is_padded`: they end in classes of weight 0. Returns false if an element is not allowed.
    bool sum_blocks(const Row& row, const BlockArgs& blocks, bool is_padded,
                    double& greatest) const;
    // In long rows: a kernel sums the blocks up to the first one that it cannot sum, and a slower kernel goes on there.
    bool sum_logits(const Row& row, BlockArgs blocks, bool is_padded, double& greatest) const;
    bool sum_weights(const Row& row, BlockArgs blocks, bool is_padded, double& greatest) const;

    JitFunction<RowMaxKernel::Args> max_;
    // Each row has one of these three.
    JitFunction<WeightSumKernel::Args> sum_;
    JitFunction<LogitSumKernel::Args> near_logits_, all_logits_;
    JitFunction<PositiveSumKernel::Args> large_weights_, large_or_zero_weights_, all_weights_;
    LogitSumKernel::Shape logits_shape_{};
    JitFunction<LogitEstimateKernel::Args> estimate_logits_;
    JitFunction<WeightEstimateKernel::Args> estimate_weights_;
    double estimate_error_ = 0;
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
