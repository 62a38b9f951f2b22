// SPDX-License-Identifier: Apache-2.0
#pragma once

// A row of token_sampler as doc/token_sampler.md defines it: each filter keeps a prefix of the sorted classes. Only the
// classes of TOP_IDS, or the first class, must be in order. Sums of integers do not depend on the order, so of the other
// classes it is enough to know which belong to a prefix. The portable implementation uses nothing else.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "cpu/token_sampler/sampler_call.hpp"

namespace tombola::impl::cpu {

// One row in the scratchpad. `order` has the allowed classes: the first sorted_ of them are in the order of the
// definition (by falling logit, then by class), and the others come after them in any order.
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
        order_ = arena.take<int32_t>(count);
    }

    // Reads a row that has been checked, and sorts the first n classes, n > 0. If another thread changes the row meanwhile, NaN and +inf become
    // -inf, and there is always a class.
    void read(const RowSource& source, const uint32_t* mask, dim_t row, dim_t n) {
        constexpr float kMax = std::numeric_limits<float>::max();
        count_ = sorted_ = selected_ = 0;
        x_[0] = -INFINITY;
        for (dim_t k = 0; k < classes_; ++k) {
            if (!is_allowed(mask, k)) continue;
            const auto x = static_cast<float>(source.value(row, k));
            x_[k] = x <= kMax ? x : -INFINITY;
            order_[count_++] = static_cast<int32_t>(k);
        }
        if (count_ == 0) order_[count_++] = 0;
        n = std::min(n, count_);
        select(n);
        if (n > sorted_) std::sort(order_ + sorted_, order_ + n, Before{x_});
        sorted_ = n;
    }

    // Computes q of the first n classes with the ratio r = 1 / T.
    void weigh(dim_t n, float ratio) {
        for (dim_t i = 0; i < n; ++i) q_[order_[i]] = weight_of(d_of(order_[i], ratio), shift_);
    }

    // Applies the filters. Returns how many classes of the order they keep: these are now the first in `order`, and q has
    // their weights, by which top_p has filtered.
    dim_t filter(FilterOrder order, const RowParameters& p) {
        const float ratio = p.filter_ratio(order);
        const dim_t top_k = std::min(p.top_k, count_);
        select(top_k);
        const dim_t kept = keep_min(top_k, p, ratio);
        dim_t mass_of = top_k;  // top_p keeps a part of the mass of this many classes
        switch (order) {
            case FilterOrder::transformers:
            case FilterOrder::temperature_last:
                break;
            case FilterOrder::vllm:
                mass_of = kept;
                break;
            case FilterOrder::joint:
                if (p.top_p < 1) mass_of = count_;
                break;
        }
        select(mass_of);
        weigh(mass_of, ratio);
        const dim_t kept_by_all = std::min(kept, keep_mass(mass_of, p.top_p));
        select(kept_by_all);
        return kept_by_all;
    }

    // The following look at the first n classes.
    uint64_t mass(dim_t n) const { return mass(0, n); }
    dim_t drawable(dim_t n) const {
        return std::count_if(order_, order_ + n, [this](int32_t k) { return q_[k] != 0; });
    }
    // Prefix sums of q over these classes, in class order. draw() needs them.
    void accumulate(dim_t n) {
        std::fill(prefix_, prefix_ + classes_, uint64_t{0});
        for (dim_t i = 0; i < n; ++i) prefix_[order_[i]] = q_[order_[i]];
        for (dim_t k = 1; k < classes_; ++k) prefix_[k] += prefix_[k - 1];
    }
    dim_t draw(double u) const {
        const uint64_t target = draw_target(u, prefix_[classes_ - 1]);
        return std::lower_bound(prefix_, prefix_ + classes_ - 1, target) - prefix_;
    }

    float d_of(dim_t k, float ratio) const { return scaled_logit(x_[k], x_[order_[0]], ratio); }
    dim_t count() const { return count_; }         // allowed classes
    dim_t at(dim_t i) const { return order_[i]; }  // i < sorted_
    int shift() const { return shift_; }

  private:
    // Whether class a comes before b in the order.
    struct Before {
        const float* x;
        bool operator()(int32_t a, int32_t b) const { return x[a] != x[b] ? x[a] > x[b] : a < b; }
    };

    // Makes the first n classes of the order the first n of `order`. Few classes are sorted too, because a heap of few is
    // faster than partitions of the row.
    void select(dim_t n) {
        if (n <= sorted_ || n == selected_ || n >= count_) return;
        if (n <= count_ / 64) {
            std::partial_sort(order_ + sorted_, order_ + n, order_ + count_, Before{x_});
            sorted_ = n;
        } else {
            std::nth_element(order_ + sorted_, order_ + n, order_ + count_, Before{x_});
        }
        selected_ = n;
    }

    uint64_t mass(dim_t begin, dim_t end) const {
        uint64_t sum = 0;
        for (dim_t i = begin; i < end; ++i) sum += q_[order_[i]];
        return sum;
    }

    // The length of the shortest prefix whose mass is at least p times the mass of the first n classes.
    dim_t keep_mass(dim_t n, float p) {
        if (p == 1) return drawable(n);  // the classes of weight 0 are the last
        const uint64_t target = kept_mass(p, mass(n));
        // Bisection: the prefix has more than `begin` and at most `end` classes; `before` is the mass of the first `begin`.
        dim_t begin = 0, end = n;
        for (uint64_t before = 0; end - begin > 1;) {
            const dim_t middle = begin + (end - begin) / 2;
            if (middle > sorted_)
                std::nth_element(order_ + std::max(begin, sorted_), order_ + middle, order_ + end,
                                 Before{x_});
            const uint64_t reached = before + mass(begin, middle);
            if (reached >= target) {
                end = middle;
            } else {
                begin = middle;
                before = reached;
            }
        }
        selected_ = end;
        return end;
    }
    // How many of the first n classes have d >= ln(min_p).
    dim_t keep_min(dim_t n, const RowParameters& p, float ratio) const {
        if (p.min_p == 0) return n;
        const float min = p.min_d();
        return std::count_if(order_, order_ + n, [=](int32_t k) { return d_of(k, ratio) >= min; });
    }

    dim_t classes_, count_ = 0, sorted_ = 0;
    dim_t selected_ = 0;  // the length that was selected last
    int shift_;
    uint64_t *q_, *prefix_;  // of each class
    float* x_;
    int32_t* order_;
};

// The time that a row takes on one thread: sharing work among threads depends on it.
double nanoseconds_of_row(const TokenSamplerDesc& desc, const RowParameters& p);

// Computes the outputs of a row that has been checked.
void sample_sorted_row(const TokenSamplerDesc& desc, const SamplerCall& call,
                       const RowSource& source, SortedRow& sorted, dim_t row);

}  // namespace tombola::impl::cpu
