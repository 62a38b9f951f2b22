// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds where a prefix of the order ends that has a given amount, without comparing one class with another.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/types.hpp"
#include "cpu/x64/token_sampler/logit_list.hpp"

namespace tombola::impl::cpu::x64 {

// Classes in class order. Classes with equal logits have equal amounts.
struct Candidates {
    uint32_t* ids;
    float* logits;
    uint64_t* amounts;  // weights, or ones
    dim_t size;
};

inline constexpr size_t kMaxRanges = 2048;

// Finds the end of the shortest prefix whose amount is at least `target`. The amount of all candidates must be at least `target`, and all
// their ranks must be in [lowest, highest]. Afterwards the candidates are those whose logits equal the last logit of the prefix. If another
// thread changes the row, neither may hold. Then the end is that of any prefix.
//
// Each round divides the ranks into equal ranges and adds up the amounts of each range. The sums show in which range the prefix ends, and
// only the candidates of this range remain. For each candidate, a round calls leave(id, before, after). `before` is its amount if the
// prefix contains it, `after` is its amount if the prefix does not, and both are 0 if it remains. So no branch depends on the data.
// `ranges` has kMaxRanges elements.
struct PrefixEnd {
    dim_t last;       // the index of the last class of the prefix among the remaining candidates
    uint64_t excess;  // by how much the amount of the prefix exceeds the target
};
template <class Leave>
PrefixEnd find_prefix_end(Candidates& c, uint64_t target, uint32_t lowest, uint32_t highest,
                          uint64_t* ranges, const Leave& leave) {
    while (lowest != highest) {
        size_t count = 16;
        while (count < kMaxRanges && static_cast<dim_t>(count) < c.size) count *= 2;
        int shift = 0;
        while ((highest - lowest) >> shift >= count) ++shift;
        const auto range_of = [&](dim_t i) {
            return std::min((rank_of(c.logits[i]) - lowest) >> shift,
                            static_cast<uint32_t>(count - 1));
        };
        std::fill(ranges, ranges + count, 0);
        for (dim_t i = 0; i < c.size; ++i) ranges[range_of(i)] += c.amounts[i];
        uint32_t last = (highest - lowest) >> shift;  // the range in which the prefix ends
        for (; last > 0 && ranges[last] < target; --last) target -= ranges[last];
        dim_t left = 0;
        for (dim_t i = 0; i < c.size; ++i) {
            const uint32_t id = c.ids[i], range = range_of(i);
            const uint64_t amount = c.amounts[i];
            const float logit = c.logits[i];
            leave(id, range > last ? amount : 0, range < last ? amount : 0);
            c.ids[left] = id;
            c.logits[left] = logit;
            c.amounts[left] = amount;
            left += range == last ? 1 : 0;
        }
        if (left == 0) break;
        c.size = left;
        lowest = highest = rank_of(c.logits[0]);
        for (dim_t i = 1; i < left; ++i) {
            const uint32_t rank = rank_of(c.logits[i]);
            lowest = std::min(lowest, rank);
            highest = std::max(highest, rank);
        }
    }
    const uint64_t amount = std::max<uint64_t>(c.amounts[0], 1);
    const uint64_t last = std::min((target - 1) / amount, static_cast<uint64_t>(c.size - 1));
    return {static_cast<dim_t>(last), (last + 1) * amount - target};
}

}  // namespace tombola::impl::cpu::x64
