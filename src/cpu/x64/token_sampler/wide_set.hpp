// SPDX-License-Identifier: Apache-2.0
#pragma once

// A set that has too many classes to be listed, up to the whole row. It is {key <= bound}, and it is kept as the sums of the weights of
// each block of the row.
//
// The end of a shorter prefix of the order is found as follows. A sample of the row shows about where it is. One pass computes the exact
// mass down to there. The difference to the target tells on which side the prefix ends, and how far away. The classes in between, the band,
// are collected, and find_prefix_end() finds the end among them. If the end is not in the band, the next band is longer.
//
//   logits   greatest ... first ] band [ ... -inf    if the mass down to `first` is too low
//   logits   greatest ... ] band [ first ... -inf    if it is not

#include <cstddef>
#include <cstdint>

#include "cpu/x64/token_sampler/logit_list.hpp"
#include "cpu/x64/weights/estimated_row.hpp"
#include "cpu/x64/weights/row_passes.hpp"

namespace tombola::impl::cpu::x64 {

class WideSet {
  public:
    // The arrays of the set in the scratchpad.
    struct Arrays {
        Arrays(Arena& arena, dim_t classes);
        // prefix: the sum of the set up to the end of each block. sums: the sum of each block. block: the weights of the classes of one
        // block.
        uint64_t *prefix, *sums, *block;
        float* sample;  // logits
        uint64_t* sample_amounts;
        // The band.
        uint32_t* ids;
        float* logits;
        uint64_t* amounts;  // weights, or ones
        uint64_t* ranges;   // for find_prefix_end()
    };
    WideSet(const RowPasses& passes, const RowSource& source, const LogitList& list, Arena& arena);

    // Begins a row, which `list` has read. `ahead` is the data that will be read next, laid out like the row.
    void read(dim_t row, const char* data, const char* ahead);
    // Whether a pass over the weights has prefetched the data ahead since read().
    bool has_prefetched() const { return data_ != nullptr && ahead_ == data_; }

    // The bound of the first k classes of the order; k is at most the number of classes above -inf, or the bound is
    // that of all of them. Afterwards there is no set.
    uint64_t bound_of_count(dim_t k);
    // Call set() before. Returns the bound of the shortest prefix of the order that has at least this mass, and makes it the bound of the
    // set. `mass` is at most the mass of the set. `only_if_long`: if the sample has few classes of the prefix, returns kNoBound and leaves
    // the set as it is.
    uint64_t shrink(uint64_t mass, bool only_if_long = false);
    // The keys of the classes within a bound that are not -inf, in order.
    const uint64_t* sorted_keys(uint64_t bound, dim_t& count);

    // Makes {key <= bound} the set, with the weights of this ratio. Returns its mass.
    uint64_t set(uint64_t bound, float ratio);
    // Whether set() would return at once.
    bool is_set(uint64_t bound, float ratio) const { return ratio_ == ratio && bound_ == bound; }
    // The whole row by estimates, if RowPasses has them. Afterwards there is no set.
    EstimatedRow estimate(float ratio);
    // After set(): the lowest class whose prefix sum reaches the target.
    dim_t draw(uint64_t target);
    // How many classes of {key <= bound} have a positive weight. It need not be the set.
    dim_t count(uint64_t bound, float ratio) const;

  private:
    // A ratio selects the amounts by which the end of a prefix is searched: the weights of the classes or, if it is 0, their number.
    using Ratio = float;

    Row row_of(float ratio, float flush) const;
    uint64_t sum_blocks(float ratio, float flush);
    uint64_t sum_from(uint32_t& rank, float ratio);
    void add_equal(const uint32_t* ids, dim_t count, uint64_t amount);

    void subtract_after(uint64_t bound, uint32_t lowest, uint64_t weight);

    double sampled_part() const {
        return static_cast<double>(sampled_) / static_cast<double>(classes_);
    }
    dim_t guess(uint64_t target, uint64_t all, Ratio ratio);
    uint32_t sampled_end(uint64_t target);
    bool has_many(uint32_t rank) const;
    bool has_none_between(uint32_t lower, uint32_t upper) const;
    uint64_t amount_of(uint32_t rank, Ratio ratio) const;
    uint64_t bound_of(uint64_t target, Ratio ratio);
    uint64_t collect(uint32_t lower, uint32_t upper, Ratio ratio);
    uint64_t search_band(uint64_t target, uint32_t lower, uint32_t upper, bool adds);
    uint64_t finish_set(uint64_t bound, float ratio);
    void store_block(dim_t first, dim_t end);

    const RowPasses& passes_;
    const RowSource& source_;
    const LogitList& list_;
    dim_t classes_;
    Arrays arrays_;
    int shift_;
    dim_t row_ = 0;
    const char *data_ = nullptr, *ahead_ = nullptr;

    // The set.
    uint64_t bound_ = 0;
    float ratio_ = 0;  // 0: there is no set
    uint64_t mass_ = 0;

    // The sample, and what it tells.
    dim_t sampled_;               // number of classes in the sample
    uint64_t sample_sum_ = 0;     // sum of the amounts in the sample
    uint64_t sample_target_ = 0;  // the amount of the prefix in the sample
    uint32_t first_ = 0;          // the rank at which the prefix ends in the sample
    uint32_t lowest_ = 0;         // the lowest rank of the set, or of the row

    // The band: classes in class order.
    dim_t size_ = 0;
};

}  // namespace tombola::impl::cpu::x64
