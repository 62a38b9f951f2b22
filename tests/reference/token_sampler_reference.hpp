// SPDX-License-Identifier: Apache-2.0
#pragma once

// token_sampler from doc/token_sampler.md, class by class: a sort, then for each filter a test of every class by what comes
// before it in the order, in exact integers.

#include <cstdint>
#include <string>
#include <vector>

#include "tombola/tombola.h"

namespace tombola::reference {

// What has one element for all rows, or one per row, is empty (the default), or has 1 or `batch` elements.
struct TokenSamplerRequest {
    tombola_data_type_t type = tombola_f32;
    tombola_filter_order_t filter_order = tombola_filter_order_transformers;
    tombola_logprobs_t logprobs = tombola_logprobs_none;
    int64_t batch = 0, classes = 0, samples = 0, top_n = 0;
    std::vector<float> temperature, top_p, min_p;
    std::vector<int32_t> top_k;
    std::vector<uint64_t> seeds;   // a pair for all rows, or a pair per row
    bool row_seeds = false;        // a pair per row
    std::vector<uint64_t> offset;  // of the stream
    std::vector<double> uniforms;  // batch * samples of them, or none: the stream's
    std::vector<uint32_t> mask;    // batch * ceil(classes / 32) words, or none: all allowed
};

struct TokenSamplerResult {
    std::string refusal;  // what the message must contain; empty: not refused
    std::vector<int64_t> ids;
    std::vector<float> logprobs;
    std::vector<int32_t> kept;
    std::vector<int64_t> top_ids;
    std::vector<float> top_logprobs;
    // For tests on the sets themselves: the classes of each row's set, in class order, and their integer weights.
    std::vector<std::vector<int64_t>> sets;
    std::vector<std::vector<uint64_t>> weights;
};

// `logits`: [batch, classes], row-major.
TokenSamplerResult token_sampler_reference(const TokenSamplerRequest& request, const void* logits);

// Why the operator must refuse these arguments; empty if it must not.
std::string token_sampler_refusal(const TokenSamplerRequest& request, const void* logits);

}  // namespace tombola::reference
