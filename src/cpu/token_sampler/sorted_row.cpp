// SPDX-License-Identifier: Apache-2.0
#include "cpu/token_sampler/sorted_row.hpp"

#include <algorithm>
#include <cmath>

namespace tombola::impl::cpu {

double nanoseconds_of_row(const TokenSamplerDesc& desc, const RowParameters& p) {
    // Measured on Zen 5 alone, with rows of 128,000 logits, in nanoseconds per class: greedy 3, top_k 50 4, temperature alone 25, top_p
    // 0.9 33; 92 if all are sorted. On x86-64 each std::fma of a weight is a call.
    constexpr double kReading = 4, kWeighing = 25, kSorting = 65;
    dim_t weighed = 0;
    if (!p.is_greedy() || desc.logprobs == Logprobs::processed) weighed = p.top_k;
    const bool whole_mass = desc.filter_order == FilterOrder::joint && p.top_p < 1 && weighed > 0;
    if (whole_mass || desc.logprobs == Logprobs::raw) weighed = desc.classes();
    return kReading * static_cast<double>(desc.classes()) +
           kWeighing * static_cast<double>(weighed) + kSorting * static_cast<double>(desc.top_n);
}

void sample_sorted_row(const TokenSamplerDesc& desc, const SamplerCall& call,
                       const RowSource& source, SortedRow& sorted, dim_t row) {
    sorted.read(source, call.mask(row), row, std::max<dim_t>(desc.top_n, 1));
    const SamplerOutputs& out = call.outputs();
    const RowParameters p = call.parameters(row);
    // A greedy row draws nothing: its weights serve log probabilities alone.
    float ratio = p.draw_ratio();
    uint64_t mass = 1;
    dim_t drawable = 1;
    if (!p.is_greedy() || desc.logprobs == Logprobs::processed) {
        const dim_t kept = sorted.filter(desc.filter_order, p);
        if (desc.filter_order == FilterOrder::temperature_last) sorted.weigh(kept, ratio);
        mass = sorted.mass(kept);
        if (!p.is_greedy()) {
            drawable = sorted.drawable(kept);
            sorted.accumulate(kept);
        }
    }
    out.kept(row) = static_cast<int32_t>(drawable);
    if (desc.logprobs == Logprobs::raw) {
        ratio = 1;
        sorted.weigh(sorted.count(), ratio);
        mass = sorted.mass(sorted.count());
    }
    const double log_mass = log_of_mass(mass, sorted.shift());
    const auto logprob = [&](dim_t k) { return log_probability(sorted.d_of(k, ratio), log_mass); };
    UniformReader uniforms = call.uniforms(row);
    for (dim_t s = 0; s < desc.samples(); ++s) {
        const dim_t k = p.is_greedy() ? sorted.at(0) : sorted.draw(uniforms.next());
        out.put_id(row, s, k);
        if (desc.logprobs != Logprobs::none) out.logprob(row, s) = logprob(k);
    }
    for (dim_t i = 0; i < desc.top_n; ++i) {
        const bool exists = i < sorted.count();
        out.put_top_id(row, i, exists ? sorted.at(i) : -1);
        if (desc.logprobs != Logprobs::none)
            out.top_logprob(row, i) = exists ? logprob(sorted.at(i)) : -INFINITY;
    }
}

}  // namespace tombola::impl::cpu
