// SPDX-License-Identifier: Apache-2.0

// The ids of token_sampler by PyTorch's operators: argmax; softmax and multinomial; topk, so that only k logits are sorted and divided;
// for top_p alone a sort of the row.
//
// PyTorch's multinomial has two ways. Without replacement, and since some release of 2.x also for a single sample, it draws an exponential
// number for each class. For more samples with replacement it sums the row up and searches in the sums. This takes less time, also with
// the second sample, which is thrown away here.

#include <ATen/ATen.h>

#include <tuple>

#include "peers.hpp"

namespace tombola::peers {

namespace {

at::Tensor one_of(const at::Tensor& probabilities) {
    return at::multinomial(probabilities, 2, /*replacement=*/true).narrow(1, 0, 1);
}

at::Tensor ids(const at::Tensor& logits, const TokenSampler& c) {
    if (c.temperature == 0) return at::argmax(logits, 1, true);
    const auto temperature = static_cast<double>(c.temperature);
    if (c.top_k == 0 && c.top_p == 1) return one_of(at::softmax(logits / temperature, 1));
    const auto [values, classes] =
        c.top_k > 0 ? at::topk(logits, c.top_k) : at::sort(logits, 1, true);
    at::Tensor kept = at::softmax(values / temperature, 1);
    if (c.top_p < 1)
        kept.masked_fill_(at::cumsum(kept, 1) - kept >= static_cast<double>(c.top_p), 0);
    return classes.gather(1, one_of(kept));
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
