// SPDX-License-Identifier: Apache-2.0

// A decoding loop: temperature, top-k and top-p, seeds of each request, a grammar's mask, log probabilities, and the
// verification of speculative tokens in one call.
// Build: c++ -std=c++17 token_sampler.cpp -ltombola

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "tombola/tombola.hpp"

using namespace tombola;

namespace {

constexpr int64_t kVocabulary = 1000, kWords = (kVocabulary + 31) / 32;

// Stands for a language model: the logits after a token at a position.
void model(int32_t token, uint64_t position, float* logits) {
    uint64_t state = static_cast<uint64_t>(token) * 1000003 + position;
    for (int64_t k = 0; k < kVocabulary; ++k) {
        state = state * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
        logits[k] = -1.5f * std::log(static_cast<float>((state >> 40) + 1) * 0x1p-24f);
    }
}

struct Request {
    uint64_t seeds[2];
    float temperature;
    int32_t top_k;
};

// Stands for a grammar: a number is followed by an even one, from the second position on.
void allow(uint64_t position, int32_t* words) {
    for (int64_t w = 0; w < kWords; ++w) words[w] = position == 0 ? -1 : 0x55555555;
}

// The tokens at `positions` that follow `tokens`, one per row.
std::vector<int32_t> sample(const engine& eng, const std::vector<Request>& requests,
                            const std::vector<int32_t>& tokens,
                            const std::vector<uint64_t>& positions, std::vector<float>* logprobs) {
    const auto rows = static_cast<int64_t>(requests.size());
    std::vector<float> logits(requests.size() * kVocabulary), temperatures,
        probabilities(requests.size());
    std::vector<int32_t> top_k, ids(requests.size()), mask(requests.size() * kWords);
    std::vector<uint64_t> seeds, offsets = positions;
    for (size_t row = 0; row < requests.size(); ++row) {
        model(tokens[row], positions[row], &logits[row * kVocabulary]);
        allow(positions[row], &mask[row * kWords]);
        temperatures.push_back(requests[row].temperature);
        top_k.push_back(requests[row].top_k);
        seeds.insert(seeds.end(), requests[row].seeds, requests[row].seeds + 2);
    }
    using type = memory::data_type;
    const memory::desc src({rows, kVocabulary}, type::f32, memory::format_tag::ab);
    const memory::desc dst({rows, 1}, type::s32, memory::format_tag::ab);
    const auto per_row = [&](type t) { return memory::desc({rows}, t, memory::format_tag::a); };
    const token_sampler::primitive_desc pd(eng, src, dst, filter_order::transformers,
                                           logprobs::processed, 0, 0, 1);
    float p = 0.9f;  // of all requests
    stream strm(eng);
    token_sampler(pd).execute(
        strm,
        {{TOMBOLA_ARG_SRC, memory(src, eng, logits.data())},
         {TOMBOLA_ARG_DST, memory(dst, eng, ids.data())},
         {TOMBOLA_ARG_TEMPERATURE, memory(per_row(type::f32), eng, temperatures.data())},
         {TOMBOLA_ARG_TOP_K, memory(per_row(type::s32), eng, top_k.data())},
         {TOMBOLA_ARG_TOP_P, memory(pd.top_p_desc(), eng, &p)},
         {TOMBOLA_ARG_MASK, memory(pd.mask_desc(), eng, mask.data())},
         {TOMBOLA_ARG_SEEDS,
          memory(memory::desc({rows, 2}, type::u64, memory::format_tag::ab), eng, seeds.data())},
         {TOMBOLA_ARG_OFFSET, memory(per_row(type::u64), eng, offsets.data())},
         {TOMBOLA_ARG_DST_LOGPROBS, memory(pd.logprobs_desc(), eng, probabilities.data())}});
    if (logprobs != nullptr) *logprobs = probabilities;
    return ids;
}

}  // namespace

int main() try {
    const engine eng(engine::kind::cpu, 0);
    constexpr uint64_t kLength = 8;
    const std::vector<Request> requests = {{{1, 7}, 0.8f, 50}, {{2, 7}, 1.2f, 0}, {{3, 7}, 0, 0}};

    // All requests in one batch, token by token.
    std::vector<std::vector<int32_t>> texts(requests.size());
    std::vector<int32_t> last(requests.size(), 0);
    bool right = true;
    for (uint64_t position = 0; position < kLength; ++position) {
        std::vector<float> logprobs;
        last = sample(eng, requests, last, std::vector<uint64_t>(requests.size(), position),
                      &logprobs);
        for (size_t r = 0; r < requests.size(); ++r) {
            texts[r].push_back(last[r]);
            right &= logprobs[r] <= 0 && (position == 0 || last[r] % 2 == 0);
        }
    }
    for (const auto& text : texts) {
        for (const int32_t token : text) std::printf(" %3d", token);
        std::printf("\n");
    }

    // A request that is alone gets the same tokens.
    int32_t token = 0;
    for (uint64_t position = 0; position < kLength; ++position) {
        token = sample(eng, {requests[1]}, {token}, {position}, nullptr)[0];
        right &= token == texts[1][position];
    }

    // Verification: a draft of the first request's text, which is wrong from position 5 on. Row i draws the token after the
    // first i tokens of the draft. Up to and including position 5 these are the tokens that the loop has drawn.
    std::vector<int32_t> draft = texts[0];
    draft[5] += 2;
    std::vector<int32_t> before(1, 0);
    before.insert(before.end(), draft.begin(), draft.end() - 1);
    std::vector<uint64_t> positions;
    for (uint64_t i = 0; i < kLength; ++i) positions.push_back(i);
    const std::vector<int32_t> verified =
        sample(eng, std::vector<Request>(kLength, requests[0]), before, positions, nullptr);
    size_t accepted = 0;
    while (accepted < kLength && verified[accepted] == draft[accepted]) ++accepted;
    right &= accepted == 5 && verified[5] == texts[0][5];
    std::printf("%zu draft tokens accepted, then %d%s\n", accepted, verified.at(5),
                right ? "" : "   WRONG");
    return right ? 0 : 1;
} catch (const error& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
