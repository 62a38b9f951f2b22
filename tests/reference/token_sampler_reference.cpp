// SPDX-License-Identifier: Apache-2.0
#include "reference/token_sampler_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "reference/maths_reference.hpp"
#include "reference/multinomial_reference.hpp"
#include "reference/numeric.hpp"
#include "reference/philox_reference.hpp"

namespace tombola::reference {
namespace {

using Wide = unsigned __int128;
constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
T of_row(const std::vector<T>& values, int64_t row, T absent) {
    if (values.empty()) return absent;
    return values[values.size() == 1 ? 0 : static_cast<size_t>(row)];
}

float logit(const TokenSamplerRequest& request, const void* logits, int64_t row, int64_t k) {
    Scalar scalar{};
    const size_t size = size_of(request.type);
    const auto index = static_cast<size_t>(row * request.classes + k);
    std::memcpy(scalar.data(), static_cast<const char*>(logits) + index * size, size);
    return static_cast<float>(double_of(request.type, scalar));
}

bool allowed(const TokenSamplerRequest& request, int64_t row, int64_t k) {
    if (request.mask.empty()) return true;
    const int64_t words = (request.classes + 31) / 32;
    const uint32_t word = request.mask[static_cast<size_t>(row * words + k / 32)];
    return (word / (uint32_t{1} << (k % 32))) % 2 == 1;
}

int ceil_log2_of(int64_t n) {
    int bits = 0;
    while ((int64_t{1} << bits) < n) ++bits;
    return bits;
}

// max(1, floor(w * 2^(61 - L))), or 0 for w = 0.
uint64_t integer_weight(float w, int64_t classes) {
    if (w == 0) return 0;
    int exponent = 0;
    Wide q = static_cast<Wide>(std::ldexp(std::frexp(w, &exponent), 24));  // w * 2^(24 - exponent)
    for (int left = 61 - ceil_log2_of(classes) - 24 + exponent; left != 0;
         left -= left > 0 ? 1 : -1)
        q = left > 0 ? q * 2 : q / 2;
    return q == 0 ? 1 : static_cast<uint64_t>(q);
}

// max(1, ceil(p * sum)).
uint64_t mass_of(float p, uint64_t sum) { return multinomial_target(static_cast<double>(p), sum); }

double stream_number(uint64_t global, uint64_t op, Wide number) {
    const PhiloxCounter start = {0, 0, static_cast<uint32_t>(op), static_cast<uint32_t>(op >> 32)};
    const PhiloxKey key = {static_cast<uint32_t>(global), static_cast<uint32_t>(global >> 32)};
    const auto block = philox_block(philox_add(start, number / 2), key);
    const uint64_t high = block[number % 2 == 0 ? 0 : 2];
    const uint64_t low = block[number % 2 == 0 ? 1 : 3];
    return std::ldexp(static_cast<double>((high % (1u << 20)) << 32 | low), -52);
}

// A class of a row, at its place in the order.
struct Class {
    int64_t k;
    float x;
    float d;
    uint64_t q;
    bool kept;
};

void weigh(std::vector<Class>& order, float t, int64_t classes) {
    const float r = 1.0f / t;
    for (Class& c : order) {
        const float difference = c.x - order[0].x;
        c.d = difference * r;
        c.q = integer_weight(weight_exp_f32(c.d), classes);
    }
}

uint64_t mass(const std::vector<Class>& order) {
    uint64_t sum = 0;
    for (const Class& c : order) sum += c.kept ? c.q : 0;
    return sum;
}

void filter_top_k(std::vector<Class>& order, int64_t k) {
    if (k == 0) return;
    for (size_t i = 0; i < order.size(); ++i)
        order[i].kept = order[i].kept && i < static_cast<size_t>(k);
}

void filter_min_p(std::vector<Class>& order, float min_p) {
    if (min_p == 0) return;
    const auto least = static_cast<float>(ln(static_cast<double>(min_p)));
    for (Class& c : order) c.kept = c.kept && c.d >= least;
}

// A class is kept iff the mass of those that were kept before it is below the mass asked for.
void filter_top_p(std::vector<Class>& order, float p) {
    const uint64_t needed = mass_of(p, mass(order));
    uint64_t before = 0;
    for (Class& c : order) {
        if (!c.kept) continue;
        c.kept = before < needed;
        before += c.q;
    }
}

void filter(std::vector<Class>& order, const TokenSamplerRequest& request, int64_t row) {
    const int64_t k = of_row(request.top_k, row, 0);
    const float p = of_row(request.top_p, row, 1.0f);
    const float min_p = of_row(request.min_p, row, 0.0f);
    switch (request.filter_order) {
        case tombola_filter_order_transformers:
        case tombola_filter_order_temperature_last:
            filter_top_k(order, k);
            filter_top_p(order, p);
            filter_min_p(order, min_p);
            break;
        case tombola_filter_order_vllm:
            filter_min_p(order, min_p);
            filter_top_k(order, k);
            filter_top_p(order, p);
            break;
        case tombola_filter_order_joint:
            filter_top_p(order, p);
            filter_top_k(order, k);
            filter_min_p(order, min_p);
            break;
    }
}

void sample_row(const TokenSamplerRequest& request, const void* logits, int64_t row,
                TokenSamplerResult& result) {
    std::vector<Class> order;
    for (int64_t k = 0; k < request.classes; ++k)
        if (allowed(request, row, k))
            order.push_back({k, logit(request, logits, row, k), 0, 0, true});
    std::stable_sort(order.begin(), order.end(),
                     [](const Class& a, const Class& b) { return a.x > b.x; });

    const float temperature = of_row(request.temperature, row, 1.0f);
    const bool greedy = temperature == 0;
    const float t = greedy ? 1.0f : temperature;
    const bool last = request.filter_order == tombola_filter_order_temperature_last;
    weigh(order, last ? 1.0f : t, request.classes);
    filter(order, request, row);
    weigh(order, t, request.classes);

    std::vector<Class> set;
    for (const Class& c : order)
        if (c.kept) set.push_back(c);
    std::sort(set.begin(), set.end(), [](const Class& a, const Class& b) { return a.k < b.k; });
    int32_t drawable = 0;
    std::vector<int64_t> ids;
    std::vector<uint64_t> weights;
    for (const Class& c : set) {
        drawable += c.q > 0 ? 1 : 0;
        ids.push_back(c.k);
        weights.push_back(c.q);
    }
    result.kept.push_back(greedy ? 1 : drawable);
    result.sets.push_back(ids);
    result.weights.push_back(weights);
    const uint64_t set_mass = mass(order);

    const bool raw = request.logprobs == tombola_logprobs_raw;
    if (raw) weigh(order, 1, request.classes);
    for (Class& c : order) c.kept = c.kept || raw;
    const double total =
        std::ldexp(static_cast<double>(mass(order)), ceil_log2_of(request.classes) - 61);
    const auto logprob = [&](int64_t k) {
        for (const Class& c : order)
            if (c.k == k) return static_cast<float>(static_cast<double>(c.d) - ln(total));
        return -kInf;
    };
    const bool writes = request.logprobs != tombola_logprobs_none;
    const size_t pair = request.row_seeds ? 2 * static_cast<size_t>(row) : 0;
    for (int64_t s = 0; s < request.samples; ++s) {
        int64_t id = order[0].k;
        if (!greedy) {
            const int64_t i = row * request.samples + s;
            const Wide number = Wide{of_row(request.offset, row, uint64_t{0})} +
                                static_cast<Wide>(request.row_seeds ? s : i);
            const double u =
                request.uniforms.empty()
                    ? stream_number(request.seeds[pair], request.seeds[pair + 1], number)
                    : request.uniforms[static_cast<size_t>(i)];
            const uint64_t target = multinomial_target(u, set_mass);
            size_t at = 0;
            for (uint64_t reached = set[0].q; reached < target; reached += set[at].q) ++at;
            id = set[at].k;
        }
        result.ids.push_back(id);
        if (writes) result.logprobs.push_back(logprob(id));
    }
    for (int64_t i = 0; i < request.top_n; ++i) {
        const bool exists = static_cast<size_t>(i) < order.size();
        const int64_t id = exists ? order[static_cast<size_t>(i)].k : -1;
        result.top_ids.push_back(id);
        if (writes) result.top_logprobs.push_back(exists ? logprob(id) : -kInf);
    }
}

std::string argument_refusal(const TokenSamplerRequest& request, int64_t row) {
    const auto place = [&](const char* name, size_t count) {
        return std::string(name) + (count > 1 ? ": row " + std::to_string(row) + ": " : " is ");
    };
    const float t = of_row(request.temperature, row, 1.0f);
    if (!(t == 0 || (t >= 0x1p-64f && t < kInf)))
        return place("TEMPERATURE", request.temperature.size());
    if (of_row(request.top_k, row, 0) < 0) return place("TOP_K", request.top_k.size());
    const float p = of_row(request.top_p, row, 1.0f);
    if (!(p >= 0 && p <= 1)) return place("TOP_P", request.top_p.size());
    const float least = of_row(request.min_p, row, 0.0f);
    if (!(least >= 0 && least <= 1)) return place("MIN_P", request.min_p.size());
    return {};
}

std::string offset_refusal(const TokenSamplerRequest& request, int64_t row) {
    const Wide first = Wide{of_row(request.offset, row, uint64_t{0})} +
                       static_cast<Wide>(request.row_seeds ? 0 : row * request.samples);
    const Wide end = first + static_cast<Wide>(request.samples);
    if (request.samples == 0 || end <= Wide{1} << 64) return {};
    return request.offset.size() > 1 ? "OFFSET: row " + std::to_string(row) + ": " : "OFFSET is ";
}

std::string logits_refusal(const TokenSamplerRequest& request, const void* logits, int64_t row) {
    const std::string where = "row " + std::to_string(row);
    int64_t count = 0;
    float greatest = -kInf;
    for (int64_t k = 0; k < request.classes; ++k) {
        if (!allowed(request, row, k)) continue;
        const float x = logit(request, logits, row, k);
        if (std::isnan(x) || x == kInf)
            return "SRC: " + where + ", class " + std::to_string(k) + ":";
        greatest = std::fmax(greatest, x);
        ++count;
    }
    if (count == 0) return "MASK: " + where + ":";
    if (greatest == -kInf) return "SRC: " + where + ": all " + std::to_string(count);
    return {};
}

}  // namespace

std::string token_sampler_refusal(const TokenSamplerRequest& request, const void* logits) {
    for (int64_t row = 0; row < request.batch; ++row)
        if (auto reason = argument_refusal(request, row); !reason.empty()) return reason;
    if (request.uniforms.empty()) {
        for (int64_t row = 0; row < request.batch; ++row)
            if (auto reason = offset_refusal(request, row); !reason.empty()) return reason;
    }
    for (size_t i = 0; i < request.uniforms.size(); ++i)
        if (!(request.uniforms[i] >= 0 && request.uniforms[i] <= 1))
            return "UNIFORMS: row " + std::to_string(static_cast<int64_t>(i) / request.samples) +
                   ", sample " + std::to_string(static_cast<int64_t>(i) % request.samples) + ":";
    for (int64_t row = 0; row < request.batch; ++row)
        if (auto reason = logits_refusal(request, logits, row); !reason.empty()) return reason;
    return {};
}

TokenSamplerResult token_sampler_reference(const TokenSamplerRequest& request, const void* logits) {
    TokenSamplerResult result;
    result.refusal = token_sampler_refusal(request, logits);
    if (!result.refusal.empty()) return result;
    for (int64_t row = 0; row < request.batch; ++row) sample_row(request, logits, row, result);
    return result;
}

}  // namespace tombola::reference
