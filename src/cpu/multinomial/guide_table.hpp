// SPDX-License-Identifier: Apache-2.0
#pragma once

// The guide table, or cut-point method (Chen and Asau, "On generating random variates from an empirical
// distribution", 1974): inverts a cumulative distribution in O(1) per sample.
//
// The range (0, S] of targets is cut into buckets of 2^shift. guide[b] is the lowest class whose prefix sum
// reaches the lowest target of bucket b, and a search starts there and goes up. There are more buckets than classes, so
// it takes less than one step on average. The result is that of a search through all classes.

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "common/types.hpp"

namespace tombola::impl::cpu {

class GuideTable {
  public:
    // The number of u32 elements that `guide` needs. `classes` is less than 2^31.
    static dim_t storage(dim_t classes) { return buckets(classes) + 1; }

    // prefix: inclusive prefix sums of the classes, the last of which, S, is positive.
    GuideTable(uint32_t* guide, const uint64_t* prefix, dim_t classes)
        : guide_(guide), prefix_(prefix) {
        const uint64_t sum = prefix[classes - 1];
        const uint64_t max_bucket = static_cast<uint64_t>(buckets(classes));
        while ((sum >> shift_) > max_bucket) ++shift_;
        // Bucket 0 begins at target 1, bucket b at b << shift.
        uint64_t bucket = 0;
        for (dim_t k = 0; k < classes; ++k) {
            if (prefix[k] == 0) continue;
            const uint64_t end =
                (prefix[k] >> shift_) + 1;  // first bucket that begins above prefix[k]
            while (bucket < end) guide[bucket++] = static_cast<uint32_t>(k);
        }
        assert(bucket <= max_bucket + 1);
    }

    int shift() const { return shift_; }
    const uint32_t* guide() const { return guide_; }

    // The lowest class whose prefix sum is >= target.
    dim_t find(uint64_t target) const {
        dim_t k = guide_[target >> shift_];
        while (prefix_[k] < target) ++k;
        return k;
    }

  private:
    // A power of two, at least four times the classes.
    static dim_t buckets(dim_t classes) {
        dim_t n = 64;
        while (n < 4 * classes) n *= 2;
        return n;
    }

    const uint32_t* guide_;
    const uint64_t* prefix_;
    int shift_ = 0;
};

}  // namespace tombola::impl::cpu
