// SPDX-License-Identifier: Apache-2.0
// The part of RowSampler that finds the set of a row.

#include <algorithm>

#include "cpu/x64/token_sampler/row_sampler.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// The lengths of the lists that are tried for top_p.
constexpr dim_t kFirstLength = 32, kNextLength = 256, kLongest = 2048;
// If the first list does not suffice, a row of at most this many classes is listed as a whole. Measured on Sapphire Rapids alone.
constexpr dim_t kShortRow = 1024;

}  // namespace

// Lists the classes up to a bound. Returns false if there are too many.
bool RowSampler::list_set(uint64_t bound) {
    if (!list_.covers(bound)) return list_.select_within(bound, kLongest);
    list_.keep(bound);
    return list_.size() > 0;  // always, unless another thread changes the row
}

// The bound of top_p of the whole row.
uint64_t RowSampler::top_p_of_row(uint64_t mass, float ratio) {
    const auto suffices = [&](dim_t length) {
        list_.select(length);
        return list_.mass(ratio) >= mass;
    };
    if (suffices(kFirstLength)) return list_.bound_of_mass(mass, ratio);
    const bool is_short = desc_.classes() <= kShortRow;
    const uint64_t found = is_short ? kNoBound : wide_.shrink(mass, true);
    if (found != kNoBound) return found;
    if ((!is_short && suffices(kNextLength)) || suffices(kLongest))
        return list_.bound_of_mass(mass, ratio);
    return wide_.shrink(mass);
}

// The bound of top_p of the whole row, if it matters beside `others`, the bound of the other filters. Otherwise kNoBound. The filter keeps
// the shortest prefix of the order with enough mass; if the other filters keep less mass, it does not matter.
uint64_t RowSampler::top_p_exactly(uint64_t others, float ratio) {
    const uint64_t mass = kept_mass(parameters_.top_p, wide_.set(kNoBound, ratio));
    if (others == kNoBound || !list_set(others)) return top_p_of_row(mass, ratio);
    return list_.mass(ratio) >= mass ? list_.bound_of_mass(mass, ratio) : kNoBound;
}

// The same by estimates of the mass of the row. No result if they do not decide it, or if the prefix has no short list.
std::optional<uint64_t> RowSampler::top_p_by_estimates(uint64_t others, float ratio) {
    if (!tries_estimates(ratio, tries_.top_ps)) return std::nullopt;
    const auto [lower, upper] = wide_.estimate(ratio).sum();
    const uint64_t least = kept_mass(parameters_.top_p, lower),
                   most = kept_mass(parameters_.top_p, upper);
    std::optional<uint64_t> bound;
    if (others != kNoBound && list_set(others)) {
        if (list_.mass(ratio) < least) bound = kNoBound;
    } else {
        list_.select(kFirstLength);
        const bool is_short = desc_.classes() <= kShortRow;
        if (list_.mass(ratio) < most) list_.select(is_short ? kLongest : kNextLength);
    }
    if (!bound && list_.size() > 0 && list_.mass(ratio) >= most) {
        const uint64_t found = list_.bound_of_mass(least, most, ratio);
        if (found != kNoBound) bound = found;
    }
    tries_.top_ps.note(bound.has_value());
    return bound;
}

// The bound of top_p of the classes up to a bound.
uint64_t RowSampler::top_p_within(uint64_t before, float ratio) {
    if (list_set(before))
        return list_.bound_of_mass(kept_mass(parameters_.top_p, list_.mass(ratio)), ratio);
    return wide_.shrink(kept_mass(parameters_.top_p, wide_.set(before, ratio)));
}

// The bound of the first top_k classes.
uint64_t RowSampler::top_k_of_row() {
    const dim_t k = parameters_.top_k;
    if (k > LogitList::kMaxListed || list_.is_slow(k)) {
        const uint64_t bound = wide_.bound_of_count(k);
        if (k <= LogitList::kMaxListed) list_.select_within(bound, LogitList::kMaxListed);
        return bound;
    }
    list_.select(k);
    return list_.bound();
}

RowSampler::Set RowSampler::find_set() {
    const RowParameters& p = parameters_;
    const float ratio = p.filter_ratio(desc_.filter_order);
    const float greatest = list_.greatest();
    const bool has_min_p = p.min_p > 0, has_top_k = p.top_k < desc_.classes(),
               has_top_p = p.top_p < 1;
    const bool joint = desc_.filter_order == FilterOrder::joint;
    const bool vllm = desc_.filter_order == FilterOrder::vllm;
    const uint64_t min_p_bound = has_min_p ? bound_of_scaled(p.min_d(), greatest, ratio) : kNoBound;
    const uint64_t top_k_bound = has_top_k ? top_k_of_row() : kNoBound;
    const uint64_t both = std::min(top_k_bound, min_p_bound);

    uint64_t top_p_bound = kNoBound;
    if (has_top_p && (joint || (!has_top_k && !(vllm && has_min_p)))) {
        const std::optional<uint64_t> estimated = top_p_by_estimates(both, ratio);
        top_p_bound = estimated ? *estimated : top_p_exactly(both, ratio);
    } else if (has_top_p) {
        top_p_bound = top_p_within(vllm ? both : top_k_bound, ratio);
    }

    // A class whose weight is 0 is in no set, not even if top_p is 1.
    const uint64_t flush_bound = bound_of_scaled(WeightExpF32::kFlush, greatest, ratio);
    Set set;
    set.bound = std::min({both, top_p_bound, flush_bound});
    const bool filtered = has_top_k || has_top_p || has_min_p;
    // With temperature_last, a weight that is 0 to the filters may be positive in the draw.
    const bool whole = p.draw_ratio() >= 1 || desc_.filter_order != FilterOrder::temperature_last;
    set.is_listed = filtered && list_set(set.bound);
    if (!filtered && whole) set.bound = kNoBound;
    return set;
}

}  // namespace tombola::impl::cpu::x64
