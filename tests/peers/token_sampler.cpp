// SPDX-License-Identifier: Apache-2.0

// tombola's token_sampler.

#include <cmath>
#include <random>

#include "tombola_memory.hpp"

namespace tombola::peers {

float* logits(const TokenSampler& c) {
    static std::vector<float> flat, peaked;
    std::vector<float>& values = c.is_flat ? flat : peaked;
    const auto count = static_cast<size_t>(c.batch * c.classes);
    if (values.size() >= count) return values.data();
    values.resize(count);
    std::minstd_rand engine(1);
    for (float& x : values) {
        // Peaked: the weights fall like j^-1.5, as Zipf's law has it. Flat: half the classes make most of the mass.
        const double u = static_cast<double>((engine() & 0xFFFFFF) + 1) * 0x1p-24;
        x = static_cast<float>(c.is_flat ? 4 * u : -1.5 * std::log(u));
    }
    return values.data();
}

namespace {

Work draw(const TokenSampler& c) {
    const memory::desc src_desc({c.batch, c.classes}, memory::data_type::f32,
                                memory::format_tag::ab);
    const memory::desc dst_desc({c.batch, 1}, memory::data_type::s64, memory::format_tag::ab);
    const token_sampler::primitive_desc pd(cpu(), src_desc, dst_desc, filter_order::transformers,
                                           logprobs::none, 0, 1, 2);
    // The parameters live as long as the work.
    const auto kept = std::make_shared<TokenSampler>(c);
    Work work = executing(
        token_sampler(pd),
        {{TOMBOLA_ARG_SRC, memory(src_desc, cpu(), logits(c))},
         {TOMBOLA_ARG_DST,
          memory(dst_desc, cpu(), destination(static_cast<size_t>(c.batch) * sizeof(int64_t)))},
         {TOMBOLA_ARG_TEMPERATURE, memory(pd.temperature_desc(), cpu(), &kept->temperature)},
         {TOMBOLA_ARG_TOP_K, memory(pd.top_k_desc(), cpu(), &kept->top_k)},
         {TOMBOLA_ARG_TOP_P, memory(pd.top_p_desc(), cpu(), &kept->top_p)}},
        c.bytes(), pd.impl_info_str());
    work.run = [kept, run = work.run] { run(); };
    return work;
}

}  // namespace

void add_token_sampler() {
    for (const TokenSampler& c : kTokenSamplers) {
        add_tombola(std::string("token_sampler/") + c.name, [c] { return draw(c); });
        add_tombola_threads(std::string("token_sampler ") + c.name, [c] { return draw(c); });
    }
}

}  // namespace tombola::peers
