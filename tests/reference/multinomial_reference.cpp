// SPDX-License-Identifier: Apache-2.0
#include "reference/multinomial_reference.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "reference/numeric.hpp"
#include "reference/philox_reference.hpp"

namespace tombola::reference {
namespace {

using Wide = unsigned __int128;

double probs_element(tombola_data_type_t type, const void* probs, int64_t index) {
    Scalar scalar{};
    const size_t size = size_of(type);
    std::memcpy(scalar.data(), static_cast<const char*>(probs) + static_cast<size_t>(index) * size,
                size);
    return double_of(type, scalar);
}

// floor(w * 2^power) of w > 0, but at least 1.
uint64_t integer_weight(double w, int power) {
    int exponent = 0;
    const double fraction =
        std::frexp(w, &exponent);  // w = fraction * 2^exponent, 1/2 <= fraction < 1
    auto significand = static_cast<uint64_t>(std::ldexp(fraction, 53));
    int left = exponent - 53 + power;
    for (; left > 0; --left) significand *= 2;
    for (; left < 0 && significand > 0; ++left) significand /= 2;
    return significand == 0 ? 1 : significand;
}

// Word pair i of the stream of Philox blocks, as a number in [0, 1): the first word is the high half.
double stream_uniform(const MultinomialRequest& request, Wide i) {
    const PhiloxCounter start = {0, 0, static_cast<uint32_t>(request.op_seed),
                                 static_cast<uint32_t>(request.op_seed >> 32)};
    const PhiloxKey key = {static_cast<uint32_t>(request.global_seed),
                           static_cast<uint32_t>(request.global_seed >> 32)};
    const auto block = philox_block(philox_add(start, i / 2), key);
    const uint64_t high = block[i % 2 == 0 ? 0 : 2];
    const uint64_t low = block[i % 2 == 0 ? 1 : 3];
    const uint64_t fraction = (high % (1u << 20)) << 32 | low;
    return std::ldexp(static_cast<double>(fraction), -52);
}

const void* row_of(const MultinomialRequest& request, const void* probs, int64_t row) {
    const size_t row_bytes = static_cast<size_t>(request.classes) * size_of(request.type);
    return static_cast<const char*>(probs) + static_cast<size_t>(row) * row_bytes;
}

}  // namespace

float weight_exp_f32(float d) {
    if (d < -87.0f) return 0.0f;
    const float shifted = std::fmaf(d, 0x1.715476p+0f, 12582912.0f);
    const float n = shifted - 12582912.0f;
    const float r1 = std::fmaf(n, -0x1.62e430p-1f, d);
    const float r = std::fmaf(n, 0x1.05c610p-29f, r1);
    float p = 0x1.5dcd02p-10f;
    p = std::fmaf(p, r, 0x1.11ea4cp-7f);
    p = std::fmaf(p, r, 0x1.556420p-5f);
    p = std::fmaf(p, r, 0x1.5554fcp-3f);
    p = std::fmaf(p, r, 0x1.fffff6p-2f);
    p = std::fmaf(p, r, 1.0f);
    p = std::fmaf(p, r, 1.0f);
    return p * std::exp2f(n);
}

double weight_exp_f64(double d) {
    if (d < -708.0) return 0.0;
    const double shifted = std::fma(d, 0x1.71547652b82fep+0, 6755399441055744.0);
    const double n = shifted - 6755399441055744.0;
    const double r1 = std::fma(n, -0x1.62e42fefa39efp-1, d);
    const double r = std::fma(n, -0x1.abc9e3b39803fp-56, r1);
    double p = 0x1.a8264dd1f0c02p-26;
    p = std::fma(p, r, 0x1.28905e172b37ap-22);
    p = std::fma(p, r, 0x1.71e1e36c6fcbdp-19);
    p = std::fma(p, r, 0x1.a019b8a7f8f12p-16);
    p = std::fma(p, r, 0x1.a01a003c5121dp-13);
    p = std::fma(p, r, 0x1.6c16c1794c09ap-10);
    p = std::fma(p, r, 0x1.1111111144ffcp-7);
    p = std::fma(p, r, 0x1.555555555378cp-5);
    p = std::fma(p, r, 0x1.55555555554c1p-3);
    p = std::fma(p, r, 0x1.0000000000002p-1);
    p = std::fma(p, r, 1.0);
    p = std::fma(p, r, 1.0);
    return p * std::exp2(n);
}

std::vector<uint64_t> multinomial_weights(const MultinomialRequest& request, const void* probs,
                                          std::string& refusal) {
    const double inf = std::numeric_limits<double>::infinity();
    std::vector<double> w(static_cast<size_t>(request.classes));
    double greatest = -inf;
    for (size_t k = 0; k < w.size(); ++k) {
        w[k] = probs_element(request.type, probs, static_cast<int64_t>(k));
        const bool bad = std::isnan(w[k]) || w[k] == inf || (!request.log_probs && w[k] < 0);
        if (bad) {
            refusal = "class " + std::to_string(k) + ":";
            return {};
        }
        greatest = std::fmax(greatest, w[k]);
    }
    if (greatest == (request.log_probs ? -inf : 0.0)) {
        refusal = "all " + std::to_string(request.classes);
        return {};
    }
    if (request.log_probs) {
        for (double& x : w) {
            if (request.type == tombola_f64)
                x = weight_exp_f64(x - greatest);
            else
                x = static_cast<double>(
                    weight_exp_f32(static_cast<float>(x) - static_cast<float>(greatest)));
        }
        greatest = 1.0;
    }
    int exponent = 0;
    std::frexp(greatest, &exponent);  // e = exponent - 1
    int log_classes = 0;
    while ((int64_t{1} << log_classes) < request.classes) ++log_classes;
    std::vector<uint64_t> q(w.size(), 0);
    for (size_t k = 0; k < q.size(); ++k)
        if (w[k] > 0) q[k] = integer_weight(w[k], 61 - log_classes - (exponent - 1));
    return q;
}

uint64_t multinomial_target(double u, uint64_t sum) {
    int exponent = 0;
    const double fraction = std::frexp(u, &exponent);
    Wide product =
        static_cast<Wide>(std::ldexp(fraction, 53)) * sum;  // u * sum * 2^(53 - exponent)
    bool exact = true;
    for (int shift = 53 - exponent; shift > 0 && product > 0; --shift) {
        exact = exact && product % 2 == 0;
        product /= 2;
    }
    const auto ceiling = static_cast<uint64_t>(product) + (exact ? 0 : 1);
    return ceiling == 0 ? 1 : ceiling;
}

std::string multinomial_refusal(const MultinomialRequest& request, const void* probs) {
    for (size_t i = 0; i < request.uniforms.size(); ++i) {
        const auto at = static_cast<int64_t>(i);
        if (!(request.uniforms[i] >= 0 && request.uniforms[i] <= 1))
            return "row " + std::to_string(at / request.samples) + ", sample " +
                   std::to_string(at % request.samples);
    }
    for (int64_t row = 0; row < request.batch; ++row) {
        const std::string where = "row " + std::to_string(row);
        std::string refusal;
        const std::vector<uint64_t> q =
            multinomial_weights(request, row_of(request, probs, row), refusal);
        if (q.empty()) return where + (refusal[0] == 'c' ? ", " : ": ") + refusal;
        int64_t positive = 0;
        for (const uint64_t weight : q) positive += weight > 0 ? 1 : 0;
        if (!request.with_replacement && positive < request.samples)
            return where + ": " + std::to_string(positive);
    }
    return {};
}

std::string multinomial_reference(const MultinomialRequest& request, const void* probs,
                                  std::vector<int64_t>& indices) {
    indices.clear();
    if (request.samples == 0) return {};
    std::string refusal = multinomial_refusal(request, probs);
    if (!refusal.empty()) return refusal;
    for (int64_t row = 0; row < request.batch; ++row) {
        std::vector<uint64_t> q =
            multinomial_weights(request, row_of(request, probs, row), refusal);
        uint64_t sum = 0;
        for (const uint64_t weight : q) sum += weight;
        for (int64_t s = 0; s < request.samples; ++s) {
            const int64_t i = row * request.samples + s;
            const double u =
                request.uniforms.empty()
                    ? stream_uniform(request, Wide{request.offset} + static_cast<Wide>(i))
                    : request.uniforms[static_cast<size_t>(i)];
            const uint64_t target = multinomial_target(u, sum);
            size_t k = 0;
            for (uint64_t prefix = q[0]; prefix < target; prefix += q[k]) ++k;
            indices.push_back(static_cast<int64_t>(k));
            if (request.with_replacement) continue;
            sum -= q[k];
            q[k] = 0;
        }
    }
    return {};
}

}  // namespace tombola::reference
