// SPDX-License-Identifier: Apache-2.0
#pragma once

// A row of token_sampler as doc/token_sampler.md defines it: the classes are sorted, and filters keep prefixes of the
// sorted classes. The portable implementation uses nothing else.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "cpu/token_sampler/sampler_call.hpp"

namespace tombola::impl::cpu {

// One row in the scratchpad. `order`, d and q are in the order of the definition: by falling logit, then by class.
class SortedRow {
  public:
    static size_t bytes(dim_t classes) {
        Arena arena;
        SortedRow(arena, classes);
        return arena.bytes();
    }
    SortedRow(Arena& arena, dim_t classes)
        : classes_(classes), shift_(quantum_shift(1.0, classes)) {
        const size_t count = to_size(classes);
        q_ = arena.take<uint64_t>(count);
        prefix_ = arena.take<uint64_t>(count);
        x_ = arena.take<float>(count);
        d_ = arena.take<float>(count);
        order_ = arena.take<int32_t>(count);
    }

    // Reads a row that has been checked. If another thread changes it meanwhile, NaN and +inf become -inf, and there is always a class.
    void read(const RowSource& source, const uint32_t* mask, dim_t row) {
        constexpr float kMax = std::numeric_limits<float>::max();
        count_ = 0;
        x_[0] = -INFINITY;
        for (dim_t k = 0; k < classes_; ++k) {
            if (!is_allowed(mask, k)) continue;
            const auto x = static_cast<float>(source.value(row, k));
            x_[k] = x <= kMax ? x : -INFINITY;
            order_[count_++] = static_cast<int32_t>(k);
        }
        if (count_ == 0) order_[count_++] = 0;
        std::sort(order_, order_ + count_,
                  [this](int32_t a, int32_t b) { return x_[a] != x_[b] ? x_[a] > x_[b] : a < b; });
    }

    // Computes d and q with the ratio r = 1 / T.
    void weigh(float ratio) {
        for (dim_t i = 0; i < count_; ++i) {
            d_[i] = d_of(order_[i], ratio);
            q_[i] = weight_of(d_[i], shift_);
        }
    }

    // The length of the prefix of the order that the filters keep.
    dim_t filter(FilterOrder order, const RowParameters& p) const {
        const dim_t top_k = std::min(p.top_k, count_);
        switch (order) {
            case FilterOrder::transformers:
            case FilterOrder::temperature_last:
                return std::min(keep_mass(top_k, p.top_p), keep_min(p));
            case FilterOrder::vllm:
                return keep_mass(std::min(keep_min(p), top_k), p.top_p);
            case FilterOrder::joint:
                return std::min({top_k, keep_mass(count_, p.top_p), keep_min(p)});
        }
        return count_;
    }

    uint64_t mass(dim_t kept) const {
        uint64_t sum = 0;
        for (dim_t i = 0; i < kept; ++i) sum += q_[i];
        return sum;
    }
    dim_t drawable(dim_t kept) const { return kept - std::count(q_, q_ + kept, uint64_t{0}); }

    // Prefix sums of q over the classes of the set, in class order. draw() needs them.
    void accumulate(dim_t kept) {
        std::fill(prefix_, prefix_ + classes_, uint64_t{0});
        for (dim_t i = 0; i < kept; ++i) prefix_[order_[i]] = q_[i];
        for (dim_t k = 1; k < classes_; ++k) prefix_[k] += prefix_[k - 1];
    }
    dim_t draw(double u) const {
        const uint64_t target = draw_target(u, prefix_[classes_ - 1]);
        return std::lower_bound(prefix_, prefix_ + classes_ - 1, target) - prefix_;
    }

    float d_of(dim_t k, float ratio) const { return scaled_logit(x_[k], x_[order_[0]], ratio); }
    dim_t count() const { return count_; }  // allowed classes
    dim_t at(dim_t i) const { return order_[i]; }
    int shift() const { return shift_; }

  private:
    // The length of the shortest prefix whose mass is at least p times the mass of the first n classes.
    dim_t keep_mass(dim_t n, float p) const {
        const uint64_t target = kept_mass(p, mass(n));
        dim_t kept = 0;
        for (uint64_t reached = 0; reached < target && kept < n; ++kept) reached += q_[kept];
        return kept;
    }
    // The number of classes with d >= ln(min_p).
    dim_t keep_min(const RowParameters& p) const {
        const float min = p.min_d();
        return std::partition_point(d_, d_ + count_, [=](float d) { return d >= min; }) - d_;
    }

    dim_t classes_, count_ = 0;
    int shift_;
    uint64_t *q_, *prefix_;
    float *x_, *d_;
    int32_t* order_;
};

// Computes the outputs of a row that has been checked.
void sample_sorted_row(const TokenSamplerDesc& desc, const SamplerCall& call,
                       const RowSource& source, SortedRow& sorted, dim_t row);

}  // namespace tombola::impl::cpu
