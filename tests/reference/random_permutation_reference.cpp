// SPDX-License-Identifier: Apache-2.0
#include "reference/random_permutation_reference.hpp"

#include <cstring>
#include <numeric>
#include <utility>

#include "reference/mt19937_reference.hpp"
#include "reference/philox_reference.hpp"

namespace tombola::reference {
namespace {

// The whole of torch.randperm(range), then the part that is wanted.
std::vector<int64_t> by_fisher_yates(const PermutationRequest& request, int64_t count,
                                     std::vector<uint8_t>* state_out) {
    Mt19937::State given{};
    if (!request.state.empty()) std::memcpy(given.data(), request.state.data(), sizeof given);
    Mt19937 words = request.state.empty() ? Mt19937(static_cast<uint32_t>(request.global_seed))
                                          : Mt19937(given);
    std::vector<int64_t> all(static_cast<size_t>(request.range));
    std::iota(all.begin(), all.end(), int64_t{0});
    for (size_t i = 0; i + 1 < all.size(); ++i)
        std::swap(all[i], all[i + words.next() % (all.size() - i)]);
    if (state_out) {
        const Mt19937::State after = words.state();
        state_out->resize(sizeof after);
        std::memcpy(state_out->data(), after.data(), sizeof after);
    }
    if (count == 0) return {};
    const auto first = all.begin() + static_cast<int64_t>(request.offset);
    return {first, first + count};
}

// The steps of the page, on numbers: 2^m is written as a factor and not as a shift.
class Network {
  public:
    Network(uint64_t range, const uint32_t* words) : words_(words) {
        while (bits_ < 63 && power(bits_) < range) ++bits_;
        left_ = bits_ / 2;
        right_ = bits_ - left_;
    }
    uint64_t pass(uint64_t v) const {
        uint64_t sides[] = {v / power(right_), v % power(right_)};  // L, R
        for (int round = 0; round < 24; ++round) {
            const int changed = round % 2;
            sides[changed] ^= f(sides[1 - changed], words_[round], changed == 0 ? left_ : right_);
        }
        v = sides[0] * power(right_) + sides[1];
        return v < 2 && words_[24] % 2 == 1 ? 1 - v : v;
    }

  private:
    static uint64_t power(int exponent) { return uint64_t{1} << exponent; }
    static uint64_t f(uint64_t x, uint64_t key, int bits) {
        uint64_t h = (x ^ key) * 0x7FEB352D % power(32);
        h = h ^ h / power(15);
        h = h * 0x846CA68B % power(32);
        return h / power(32 - bits);
    }

    const uint32_t* words_;
    int bits_ = 4, left_, right_;
};

std::vector<int64_t> by_network(const PermutationRequest& request, int64_t count,
                                std::vector<uint8_t>* state_out) {
    uint64_t start[2] = {0, request.op_seed};
    if (!request.state.empty()) std::memcpy(start, request.state.data(), sizeof start);
    const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
    const auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
    const PhiloxCounter counter = {low(start[0]), high(start[0]), low(start[1]), high(start[1])};
    const PhiloxKey key = {low(request.global_seed), high(request.global_seed)};
    uint32_t words[25];
    philox_words(counter, key, 25, words);
    if (state_out) {
        const PhiloxCounter after = philox_add(counter, 7);
        state_out->resize(sizeof after);
        std::memcpy(state_out->data(), after.data(), sizeof after);
    }
    const auto range = static_cast<uint64_t>(request.range);
    const Network network(range, words);
    std::vector<int64_t> elements(static_cast<size_t>(count));
    for (size_t i = 0; i < elements.size(); ++i) {
        uint64_t v = network.pass(request.offset + i);
        while (v >= range) v = network.pass(v);
        elements[i] = static_cast<int64_t>(v);
    }
    return elements;
}

}  // namespace

size_t permutation_state_bytes(tombola_permutation_alignment_t alignment) {
    return alignment == tombola_permutation_philox ? 16 : sizeof(Mt19937::State);
}

std::string permutation_refusal(const PermutationRequest& request, int64_t count) {
    if (request.offset > static_cast<uint64_t>(request.range - count))
        return "OFFSET + elements is above the range";
    return request.alignment == tombola_permutation_philox ? "" : mt_state_refusal(request.state);
}

std::vector<int64_t> random_permutation_reference(const PermutationRequest& request, int64_t count,
                                                  std::vector<uint8_t>* state_out) {
    return request.alignment == tombola_permutation_philox
               ? by_network(request, count, state_out)
               : by_fisher_yates(request, count, state_out);
}

}  // namespace tombola::reference
