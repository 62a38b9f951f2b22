// SPDX-License-Identifier: Apache-2.0
#pragma once

// The guide table, or cut-point method (Chen and Asau, "On generating random variates from an empirical
// distribution", 1974): inverts a cumulative distribution in O(1) per sample.
//
// The range (0, S] of targets is cut into buckets of 2^shift. guide[b] is the lowest class whose prefix sum
// reaches the lowest target of bucket b, and a search starts there and goes up. It takes classes / buckets steps on
// average, whatever the weights are. The result is that of a search through all classes.
//
// Building the table costs as much as the buckets and the classes, so there are only as many buckets as the samples are
// worth.

#include <algorithm>
#include <cstdint>

#include "common/types.hpp"

namespace tombola::impl::cpu {

class GuideTable {
  public:
    // The number of u32 elements that `guide` needs for a row of `classes` classes, fewer than 2^31, from which
    // `samples` samples are drawn.
    static dim_t storage(dim_t classes, dim_t samples) { return buckets(classes, samples) + 1; }

    // prefix: inclusive prefix sums of the classes, the last of which, S, is positive. They are read by fill() and
    // find().
    GuideTable(uint32_t* guide, const uint64_t* prefix, dim_t classes, dim_t samples, uint64_t sum)
        : guide_(guide), prefix_(prefix) {
        const auto max_bucket = static_cast<uint64_t>(buckets(classes, samples));
        while ((sum >> shift_) > max_bucket) ++shift_;
    }

    // Writes the buckets whose searches start at the classes [begin, end). `before` is the prefix sum before `begin`.
    // Any partition of the classes gives the same table, so threads can share it.
    void fill(dim_t begin, dim_t end, uint64_t before) {
        uint64_t bucket = before == 0 ? 0 : first_after(before);
        while (begin < end && prefix_[begin] == 0) ++begin;
        if (begin == end) return;
        const uint64_t stop = first_after(prefix_[end - 1]);
        dim_t k = begin;
        // Most classes have at most kRun buckets. So each class writes kRun of them, and the next class overwrites those that are its own.
        // This avoids a branch on the number of buckets, which no processor predicts.
        for (; k < end && bucket + kRun <= stop; ++k) {
            const uint64_t last = first_after(prefix_[k]);
            std::fill_n(guide_ + bucket, kRun, static_cast<uint32_t>(k));
            for (bucket += kRun; bucket < last; ++bucket) guide_[bucket] = static_cast<uint32_t>(k);
            bucket = last;
        }
        for (; k < end; ++k) {
            const uint64_t last = first_after(prefix_[k]);
            while (bucket < last) guide_[bucket++] = static_cast<uint32_t>(k);
        }
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
    static constexpr uint64_t kRun = 16;

    // A power of two, at least four times the classes or the samples.
    static dim_t buckets(dim_t classes, dim_t samples) {
        dim_t n = 64;
        while (n < 4 * std::min(classes, samples)) n *= 2;
        return n;
    }

    // The first bucket that begins above a target. Bucket 0 begins at target 1, bucket b at b << shift.
    uint64_t first_after(uint64_t target) const { return (target >> shift_) + 1; }

    uint32_t* guide_;
    const uint64_t* prefix_;
    int shift_ = 0;
};

}  // namespace tombola::impl::cpu
