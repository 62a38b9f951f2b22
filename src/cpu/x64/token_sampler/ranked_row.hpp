// SPDX-License-Identifier: Apache-2.0
#pragma once

// A row as arrays, for sets of too many classes to list. The end of a prefix of the order is found by a radix search. A
// histogram over the highest digit of the ranks, of classes or of their weights, shows in which digit the prefix ends.
// Only the classes with that digit are searched again, by the next digit. No class is compared with another.

#include <cstddef>
#include <cstdint>

#include "cpu/x64/token_sampler/logit_list.hpp"
#include "cpu/x64/weights/row_passes.hpp"

namespace tombola::impl::cpu::x64 {

class RankedRow {
  public:
    static size_t bytes(dim_t classes);
    RankedRow(const JitFunction<RankKernel::Args>& rank, void* memory, dim_t classes);

    // Computes the rank of every class. The functions below need it.
    void read(const GroupedRow& row);
    // The bound of the first k classes of the order.
    uint64_t bound_of_count(dim_t k);
    // The keys of the classes within a bound that are not -inf, in order. They overwrite the weights.
    const uint64_t* sorted_keys(uint64_t bound, dim_t& count);

    // Computes the weight of every class. The functions below need it.
    void weigh(const RowPasses& passes, const Row& row, const RowSource& source);
    // Makes the weights outside a bound 0. Returns the sum of the others.
    uint64_t keep(uint64_t bound);
    // The bound of the shortest prefix of the order that has at least this mass, which is at most the sum of the
    // weights.
    uint64_t bound_of_mass(uint64_t mass);
    // After keep(): the lowest class whose prefix sum reaches the target, and how many classes have a positive weight.
    dim_t draw(uint64_t target) const;
    dim_t count() const;

  private:
    template <class Amount>
    uint64_t bound_of(uint64_t target, const Amount& amount);
    dim_t blocks() const;

    const JitFunction<RankKernel::Args>& rank_;
    dim_t classes_;
    uint64_t *weights_,
        *prefix_;  // of the classes; sums of the weights up to the end of each block
    uint64_t* histogram_;
    uint32_t *ranks_, *found_;  // of the classes; the classes that a search has left
};

}  // namespace tombola::impl::cpu::x64
