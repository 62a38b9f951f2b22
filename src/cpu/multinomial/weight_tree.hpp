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

#include <algorithm>
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
    WeightTree(uint64_t* memory, dim_t classes) : memory_(memory) {
        dim_t filled = classes;
        for (uint64_t* level = memory_;;) {
            const dim_t n = padded(filled);
            std::fill(level + filled, level + n, uint64_t{0});
            size_[levels_++] = n;
            if (n <= kFan) break;
            uint64_t* above = level + n;
            filled = n / kFan;
            parallel_ranges(filled, kFan, static_cast<size_t>(n) * 8, [&](dim_t begin, dim_t end) {
                for (dim_t i = begin; i < end; ++i) {
                    const uint64_t* c = level + i * kFan;
                    above[i] = ((c[0] + c[1]) + (c[2] + c[3])) + ((c[4] + c[5]) + (c[6] + c[7]));
                }
            });
            level = above;
        }
        top_ = memory_;
        for (int i = 0; i + 1 < levels_; ++i) top_ += size_[i];
        for (dim_t i = 0; i < kFan; ++i) sum_ += top_[i];
    }

    uint64_t sum() const { return sum_; }

    // The lowest class whose inclusive prefix sum is >= target, 1 <= target <= sum(); its weight becomes 0.
    dim_t take(uint64_t target) {
        dim_t index = 0;
        uint64_t* path[kMaxLevels];
        uint64_t* level = top_;
        for (int i = levels_ - 1;; --i) {
            index *= kFan;
            while (level[index] < target) target -= level[index++];
            path[i] = level + index;
            if (i == 0) break;
            level -= size_[i - 1];
        }
        const uint64_t weight = *path[0];
        for (int i = 0; i < levels_; ++i) *path[i] -= weight;
        sum_ -= weight;
        return index;
    }

  private:
    static constexpr int kMaxLevels = 21;  // 8^21 = 2^63
    static dim_t padded(dim_t n) { return (n + kFan - 1) / kFan * kFan; }

    uint64_t* memory_;
    uint64_t* top_ = nullptr;
    dim_t size_[kMaxLevels] = {};
    int levels_ = 0;
    uint64_t sum_ = 0;
};

}  // namespace tombola::impl::cpu
