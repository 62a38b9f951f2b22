// SPDX-License-Identifier: Apache-2.0
#include "common/overlap.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace tombola::impl {
namespace {

// A tensor's bytes lie at begin + sum of x[k] * step[k] for 0 <= x[k] <= last[k]: one term for each dimension, one for
// the elements of a block and one for the bytes of an element. Tensors a and b have a byte in common if
//
//   a + sum of x[k] * step_a[k] = b + sum of y[k] * step_b[k]
//
// has a solution. Counting y from its other end, z[k] = last_b[k] - y[k], makes all signs equal:
//
//   sum of x[k] * step_a[k] + sum of z[k] * step_b[k] = b - a + sum of last_b[k] * step_b[k]
//
// This is a linear equation in bounded unknowns. Terms with equal steps are joined, so two views of one buffer have
// about as many terms as a single view.
class Equation {
  public:
    void add(dim_t step, dim_t last) {
        if (last == 0) return;
        for (int i = 0; i < count_; ++i)
            if (terms_[i].step == step) {
                terms_[i].last += last;
                return;
            }
        terms_[count_++] = {step, last, 0, 0};
    }

    // Whether there is a solution with this right-hand side.
    bool solvable(dim_t target) {
        std::sort(terms_.begin(), terms_.begin() + count_,
                  [](const Term& a, const Term& b) { return a.step > b.step; });
        dim_t reach = 0;
        dim_t divisor = 0;
        for (int i = count_ - 1; i >= 0; --i) {
            Term& term = terms_[i];
            if (term.step == 1)
                bytes_ = term.last;
            else
                divisor = std::gcd(divisor, term.step);
            term.divisor = divisor;
            term.reach = reach += term.step * term.last;
        }
        return search(0, target);
    }

  private:
    struct Term {
        dim_t step, last;
        dim_t reach;    // the greatest sum of this term and those after it
        dim_t divisor;  // the gcd of the steps of this term and those after it, except a step of 1
    };

    // Whether the terms from `first` on can add up to `target`. Steps are in descending order, so only a few values of
    // each unknown are possible.
    bool search(int first, dim_t target) {
        if (target == 0) return true;
        if (first == count_ || target < 0 || target > terms_[first].reach) return false;
        const Term& term = terms_[first];
        if (term.step == 1) return true;
        if (target % term.divisor > bytes_) return false;
        if (++steps_ > kMaxOverlapSteps) return true;
        const dim_t rest = term.reach - term.step * term.last;
        const dim_t max_x = std::min(term.last, target / term.step);
        const dim_t min_x = target <= rest ? 0 : (target - rest + term.step - 1) / term.step;
        for (dim_t x = max_x; x >= min_x; --x)
            if (search(first + 1, target - x * term.step)) return true;
        return false;
    }

    // For each of the two tensors: its dimensions, the elements of a block, the bytes of an element.
    std::array<Term, 2 * (kMaxDims + 2)> terms_;
    int count_ = 0;
    dim_t bytes_ = 0;  // the greatest value of the unknown whose step is 1
    int steps_ = 0;
};

void add_terms(Equation& equation, const MemoryDesc& desc) {
    const auto element = static_cast<dim_t>(size_of(desc.data_type));
    for (int d = 0; d < desc.ndims; ++d) {
        const dim_t block = d == desc.block_dim ? desc.block : 1;
        equation.add(desc.strides[d] * element, desc.padded_dims[d] / block - 1);
    }
    equation.add(element, desc.block - 1);
    equation.add(1, element - 1);
}

}  // namespace

bool overlap(const void* a, const MemoryDesc& a_desc, const void* b, const MemoryDesc& b_desc) {
    const auto a_bytes = static_cast<dim_t>(a_desc.size());
    const auto b_bytes = static_cast<dim_t>(b_desc.size());
    if (a_bytes == 0 || b_bytes == 0) return false;
    const auto distance =
        static_cast<dim_t>(reinterpret_cast<uintptr_t>(b) - reinterpret_cast<uintptr_t>(a));
    if (distance >= a_bytes || -distance >= b_bytes) return false;
    if (a_desc.is_dense() && b_desc.is_dense()) return true;
    Equation equation;
    add_terms(equation, a_desc);
    add_terms(equation, b_desc);
    return equation.solvable(distance + b_bytes - 1);
}

}  // namespace tombola::impl
