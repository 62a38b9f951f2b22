// SPDX-License-Identifier: Apache-2.0
#pragma once

// Handles one row of an execution of token_sampler by generated kernels, without sorting the row. There are these ways to draw:
//
//   greedy   takes the greatest logit
//   listed   the set has few classes (at most LogitList::kMaxListed): lists them
//   wide     the set has more classes, up to the whole row: uses sums of blocks, as in multinomial
//
// A set is {key <= bound}, see logit_list.hpp.

#include "cpu/token_sampler/sampler_call.hpp"
#include "cpu/x64/token_sampler/logit_list.hpp"
#include "cpu/x64/token_sampler/wide_set.hpp"
#include "cpu/x64/weights/row_passes.hpp"

namespace tombola::impl::cpu::x64 {

struct SamplerKernels {
    JitFunction<MaskKernel::Args> mask;
    ListKernels list;
    RowPasses passes;
};

// Of all executions of a primitive.
struct SamplerTries {
    EstimateTries draws, top_ps;
};

class RowSampler {
  public:
    // The bytes of scratchpad for one part of an execution. A part handles one row at a time.
    static size_t scratchpad_bytes(const TokenSamplerDesc& desc);

    RowSampler(const TokenSamplerDesc& desc, const SamplerKernels& kernels, const SamplerCall& call,
               const RowSource& source, const MatrixLayout& layout, const char* src, Arena arena,
               SamplerTries& tries);

    // Computes the outputs of a row. `next` is the row that will be read next. Returns false if the row is refused.
    bool sample(dim_t row, dim_t next);

  private:
    // The arrays in the scratchpad, in addition to those of the list and the set: a copy of the row, and a copy of its classes after the
    // whole groups.
    struct Arrays {
        Arrays(Arena& arena, const TokenSamplerDesc& desc);
        char *row, *rest;
    };
    // The set that is drawn from, and its mass.
    struct Set {
        bool is_listed = false;  // otherwise wide
        uint64_t bound = kNoBound;
        uint64_t mass = 0;
    };

    GroupedRow grouped() const { return {data_, arrays_.rest, desc_.classes(), type_}; }
    const char* copy_row();
    void copy_rest();
    void pad_rest();
    void copy_allowed(const char* from, char* to);

    // The filters.
    Set find_set();
    uint64_t top_k_of_row();
    uint64_t top_p_of_row(uint64_t mass, float ratio);
    std::optional<uint64_t> top_p_by_estimates(uint64_t others, float ratio);
    uint64_t top_p_exactly(uint64_t others, float ratio);
    uint64_t top_p_within(uint64_t before, float ratio);
    bool list_set(uint64_t bound);

    // The draw and the outputs.
    void set_mass(Set& set);
    void draw_greedy();
    void draw_listed(const Set& set);
    void draw_wide(const Set& set);
    void put_wide_kept(uint64_t bound);
    bool draw_by_estimates(const Set& set);
    bool tries_estimates(float ratio, EstimateTries& tries) const;
    template <class Draw>
    void put_samples(const Set& set, const Draw& draw);
    void put_top();

    bool wants_logprobs() const {
        return desc_.logprobs != Logprobs::none && (call_.wants_logprobs() || call_.wants_top());
    }
    float logprob(dim_t k) const {
        const float x = grouped().logit(k);
        return log_probability(scaled_logit(x, list_.greatest(), logprob_ratio_), log_mass_);
    }

    const TokenSamplerDesc& desc_;
    const SamplerKernels& kernels_;
    const SamplerCall& call_;
    const MatrixLayout& layout_;
    const char* src_;
    Arrays arrays_;
    LogitList list_;
    WideSet wide_;
    FloatType type_;
    dim_t element_;
    int shift_;

    SamplerTries& tries_;

    dim_t row_ = 0;
    const char* data_ = nullptr;
    RowParameters parameters_;
    float logprob_ratio_ = 1;
    double log_mass_ = 0;
};

}  // namespace tombola::impl::cpu::x64
