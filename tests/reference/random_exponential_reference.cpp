// SPDX-License-Identifier: Apache-2.0
#include "reference/random_exponential_reference.hpp"

#include <cmath>

#include "reference/maths_reference.hpp"
#include "reference/numeric.hpp"

namespace tombola::reference {

namespace {

double value_of_words(const ExponentialRequest& request, const uint32_t* w) {
    const bool torch = request.alignment == tombola_alignment_pytorch;
    double u;
    if (torch)
        u = std::ldexp((w[0] & 0x1FFFFFu) * 0x1p32 + w[1], -53);
    else if (request.type == tombola_f64)
        u = std::ldexp((w[0] & 0xFFFFFu) * 0x1p32 + w[1], -52);
    else
        u = std::ldexp(static_cast<double>(w[0] & 0x7FFFFFu), -23);
    const double e = u == 0 ? 0 : -ln(1 - u);
    return torch ? (1 / request.lambda) * e : e / request.lambda;
}

}  // namespace

std::string exponential_refusal(const ExponentialRequest& request) {
    if (!std::isfinite(request.lambda) || !(request.lambda > 0)) return "lambda is not above 0";
    if (std::isinf(1 / request.lambda)) return "1 / lambda overflows";
    return stream_refusal(request);
}

void random_exponential_reference(const ExponentialRequest& request, uint64_t count, void* dst,
                                  std::vector<uint8_t>* state_out) {
    const bool two = request.alignment == tombola_alignment_pytorch || request.type == tombola_f64;
    const int words = two ? 2 : 1;
    const auto drawn = stream_words(request, words, count, state_out);
    for (uint64_t i = 0; i < count; ++i) {
        const double value =
            value_of_words(request, drawn.data() + i * static_cast<uint64_t>(words));
        const auto narrow = static_cast<float>(value);
        if (request.type == tombola_f64)
            static_cast<double*>(dst)[i] = value;
        else if (request.type == tombola_f32)
            static_cast<float*>(dst)[i] = narrow;
        else
            static_cast<uint16_t*>(dst)[i] =
                request.type == tombola_f16 ? double_to_f16(narrow) : double_to_bf16(narrow);
    }
}

}  // namespace tombola::reference
