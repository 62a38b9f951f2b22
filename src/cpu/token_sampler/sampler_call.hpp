// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of an execution of token_sampler that does not depend on how a row is searched: its arguments, the
// arithmetic of doc/token_sampler.md on single values, and the outputs. The outputs stay in the scratchpad until every
// row has been checked.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/implementation.hpp"
#include "common/scratchpad.hpp"
#include "common/status.hpp"
#include "cpu/weights/put_index.hpp"
#include "cpu/weights/row_source.hpp"
#include "cpu/weights/uniform_source.hpp"
#include "cpu/weights/weight_exp.hpp"
#include "cpu/weights/weight_quantum.hpp"

namespace tombola::impl::cpu {

// The parameters of one row.
struct RowParameters {
    float temperature = 1;
    dim_t top_k = 0;  // all classes of a row if the argument is 0 or greater than their number
    float top_p = 1;
    float min_p = 0;

    bool is_greedy() const { return temperature == 0; }
    // r of the draw. A greedy row's probabilities are those of temperature 1.
    float draw_ratio() const { return is_greedy() ? 1.0f : 1.0f / temperature; }
    // r of the filters.
    float filter_ratio(FilterOrder order) const {
        return order == FilterOrder::temperature_last ? 1.0f : draw_ratio();
    }
    // The lowest d that min_p keeps.
    float min_d() const;
};

// d_k = (x_k - M) * r. The weight of class k is computed from it.
inline float scaled_logit(float x, float greatest, float ratio) { return (x - greatest) * ratio; }

// q of a d, with shift = 61 - L.
inline uint64_t weight_of(float d, int shift) {
    return quantise(static_cast<double>(weight_exp<WeightExpF32>(d)), shift);
}

// max(1, ceil(p * sum)), exact: the mass that top_p keeps.
inline uint64_t kept_mass(float p, uint64_t sum) {
    return draw_target(static_cast<double>(p), sum);
}

// ln(sum * 2^-shift), which is subtracted from d to give a log probability.
double log_of_mass(uint64_t sum, int shift);
inline float log_probability(float d, double log_mass) {
    return static_cast<float>(static_cast<double>(d) - log_mass);
}

// The outputs of an execution in row-major order, in the scratchpad.
class SamplerOutputs {
  public:
    SamplerOutputs(const TokenSamplerDesc& desc, Arena& arena);

    void put_id(dim_t row, dim_t sample, dim_t k) const {
        put_index(desc_->dst.data_type, ids_, row * desc_->samples() + sample, k);
    }
    float& logprob(dim_t row, dim_t sample) const {
        return logprobs_[row * desc_->samples() + sample];
    }
    int32_t& kept(dim_t row) const { return kept_[row]; }
    void put_top_id(dim_t row, dim_t i, dim_t k) const {
        put_index(desc_->dst.data_type, top_ids_, row * desc_->top_n + i, k);
    }
    float& top_logprob(dim_t row, dim_t i) const { return top_logprobs_[row * desc_->top_n + i]; }
    // Copies the outputs to the arguments that are given.
    void commit(const ExecContext& context) const;

  private:
    const TokenSamplerDesc* desc_;
    char *ids_, *top_ids_;  // of DST's type
    float *logprobs_, *top_logprobs_;
    int32_t* kept_;
};

class SamplerCall {
  public:
    // The scratchpad that an execution needs for its arguments and outputs.
    static size_t scratchpad_bytes(const TokenSamplerDesc& desc);
    // Reads and checks all arguments but SRC. `scratchpad` has scratchpad_bytes().
    static Result<SamplerCall> resolve(const TokenSamplerDesc& desc, const ExecContext& context,
                                       void* scratchpad);

    RowParameters parameters(dim_t row) const;
    // The uniform numbers of a row, from its first sample on.
    UniformReader uniforms(dim_t row) const;
    // The row's words of MASK; null if all classes are allowed.
    const uint32_t* mask(dim_t row) const {
        return mask_ == nullptr ? nullptr : mask_ + row * desc_->mask_words();
    }
    const SamplerOutputs& outputs() const { return outputs_; }
    // Whether the outputs that may be absent are wanted.
    bool wants_logprobs() const { return wants_logprobs_; }
    bool wants_top() const { return wants_top_; }
    bool wants_kept() const { return wants_kept_; }

    // Refuses a row that cannot be drawn from. The message names the row and the class.
    Status check_row(const RowSource& source, dim_t row) const;
    // Writes all outputs. Call it after everything that may fail.
    void finish(const ExecContext& context) const;

  private:
    SamplerCall(const TokenSamplerDesc& desc, const ExecContext& context, Arena arena);
    Status check_parameters() const;
    Status resolve_seeds(const ExecContext& context);
    Status check_offsets() const;

    // An argument with one element for all rows, or one per row.
    template <class T>
    struct PerRow {
        const T* values = nullptr;
        bool in_rows = false;
        T of(dim_t row, T absent) const {
            return values == nullptr ? absent : values[in_rows ? row : 0];
        }
    };
    template <class T>
    PerRow<T> per_row(const ExecContext& context, int arg) const;

    const TokenSamplerDesc* desc_;
    PerRow<float> temperature_, top_p_, min_p_;
    PerRow<int32_t> top_k_;
    PerRow<uint64_t> offset_;
    const uint32_t* mask_;
    bool has_uniforms_;
    const double* uniforms_;      // null if there are no samples
    const uint64_t* seed_pairs_;  // SEEDS
    bool row_seeds_ = false;      // SEEDS has a pair per row
    Seeds* seeds_;                // one per row, or one for all rows
    bool wants_logprobs_, wants_top_, wants_kept_;
    SamplerOutputs outputs_;
};

// Whether class k is allowed by a row's words of MASK.
inline bool is_allowed(const uint32_t* mask, dim_t k) {
    return mask == nullptr || (mask[k / 32] >> (k % 32) & 1) != 0;
}
// The lowest allowed class from k on, or `classes` if there is none.
inline dim_t next_allowed(const uint32_t* mask, dim_t k, dim_t classes) {
    if (mask == nullptr) return k;
    for (; k < classes; k = (k / 32 + 1) * 32) {
        const uint32_t word = mask[k / 32] >> (k % 32);
        if (word != 0) return std::min<dim_t>(k + __builtin_ctz(word), classes);
    }
    return classes;
}

}  // namespace tombola::impl::cpu
