// SPDX-License-Identifier: Apache-2.0
// The part of RowSampler that finds the set of a row.

#include <algorithm>

#include "cpu/x64/token_sampler/row_sampler.hpp"

namespace tombola::impl::cpu::x64 {
namespace {

// The lengths of the lists that are tried for top_p and min_p.
constexpr dim_t kTriedLengths[] = {32, 256, 2048};
constexpr uint64_t kLongest = 2048;

}  // namespace

// Lists the classes up to a bound. Returns false if they are too many.
bool RowSampler::list_set(uint64_t bound) {
    if (!list_.covers(bound)) {
        const dim_t reached = list_.reach(bound);
        for (const dim_t length : kTriedLengths)
            if (reached <= length && !list_.covers(bound)) list_.select(length);
        if (!list_.covers(bound)) return false;
    }
    list_.keep(bound);
    return true;
}

// The bound of the shortest prefix of the list that has at least `mass`. If the list has less, returns kNoBound, and
// sets greatest_mass to an estimate of the most that a list of kLongest classes can have. It assumes that no class
// after the list weighs more than the last one in it, which is true up to rounding errors.
uint64_t RowSampler::mass_bound(uint64_t mass, float ratio, uint64_t& greatest_mass) {
    const uint64_t* keys = list_.sorted_keys();
    const uint64_t* weights = list_.sorted_weights(ratio);
    uint64_t reached = 0;
    for (dim_t i = 0; i < list_.size(); ++i) {
        reached += weights[i];
        if (reached >= mass) return keys[i];
    }
    greatest_mass = reached + weights[list_.size() - 1] * kLongest;
    return kNoBound;
}

// The bound of top_p of the whole row.
uint64_t RowSampler::top_p_of_row(float ratio) {
    const uint64_t mass = kept_mass(parameters_.top_p, wide_.set(kNoBound, ratio));
    uint64_t greatest_mass = mass;
    for (const dim_t length : kTriedLengths) {
        if (greatest_mass < mass) break;
        list_.select(length);
        const uint64_t found = mass_bound(mass, ratio, greatest_mass);
        if (found != kNoBound) return found;
    }
    return wide_.bound_of_mass(mass, ratio);
}

// The bound of top_p of the classes up to a bound.
uint64_t RowSampler::top_p_within(uint64_t before, float ratio) {
    if (list_set(before)) {
        const uint64_t* weights = list_.weights(ratio);
        uint64_t mass = 0;
        for (dim_t i = 0; i < list_.size(); ++i) mass += weights[i];
        uint64_t unused = 0;
        return mass_bound(kept_mass(parameters_.top_p, mass), ratio, unused);
    }
    return wide_.bound_of_mass(kept_mass(parameters_.top_p, wide_.set(before, ratio)), ratio);
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

    uint64_t top_p_bound = kNoBound, top_k_bound = kNoBound;
    if (has_top_p && (joint || (!has_top_k && !(vllm && has_min_p))))
        top_p_bound = top_p_of_row(ratio);
    if (has_top_k && p.top_k <= LogitList::kMaxListed) {
        list_.select(p.top_k);
        top_k_bound = list_.bound();
    } else if (has_top_k) {
        top_k_bound = wide_.bound_of_count(p.top_k);
    }
    if (has_top_p && top_p_bound == kNoBound)
        top_p_bound = top_p_within(vllm ? std::min(top_k_bound, min_p_bound) : top_k_bound, ratio);

    // A class whose weight is 0 is in no set, not even if top_p is 1.
    const uint64_t flush_bound = bound_of_scaled(WeightExpF32::kFlush, greatest, ratio);
    Set set;
    set.bound = std::min({top_k_bound, top_p_bound, min_p_bound, flush_bound});
    const bool filtered = has_top_k || has_top_p || has_min_p;
    // With temperature_last, a weight that is 0 to the filters may be positive in the draw.
    const bool whole = p.draw_ratio() >= 1 || desc_.filter_order != FilterOrder::temperature_last;
    set.is_listed = filtered && list_set(set.bound);
    if (!filtered && whole) set.bound = kNoBound;
    return set;
}

}  // namespace tombola::impl::cpu::x64
