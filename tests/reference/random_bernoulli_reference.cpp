// SPDX-License-Identifier: Apache-2.0
#include "reference/random_bernoulli_reference.hpp"

#include <cmath>
#include <cstring>

#include "reference/numeric.hpp"

namespace tombola::reference {

namespace {

// Number 1 of a type, as its bytes.
Scalar one_of(tombola_data_type_t type) {
    return is_floating(type) ? nearest(type, 1) : scalar_of(uint64_t{1});
}

}  // namespace

std::string bernoulli_refusal(const BernoulliRequest& request) {
    for (const double p : request.p)
        if (!(p >= 0 && p <= 1)) return "a probability is not in [0, 1]";
    return stream_refusal(request);
}

// The words' low bits as an integer k: u = k * 2^-bits, and the comparison is done between exact numbers.
void random_bernoulli_reference(const BernoulliRequest& request, uint64_t count, void* dst,
                                std::vector<uint8_t>* state_out) {
    const bool torch = request.alignment == tombola_alignment_pytorch;
    const bool wide = torch && (request.one_p || request.p_type == tombola_f64);
    const int words = wide ? 2 : 1;
    const int bits = wide ? 53 : torch ? 24 : 23;
    const auto drawn = stream_words(request, words, count, state_out);
    const Scalar one = one_of(request.type);
    const size_t size = size_of(request.type);
    std::memset(dst, 0, count * size);
    for (uint64_t i = 0; i < count; ++i) {
        const uint64_t x = wide ? uint64_t{drawn[2 * i]} << 32 | drawn[2 * i + 1] : drawn[i];
        double p = request.p[request.one_p ? 0 : i];
        if (!torch) p = static_cast<float>(p);
        const auto k = static_cast<double>(x & ((uint64_t{1} << bits) - 1));
        if (k < std::ldexp(p, bits))
            std::memcpy(static_cast<uint8_t*>(dst) + i * size, one.data(), size);
    }
}

}  // namespace tombola::reference
