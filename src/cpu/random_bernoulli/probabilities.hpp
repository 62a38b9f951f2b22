// SPDX-License-Identifier: Apache-2.0
#pragma once

// The argument P of one execution. Its values are checked, and given in logical row-major order, in the type of the
// comparison.

#include <cstdint>

#include "common/implementation.hpp"
#include "common/status.hpp"

namespace tombola::impl::cpu {

// Compute is float or double.
template <class Compute>
class Probabilities {
  public:
    // Refuses a value outside [0, 1], and NaN.
    static Result<Probabilities> resolve(const RandomBernoulliDesc& desc,
                                         const ExecContext& context);

    // How many probabilities run() can give at a time.
    static constexpr int64_t kMaxRun = 1024;
    // The distance of neighbours in what run() gives: 0 if there is one probability for all elements.
    int64_t step() const { return desc_.has_one_p() ? 0 : 1; }
    // The probabilities of elements [first, first + count), in P itself or copied to `buffer`, which has kMaxRun
    // elements. count <= kMaxRun, unless step() is 0: then the result is one element for any count.
    const Compute* run(int64_t first, int64_t count, Compute* buffer) const;

  private:
    Probabilities(const RandomBernoulliDesc& desc, const void* data) : desc_(desc), data_(data) {}

    template <class T>
    bool are_all_right() const;
    template <class T>
    Status check() const;
    template <class T>
    const T* stored(int64_t first, int64_t count, T* buffer) const;

    const RandomBernoulliDesc& desc_;
    const void* data_;
    Compute one_ = 0;
};

}  // namespace tombola::impl::cpu
