// SPDX-License-Identifier: Apache-2.0
#include "reference/stochastic_rounding_reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "reference/numeric.hpp"
#include "reference/philox_reference.hpp"

namespace tombola::reference {

namespace {

struct Format {
    int precision;     // digits, the implied one included
    int min_exponent;  // of normal numbers
    int draw_bits;     // the low bits of a draw that decide
    double max;
    uint16_t (*encode)(double);
};

Format format_of(tombola_data_type_t type) {
    if (type == tombola_f16) return {11, -14, 13, 65504.0, double_to_f16};
    return {8, -126, 16, std::ldexp(255.0, 120), double_to_bf16};
}

}  // namespace

uint16_t stochastic_round(tombola_data_type_t type, uint32_t x_bits, uint32_t draw) {
    float x;
    std::memcpy(&x, &x_bits, 4);
    const auto sign = static_cast<uint16_t>(x_bits >> 31 << 15);
    if (std::isnan(x)) {
        const uint32_t fraction = x_bits & 0x7fffff;
        return sign | static_cast<uint16_t>(type == tombola_f16 ? 0x7e00 | fraction >> 13
                                                                : 0x7fc0 | fraction >> 16);
    }
    const Format format = format_of(type);
    if (std::isinf(x)) return sign | format.encode(INFINITY);
    const double magnitude = std::fabs(static_cast<double>(x));
    int exponent = magnitude == 0 ? format.min_exponent : std::ilogb(magnitude);
    exponent = std::max(exponent, format.min_exponent);
    const double unit = std::ldexp(1.0, exponent - (format.precision - 1));
    // Down, and up with the probability of the fraction: floor(fraction + draw * 2^-bits).
    const double steps = std::ldexp(1.0, format.draw_bits);
    const auto low_bits = static_cast<double>(draw & ((1u << format.draw_bits) - 1));
    const double units = std::floor((std::floor(magnitude / unit * steps) + low_bits) / steps);
    return sign | format.encode(std::min(units * unit, format.max));
}

void stochastic_rounding_reference(const RoundingRequest& request, uint64_t count, const void* src,
                                   void* dst) {
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t bits;
        std::memcpy(&bits, static_cast<const char*>(src) + 4 * i, 4);
        const uint32_t draw = philox_draw(request.global_seed, request.op_seed, 16,
                                          static_cast<unsigned __int128>(request.offset) + i);
        const uint16_t result = stochastic_round(request.type, bits, draw);
        std::memcpy(static_cast<char*>(dst) + 2 * i, &result, 2);
    }
}

}  // namespace tombola::reference
