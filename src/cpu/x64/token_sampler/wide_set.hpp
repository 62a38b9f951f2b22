// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sets of too many classes to list, up to the whole row. Such a set is {key <= bound}, and it is kept as the sums of
// the weights of each block of the row. A class whose logit is clearly in the set enters its sum in the kernel that computes
// the weights. Classes whose logits lie near the end of the set are collected in a band, and enter one by one.
//
//   logits   greatest ... upper ] band [ lower ... -inf
//
// Where a prefix of the order ends is found in the same way. A sample of the row shows about where. One pass computes
// the mass above the band. A radix search in the band, which compares no class with another, finds the end. If the end
// is not in the band, all classes on its side become the band.

#include <cstddef>
#include <cstdint>

#include "cpu/x64/token_sampler/logit_list.hpp"
#include "cpu/x64/weights/row_passes.hpp"

namespace tombola::impl::cpu::x64 {

class WideSet {
  public:
    static size_t bytes(dim_t classes);
    WideSet(const RowPasses& passes, const RowSource& source, const LogitList& list, void* memory);

    // Begins a row, which `list` has read. `ahead` is the data that will be read next, laid out like the row.
    void read(dim_t row, const char* data, const char* ahead);

    // The bound of the first k classes of the order; k is at most the number of classes above -inf, or the bound is
    // that of all of them.
    uint64_t bound_of_count(dim_t k);
    // The bound of the shortest prefix of the order that has at least this mass, which is at most the row's mass.
    uint64_t bound_of_mass(uint64_t mass, float ratio);
    // The keys of the classes within a bound that are not -inf, in order.
    const uint64_t* sorted_keys(uint64_t bound, dim_t& count);

    // Makes {key <= bound} the set, with the weights of this ratio. Returns its mass.
    uint64_t set(uint64_t bound, float ratio);
    // After set(): the lowest class whose prefix sum reaches the target, and how many classes have a positive weight.
    dim_t draw(uint64_t target);
    dim_t count() const;

  private:
    // What the end of a prefix is searched by: the classes' weights, or their number if the ratio is 0.
    using Ratio = float;

    Row row_of(float ratio, float flush) const;
    uint64_t sum_blocks(float ratio, float flush);
    uint64_t sum_above(uint32_t rank, float ratio, uint32_t& lowest);
    uint64_t collect(uint32_t lower, uint32_t upper, Ratio ratio);
    void add_band(uint64_t bound);
    void guess(uint64_t target, uint64_t all, Ratio ratio, uint32_t& lower, uint32_t& upper);
    uint64_t bound_of(uint64_t target, uint64_t all, Ratio ratio);
    uint64_t search_band(uint64_t target);
    uint64_t finish_set(uint64_t bound, float ratio);

    const RowPasses& passes_;
    const RowSource& source_;
    const LogitList& list_;
    dim_t classes_;
    dim_t row_ = 0;
    const char *data_ = nullptr, *ahead_ = nullptr;

    // The set. prefix_ has its sums up to the end of each block.
    uint64_t bound_ = 0;
    float ratio_ = 0;  // 0: there is no set
    uint64_t mass_ = 0;
    uint64_t *prefix_, *sums_, *block_;  // of the blocks; the weights of the classes of one block

    // The band: classes in class order.
    dim_t size_ = 0;
    uint32_t* ids_;
    float* logits_;
    uint64_t* amounts_;  // weights, or ones
    uint64_t* histogram_;
};

}  // namespace tombola::impl::cpu::x64
