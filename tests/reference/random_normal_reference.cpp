// SPDX-License-Identifier: Apache-2.0
#include "reference/random_normal_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/maths_reference.hpp"
#include "reference/mt19937_reference.hpp"
#include "reference/philox_reference.hpp"

namespace tombola::reference {
namespace {

using uint128 = unsigned __int128;

constexpr uint64_t kBlock = 16;
constexpr double kTwoPi = 6.283185307179586;
constexpr size_t kMtBytes = sizeof(Mt19937::State);

// Rounds a result to the type; the arithmetic of the types of 16 bits is f32's. The f64 product or sum of two f32 numbers
// rounds to f32 as the exact one does.
double round_to(tombola_data_type_t type, double value) {
    switch (type) {
        case tombola_f16:
            return f16_to_double(double_to_f16(static_cast<float>(value)));
        case tombola_bf16:
            return bf16_to_double(double_to_bf16(static_cast<float>(value)));
        case tombola_f32:
            return static_cast<float>(value);
        default:
            return value;
    }
}

void put(tombola_data_type_t type, void* dst, uint64_t at, double value) {
    switch (type) {
        case tombola_f16:
            static_cast<uint16_t*>(dst)[at] = double_to_f16(value);
            break;
        case tombola_bf16:
            static_cast<uint16_t*>(dst)[at] = double_to_bf16(value);
            break;
        case tombola_f32:
            static_cast<float*>(dst)[at] = static_cast<float>(value);
            break;
        default:
            static_cast<double*>(dst)[at] = value;
    }
}

bool is_narrow(tombola_data_type_t type) { return type == tombola_f16 || type == tombola_bf16; }

// ---- tensorflow

double tensorflow_u(uint32_t x) { return static_cast<double>(x & 0x7FFFFF) / 8388608.0; }
double tensorflow_u(uint32_t first, uint32_t second) {
    return std::ldexp(static_cast<double>(first & 0xFFFFF), -20) +
           std::ldexp(static_cast<double>(second), -52);
}

// The f32 or f64 pair before the rounding to the type.
void tensorflow_pair_f32(uint32_t x0, uint32_t x1, double* pair) {
    const float u = std::max(static_cast<float>(tensorflow_u(x0)), 1e-7f);
    const auto angle = static_cast<float>(kTwoPi * tensorflow_u(x1));
    const float radius = std::sqrt(-2.0f * ln(u));
    const DirectionF32 direction = sin_cos(angle);
    pair[0] = direction.sin * radius;
    pair[1] = direction.cos * radius;
}
void tensorflow_pair_f64(const std::array<uint32_t, 4>& x, double* pair) {
    const double u = std::max(tensorflow_u(x[0], x[1]), 1e-7);
    const double radius = std::sqrt(-2.0 * ln(u));
    const Direction direction = sin_cos(kTwoPi * tensorflow_u(x[2], x[3]));
    pair[0] = direction.sin * radius;
    pair[1] = direction.cos * radius;
}

void tensorflow(const NormalRequest& request, uint64_t count, void* dst,
                std::vector<uint8_t>* state_out) {
    uint64_t n = 0, op = request.op_seed;
    if (!request.state.empty()) {
        std::memcpy(&n, request.state.data(), 8);
        std::memcpy(&op, request.state.data() + 8, 8);
    }
    const PhiloxCounter start = {static_cast<uint32_t>(n), static_cast<uint32_t>(n >> 32),
                                 static_cast<uint32_t>(op), static_cast<uint32_t>(op >> 32)};
    const PhiloxKey key = {static_cast<uint32_t>(request.global_seed),
                           static_cast<uint32_t>(request.global_seed >> 32)};
    const bool wide = request.type == tombola_f64;
    const uint64_t per_block = wide ? 2 : 4;
    double values[4];
    uint128 in_values = ~uint128{0};
    for (uint64_t i = 0; i < count; ++i) {
        const uint128 number = uint128{request.offset} + i;
        if (number / per_block != in_values) {
            in_values = number / per_block;
            const auto words = philox_block(philox_add(start, in_values), key);
            if (wide) {
                tensorflow_pair_f64(words, values);
            } else {
                tensorflow_pair_f32(words[0], words[1], values);
                tensorflow_pair_f32(words[2], words[3], values + 2);
            }
        }
        const double value = round_to(request.type, values[number % per_block]);
        const double product = round_to(request.type, value * request.std);
        put(request.type, dst, i, round_to(request.type, product + request.mean));
    }
    if (state_out == nullptr) return;
    const PhiloxCounter after = philox_add(start, (uint128{request.offset} + count) * uint128{256});
    state_out->resize(16);
    std::memcpy(state_out->data(), after.data(), 16);
}

// ---- pytorch

double u53(Mt19937& words) {
    const uint64_t first = words.next();
    const uint64_t bits = first << 32 | words.next();
    return std::ldexp(static_cast<double>(bits & ((uint64_t{1} << 53) - 1)), -53);
}

// 16 values from 16 uniform numbers.
void pytorch_block_f32(Mt19937& words, const NormalRequest& request, double* out) {
    float v[kBlock];
    for (float& value : v) value = static_cast<float>(words.next() & 0xFFFFFF) / 16777216.0f;
    const auto mean = static_cast<float>(request.mean), std = static_cast<float>(request.std);
    for (uint64_t j = 0; j < 8; ++j) {
        const float radius = std::sqrt(-2.0f * ln(1.0f - v[j]));
        const DirectionF32 d = sin_cos(static_cast<float>(kTwoPi) * v[j + 8]);
        out[j] = std::fma(radius * d.cos, std, mean);
        out[j + 8] = std::fma(radius * d.sin, std, mean);
    }
}
void pytorch_block_f64(Mt19937& words, const NormalRequest& request, double* out) {
    double v[kBlock];
    for (double& value : v) value = u53(words);
    for (uint64_t j = 0; j < 8; ++j) {
        const double radius = std::sqrt(-2.0 * ln(1.0 - v[j]));
        const Direction d = sin_cos(kTwoPi * v[j + 8]);
        out[j] = std::fma(radius * d.cos, request.std, request.mean);
        out[j + 8] = std::fma(radius * d.sin, request.std, request.mean);
    }
}
void pytorch_block_narrow(Mt19937& words, const NormalRequest& request, double* out) {
    const tombola_data_type_t type = request.type;
    const auto rounded = [type](double x) { return round_to(type, x); };
    const uint32_t steps = type == tombola_f16 ? 2048 : 256;
    double v[kBlock];
    for (double& value : v) value = static_cast<double>(words.next() % steps) / steps;
    for (uint64_t j = 0; j < 8; ++j) {
        const double logarithm = rounded(ln(static_cast<float>(1 - v[j])));
        const double radius = rounded(std::sqrt(static_cast<float>(-2 * logarithm)));
        const double angle = rounded(static_cast<float>(kTwoPi * v[j + 8]));
        const DirectionF32 d = sin_cos(static_cast<float>(angle));
        const auto scale = [&](double x) {
            const double value = rounded(radius * rounded(x));
            return rounded(rounded(value * request.std) + request.mean);
        };
        out[j] = scale(d.cos);
        out[j + 8] = scale(d.sin);
    }
}

void pytorch_block(Mt19937& words, const NormalRequest& request, double* out) {
    if (is_narrow(request.type))
        pytorch_block_narrow(words, request, out);
    else if (request.type == tombola_f64)
        pytorch_block_f64(words, request, out);
    else
        pytorch_block_f32(words, request, out);
}

void pytorch_large(const NormalRequest& request, uint64_t count, Mt19937& words, void* dst) {
    double block[kBlock];
    for (uint64_t i = 0; i + kBlock <= count; i += kBlock) {
        pytorch_block(words, request, block);
        for (uint64_t j = 0; j < kBlock; ++j) put(request.type, dst, i + j, block[j]);
    }
    if (count % kBlock == 0) return;
    words.discard(count % kBlock * (request.type == tombola_f64 ? 2 : 1));
    pytorch_block(words, request, block);
    for (uint64_t j = 0; j < kBlock; ++j) put(request.type, dst, count - kBlock + j, block[j]);
}

struct Kept {
    uint32_t valid;
    uint32_t low, high;
};

void pytorch_small(const NormalRequest& request, uint64_t count, Mt19937& words, Kept& kept,
                   void* dst) {
    for (uint64_t i = 0; i < count; ++i) {
        double normal = 0;
        if (kept.valid) {
            const uint64_t bits = uint64_t{kept.high} << 32 | kept.low;
            std::memcpy(&normal, &bits, 8);
            kept = {0, 0, 0};
        } else {
            const double u1 = u53(words), u2 = u53(words);
            const double radius = std::sqrt(-2.0 * ln(1.0 - u2));
            const Direction d = sin_cos(kTwoPi * u1);
            normal = radius * d.cos;
            const double second = radius * d.sin;
            uint64_t bits;
            std::memcpy(&bits, &second, 8);
            kept = {1, static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
        }
        double value = std::fma(normal, request.std, request.mean);
        if (request.type != tombola_f64) value = static_cast<float>(value);
        put(request.type, dst, i, value);
    }
}

void pytorch(const NormalRequest& request, uint64_t count, void* dst,
             std::vector<uint8_t>* state_out) {
    Mt19937::State state{};
    Kept kept{0, 0, 0};
    if (!request.state.empty()) {
        std::memcpy(state.data(), request.state.data(), kMtBytes);
        std::memcpy(&kept, request.state.data() + kMtBytes, sizeof kept);
    }
    if (!kept.valid) kept = {0, 0, 0};
    Mt19937 words = request.state.empty() ? Mt19937(static_cast<uint32_t>(request.global_seed))
                                          : Mt19937(state);
    words.discard(uint128{request.offset} * (request.type == tombola_f64 ? 2 : 1));
    if (count >= kBlock)
        pytorch_large(request, count, words, dst);
    else
        pytorch_small(request, count, words, kept, dst);
    if (state_out == nullptr) return;
    state = words.state();
    state_out->resize(kMtBytes + sizeof kept);
    std::memcpy(state_out->data(), state.data(), kMtBytes);
    std::memcpy(state_out->data() + kMtBytes, &kept, sizeof kept);
}

}  // namespace

size_t normal_state_bytes(tombola_alignment_t alignment) {
    return alignment == tombola_alignment_pytorch ? kMtBytes + sizeof(Kept) : 16;
}

std::string normal_refusal(const NormalRequest& request, uint64_t count) {
    if (!std::isfinite(request.mean)) return "the mean is not finite";
    if (!std::isfinite(request.std) || request.std < 0)
        return "the deviation is not finite or negative";
    if (request.alignment != tombola_alignment_pytorch) return "";
    if (request.offset % kBlock != 0) return "the offset is no multiple of 16";
    if (request.offset != 0 && 0 < count && count < kBlock)
        return "an offset for fewer than 16 elements";
    if (request.state.empty()) return "";
    if (const std::string refusal = mt_state_refusal(request.state); !refusal.empty())
        return refusal;
    Kept kept;
    std::memcpy(&kept, request.state.data() + kMtBytes, sizeof kept);
    if (kept.valid > 1) return "the state's flag is neither 0 nor 1";
    if (kept.valid && (kept.high & 0x7FF00000) == 0x7FF00000)
        return "the kept number is not finite";
    return "";
}

void random_normal_reference(const NormalRequest& request, uint64_t count, void* dst,
                             std::vector<uint8_t>* state_out) {
    if (request.alignment == tombola_alignment_pytorch)
        pytorch(request, count, dst, state_out);
    else
        tensorflow(request, count, dst, state_out);
}

}  // namespace tombola::reference
