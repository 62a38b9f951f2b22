// SPDX-License-Identifier: Apache-2.0

// The ids of token_sampler by PyTorch's operators, in the formulation that takes the least time: argmax; softmax and
// multinomial; topk, so that only k logits are sorted; for top_p alone a sort of the row.

#include <ATen/ATen.h>

#include <tuple>

#include "peers.hpp"

namespace tombola::peers {

namespace {

at::Tensor ids(const at::Tensor& logits, const TokenSampler& c) {
    if (c.temperature == 0) return at::argmax(logits, 1, true);
    const at::Tensor scaled = logits / static_cast<double>(c.temperature);
    if (c.top_k == 0 && c.top_p == 1) return at::multinomial(at::softmax(scaled, 1), 1);
    const auto [values, classes] =
        c.top_k > 0 ? at::topk(scaled, c.top_k) : at::sort(scaled, 1, true);
    at::Tensor kept = at::softmax(values, 1);
    if (c.top_p < 1)
        kept.masked_fill_(at::cumsum(kept, 1) - kept >= static_cast<double>(c.top_p), 0);
    return classes.gather(1, at::multinomial(kept, 1));
}

}  // namespace

void add_token_sampler_torch() {
    for (const TokenSampler& c : kTokenSamplers)
        add(std::string("token_sampler/") + c.name, "PyTorch", [c] {
            const at::Tensor input = at::from_blob(logits(c), {c.batch, c.classes}, at::kFloat);
            return Work{[input, c] { keep(ids(input, c).data_ptr()); }, c.bytes()};
        });
}

}  // namespace tombola::peers
