// SPDX-License-Identifier: Apache-2.0
#pragma once

// A tree of sums, for drawing without replacement. Level 0 holds the weights of a row. Each element of a further level
// is the sum of eight elements of the level below. The last level has at most eight elements.
//
//   level 2                 S0                                S1 ...
//   level 1   s0  s1  s2  s3  s4  s5  s6  s7    s8 ...
//   level 0   q0..q7 q8..q15 ...
//
// A draw walks down from the top in O(log classes) and subtracts the class's weight from every sum on its way.
//
// In a sparse tree, levels 0 and 1 of a block of 64 classes are computed when a draw comes to the block.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "common/parallel.hpp"
#include "common/types.hpp"

namespace tombola::impl::cpu {

class WeightTree {
  public:
    static constexpr dim_t kFan = 8;

    // The number of u64 elements that a tree of `classes` classes needs.
    static dim_t storage(dim_t classes) {
        dim_t total = 0;
        for (dim_t n = padded(classes);; n = padded(n / kFan)) {
            total += n;
            if (n <= kFan) return total;
        }
    }

    // `memory` has storage(classes) elements, of which the caller has filled the first `classes`.
    WeightTree(uint64_t* memory, dim_t classes) : memory_(memory), classes_(classes) {
        std::fill(memory + classes, memory + padded(classes), uint64_t{0});
        sum_up(memory, padded(classes));
    }

    // A sparse tree, of more than kBlock classes. The caller has filled only the sums of the blocks of kBlock classes, at
    // memory + sums_at(classes).
    static constexpr dim_t kBlock = kFan * kFan;
    static dim_t sums_at(dim_t classes) {
        const dim_t n = padded(classes);
        return n + padded(n / kFan);
    }
    struct Sparse {};
    WeightTree(uint64_t* memory, dim_t classes, Sparse) : memory_(memory), classes_(classes) {
        assert(classes > kBlock);  // fewer would need more than storage(classes)
        const dim_t n = padded(classes), eighths = padded(n / kFan);
        size_[levels_++] = n;
        size_[levels_++] = eighths;
        uint64_t* first = memory + n;
        // The first sum of a block without weights is kNone.
        for (dim_t i = 0; i < eighths; i += kFan) first[i] = kNone;
        uint64_t* sums = first + eighths;
        std::fill(sums + eighths / kFan, sums + padded(eighths / kFan), uint64_t{0});
        sum_up(sums, padded(eighths / kFan));
    }

    uint64_t sum() const { return sum_; }

    // The lowest class whose inclusive prefix sum is >= target, 1 <= target <= sum(); its weight becomes 0. For any other target, any class.
    dim_t take(uint64_t target) {
        return take(target, [](dim_t, uint64_t*) {});
    }
    // The same for a sparse tree. compute(first, weights) writes the kBlock weights from class `first` on, 0 for classes
    // that do not exist.
    template <class Compute>
    dim_t take(uint64_t target, const Compute& compute) {
        dim_t index = 0;
        uint64_t* path[kMaxLevels];
        uint64_t* level = top_;
        for (int i = levels_ - 1;; --i) {
            index = std::min(index * kFan, size_[i] - kFan);
            if (i == 1 && level[index] == kNone) fill_block(index, compute);
            const dim_t last = index + kFan - 1;
            while (index < last && level[index] < target) target -= level[index++];
            path[i] = level + index;
            if (i == 0) break;
            level -= size_[i - 1];
        }
        const uint64_t weight = *path[0];
        for (int i = 0; i < levels_; ++i) *path[i] -= weight;
        sum_ -= weight;
        return std::min(index, classes_ - 1);
    }

  private:
    static constexpr int kMaxLevels = 21;          // 8^21 = 2^63
    static constexpr uint64_t kNone = UINT64_MAX;  // no sum, which is below 2^62
    static dim_t padded(dim_t n) { return (n + kFan - 1) / kFan * kFan; }

    static uint64_t sum_of(const uint64_t* c) {
        return ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]));
    }

    // Computes the levels above `level`, which has n elements.
    void sum_up(uint64_t* level, dim_t n) {
        for (;;) {
            size_[levels_++] = n;
            if (n <= kFan) break;
            uint64_t* above = level + n;
            const dim_t filled = n / kFan;
            parallel_ranges(filled, kFan, moving(static_cast<size_t>(n) * 8),
                            [&](dim_t begin, dim_t end) {
                                for (dim_t k = begin; k < end; ++k)
                                    above[k] = sum_of(level + k * kFan);
                            });
            n = padded(filled);
            std::fill(above + filled, above + n, uint64_t{0});
            level = above;
        }
        top_ = level;
        for (dim_t k = 0; k < kFan; ++k) sum_ += top_[k];
    }

    // The weights and the sums of the block whose first sum is element `index` of level 1.
    template <class Compute>
    void fill_block(dim_t index, const Compute& compute) {
        const dim_t first = index * kFan;
        uint64_t weights[kBlock] = {};
        compute(first, weights);
        const dim_t count = std::min(kBlock, size_[0] - first);
        std::copy(weights, weights + count, memory_ + first);
        uint64_t* sums = memory_ + size_[0] + index;
        for (dim_t k = 0; k < kFan; ++k) sums[k] = sum_of(weights + k * kFan);
    }

    uint64_t* memory_;
    dim_t classes_;
    uint64_t* top_ = nullptr;
    dim_t size_[kMaxLevels] = {};
    int levels_ = 0;
    uint64_t sum_ = 0;
};

}  // namespace tombola::impl::cpu
