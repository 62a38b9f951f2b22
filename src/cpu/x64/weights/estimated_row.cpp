// SPDX-License-Identifier: Apache-2.0
#include "cpu/x64/weights/estimated_row.hpp"

#include <algorithm>
#include <cmath>

namespace tombola::impl::cpu::x64 {

EstimatedRow::EstimatedRow(const RowPasses& passes, const RowSource& source, const Row& row,
                           double* sums)
    : passes_(passes), source_(source), row_(row), prefix_(sums) {
    double sum = 0;
    for (dim_t b = 0; b < passes.blocks(); ++b) sums[b] = sum += sums[b];
    // The bound is relative to the exact sum, and here it is multiplied by the estimate. The hundredth covers this, and the roundings of draw()
    // and sum().
    margin_ = 1.01 * passes.estimate_error() * sum;
}

dim_t EstimatedRow::draw(double u) const {
    constexpr dim_t kBlock = RowPasses::kBlockClasses;
    const dim_t blocks = passes_.blocks();
    const double sum = prefix_[blocks - 1];
    if (!std::isfinite(sum)) return kUndecided;
    double target = u * sum;
    const dim_t block = std::lower_bound(prefix_, prefix_ + blocks - 1, target) - prefix_;
    if (block > 0) target -= prefix_[block - 1];
    const dim_t first = block * kBlock, count = std::min(kBlock, passes_.classes() - first);
    uint64_t weights[kBlock + kUnitClasses];
    passes_.store(row_, source_, first, first + count, weights);
    // In units of the weights. An exact target is rounded up, so it may be greater by 1.
    const double lower = std::floor(std::ldexp(target - margin_, row_.scale.shift)),
                 upper = std::ceil(std::ldexp(target + margin_, row_.scale.shift)) + 1;
    if (!(lower >= 1 && upper < 0x1p63)) return kUndecided;
    const ClassReached reached = reach_class(weights, count, static_cast<uint64_t>(lower));
    const bool is_certain =
        reached.index < count && upper - lower <= static_cast<double>(reached.excess);
    return is_certain ? first + reached.index : kUndecided;
}

EstimatedRow::Bounds EstimatedRow::sum() const {
    const double sum = prefix_[passes_.blocks() - 1];
    // Only of weights, or if another thread changes the row.
    if (!(std::ldexp(sum, row_.scale.shift) < 0x1p62)) return {1, uint64_t{1} << 62};
    return {static_cast<uint64_t>(std::ldexp(sum - margin_, row_.scale.shift)),
            static_cast<uint64_t>(std::ldexp(sum + margin_, row_.scale.shift)) + 1};
}

}  // namespace tombola::impl::cpu::x64
