// SPDX-License-Identifier: Apache-2.0
#include "cpu/token_sampler/sorted_row.hpp"

#include <cmath>

namespace tombola::impl::cpu {

void sample_sorted_row(const TokenSamplerDesc& desc, const SamplerCall& call,
                       const RowSource& source, SortedRow& sorted, dim_t row) {
    sorted.read(source, call.mask(row), row);
    const SamplerOutputs& out = call.outputs();
    const RowParameters p = call.parameters(row);
    sorted.weigh(p.filter_ratio(desc.filter_order));
    const dim_t kept = sorted.filter(desc.filter_order, p);
    if (desc.filter_order == FilterOrder::temperature_last) sorted.weigh(p.draw_ratio());
    out.kept(row) = static_cast<int32_t>(p.is_greedy() ? 1 : sorted.drawable(kept));

    float ratio = p.draw_ratio();
    uint64_t mass = sorted.mass(kept);
    sorted.accumulate(kept);
    if (desc.logprobs == Logprobs::raw) {
        ratio = 1;
        sorted.weigh(ratio);
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
