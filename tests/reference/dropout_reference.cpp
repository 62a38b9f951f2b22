// SPDX-License-Identifier: Apache-2.0
#include "reference/dropout_reference.hpp"

#include <cmath>
#include <cstring>

#include "reference/numeric.hpp"
#include "reference/philox_reference.hpp"

namespace tombola::reference {

namespace {

int digits(int draw_bits) { return draw_bits == 32 ? 23 : draw_bits; }

// The mask's own probability to drop: the least multiple of 2^-digits that is not below p.
double mask_probability(const DropoutRequest& request) {
    const double units = std::ldexp(1.0, digits(request.draw_bits));
    return std::ceil(static_cast<double>(request.p) * units) / units;
}

// A NaN that is kept becomes quiet: the highest bit of its fraction is set.
uint16_t scaled16(uint16_t bits, float scale, uint16_t infinity, uint16_t quiet,
                  double (*decode)(uint16_t), uint16_t (*encode)(double)) {
    if ((bits & 0x7fff) > infinity) return bits | quiet;
    const auto product = static_cast<float>(decode(bits) * static_cast<double>(scale));
    return encode(static_cast<double>(product));
}

// The product of two f32 is exact in double, so the conversion rounds it once.
uint32_t scaled32(uint32_t bits, float scale) {
    if ((bits & 0x7fffffff) > 0x7f800000) return bits | 0x00400000;
    float value;
    std::memcpy(&value, &bits, 4);
    const auto product =
        static_cast<float>(static_cast<double>(value) * static_cast<double>(scale));
    std::memcpy(&bits, &product, 4);
    return bits;
}

}  // namespace

std::string dropout_refusal(float p) {
    if (std::isnan(p)) return "P is NaN";
    return p < 0 || p > 1 ? "P is outside [0, 1]" : "";
}

std::vector<bool> dropout_keeps(const DropoutRequest& request, uint64_t count) {
    const double probability = mask_probability(request);
    const int used = digits(request.draw_bits);
    const double units = std::ldexp(1.0, used);
    std::vector<bool> keeps(count);
    for (uint64_t i = 0; i < count; ++i) {
        const uint32_t draw = philox_draw(request.global_seed, request.op_seed, request.draw_bits,
                                          static_cast<unsigned __int128>(request.offset) + i) &
                              ((1u << used) - 1);
        keeps[i] = static_cast<double>(draw) / units >= probability;
    }
    return keeps;
}

void dropout_reference(const DropoutRequest& request, const std::vector<bool>& keeps,
                       const void* src, void* dst) {
    const double probability = mask_probability(request);
    const bool copies = probability == 0, zeros = probability == 1;
    // Rounding the quotient of two f32 to double and then to f32 gives the f32 quotient (Figueroa, 1995).
    const float scale = zeros ? 0.0f : static_cast<float>(1 / (1 - probability));
    for (size_t i = 0; i < keeps.size(); ++i) {
        const bool keep = keeps[i] && !zeros;
        if (request.type == tombola_f32) {
            uint32_t bits;
            std::memcpy(&bits, static_cast<const char*>(src) + 4 * i, 4);
            bits = !keep ? 0 : copies ? bits : scaled32(bits, scale);
            std::memcpy(static_cast<char*>(dst) + 4 * i, &bits, 4);
            continue;
        }
        const bool half = request.type == tombola_f16;
        uint16_t bits;
        std::memcpy(&bits, static_cast<const char*>(src) + 2 * i, 2);
        if (!keep)
            bits = 0;
        else if (!copies && half)
            bits = scaled16(bits, scale, 0x7c00, 0x0200, f16_to_double, double_to_f16);
        else if (!copies)
            bits = scaled16(bits, scale, 0x7f80, 0x0040, bf16_to_double, double_to_bf16);
        std::memcpy(static_cast<char*>(dst) + 2 * i, &bits, 2);
    }
}

std::vector<uint8_t> dropout_mask_bytes(const std::vector<bool>& keeps) {
    return {keeps.begin(), keeps.end()};
}

std::vector<uint8_t> dropout_mask_bits(const std::vector<bool>& keeps) {
    std::vector<uint8_t> bits((keeps.size() + 7) / 8);
    for (size_t i = 0; i < keeps.size(); ++i)
        if (keeps[i]) bits[i / 8] |= static_cast<uint8_t>(1u << i % 8);
    return bits;
}

}  // namespace tombola::reference
