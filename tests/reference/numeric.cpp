// SPDX-License-Identifier: Apache-2.0
#include "reference/numeric.hpp"

#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace tombola::reference {

size_t size_of(tombola_data_type_t type) {
    switch (type) {
        case tombola_s8:
        case tombola_u8:
        case tombola_f8_e5m2:
        case tombola_f8_e4m3:
        case tombola_boolean:
            return 1;
        case tombola_f16:
        case tombola_bf16:
            return 2;
        case tombola_f32:
        case tombola_s32:
        case tombola_u32:
            return 4;
        case tombola_f64:
        case tombola_s64:
        case tombola_u64:
            return 8;
        case tombola_data_type_undef:
            break;
    }
    return 0;
}

bool is_floating(tombola_data_type_t type) {
    return type == tombola_f16 || type == tombola_bf16 || type == tombola_f32 ||
           type == tombola_f64;
}

namespace {

// A binary floating-point format of 16 bits: `fraction` stored bits, exponents down to min_exponent (of the
// smallest normal number), 15 - fraction exponent bits.
struct Format16 {
    int fraction;
    int min_exponent;
    int max_exponent;
};
constexpr Format16 kF16{10, -14, 15};
constexpr Format16 kBf16{7, -126, 127};

uint16_t encode(double value, const Format16& format) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const int bias = format.max_exponent;
    const uint16_t infinity = static_cast<uint16_t>((2 * bias + 1) << format.fraction);
    if (std::isnan(value))
        return sign | infinity | static_cast<uint16_t>(1 << (format.fraction - 1));
    const double magnitude = std::fabs(value);
    if (std::isinf(value)) return sign | infinity;
    if (magnitude == 0) return sign;

    // magnitude = units * 2^unit, where 2^unit is the distance of neighbours in the format.
    const int exponent = std::max(std::ilogb(magnitude), format.min_exponent);
    const int unit = exponent - format.fraction;
    const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
    // A carry out of the fraction raises the exponent by itself, up to infinity.
    const auto exponent_field = static_cast<uint32_t>(exponent - format.min_exponent);
    const uint32_t bits = (exponent_field << format.fraction) + units;
    return sign | static_cast<uint16_t>(bits < infinity ? bits : infinity);
}

double decode(uint16_t bits, const Format16& format) {
    const uint32_t fraction_mask = (1u << format.fraction) - 1;
    const uint32_t field = (bits & 0x7fffu) >> format.fraction;
    const uint32_t fraction = bits & fraction_mask;
    const uint32_t all_ones = 2u * static_cast<uint32_t>(format.max_exponent) + 1;
    double magnitude;
    if (field == all_ones)
        magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                             : std::numeric_limits<double>::infinity();
    else if (field == 0)
        magnitude = std::ldexp(fraction, format.min_exponent - format.fraction);
    else
        magnitude = std::ldexp(fraction + fraction_mask + 1,
                               static_cast<int>(field) - format.max_exponent - format.fraction);
    return bits & 0x8000 ? -magnitude : magnitude;
}

template <class T>
bool parse_integer(const char* digits, char** end, bool negative, Scalar& scalar, bool& fits) {
    const bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    errno = 0;
    const uint64_t magnitude = std::strtoull(digits, end, hex ? 16 : 10);
    const auto greatest = static_cast<uint64_t>(std::numeric_limits<T>::max());
    const uint64_t limit = !negative ? greatest : std::is_signed_v<T> ? greatest + 1 : 0;
    fits = errno != ERANGE && magnitude <= limit;
    scalar = scalar_of(static_cast<T>(negative ? uint64_t{0} - magnitude : magnitude));
    return true;
}

}  // namespace

uint16_t double_to_f16(double value) { return encode(value, kF16); }
uint16_t double_to_bf16(double value) { return encode(value, kBf16); }

Scalar nearest(tombola_data_type_t type, double value) {
    switch (type) {
        case tombola_f16:
            return scalar_of(double_to_f16(value));
        case tombola_bf16:
            return scalar_of(double_to_bf16(value));
        case tombola_f32:
            return scalar_of(static_cast<float>(value));
        default:
            return scalar_of(value);
    }
}

std::vector<uint8_t> to_bytes(tombola_data_type_t type, const std::vector<double>& values) {
    std::vector<uint8_t> bytes;
    bytes.reserve(values.size() * size_of(type));
    for (const double value : values) {
        const Scalar scalar = nearest(type, value);
        bytes.insert(bytes.end(), scalar.begin(), scalar.begin() + size_of(type));
    }
    return bytes;
}
double f16_to_double(uint16_t bits) { return decode(bits, kF16); }
double bf16_to_double(uint16_t bits) { return decode(bits, kBf16); }

double double_of(tombola_data_type_t type, const Scalar& scalar) {
    switch (type) {
        case tombola_f16:
            return f16_to_double(value_of<uint16_t>(scalar));
        case tombola_bf16:
            return bf16_to_double(value_of<uint16_t>(scalar));
        case tombola_f32:
            return value_of<float>(scalar);
        default:
            return value_of<double>(scalar);
    }
}

bool parse_scalar(tombola_data_type_t type, const std::string& text, Scalar& scalar, bool& fits) {
    const char* begin = text.c_str();
    const bool negative = *begin == '-';
    const char* digits = begin + (*begin == '-' || *begin == '+');
    if (std::strchr("0123456789.in", *digits) == nullptr || *digits == '\0') return false;

    char* end = nullptr;
    const double as_double = std::strtod(begin, &end);
    if (*end != '\0') return false;
    // Every floating-point type has inf and nan.
    const bool is_word = std::strchr(digits, 'n') != nullptr;
    switch (type) {
        case tombola_f16:
        case tombola_bf16:
        case tombola_f64:
            scalar = nearest(type, as_double);
            fits = is_word || std::isfinite(double_of(type, scalar));
            return true;
        case tombola_f32:
            scalar = scalar_of(std::strtof(begin, &end));  // rounded once
            fits = is_word || std::isfinite(double_of(type, scalar));
            return true;
        case tombola_s8:
            parse_integer<int8_t>(digits, &end, negative, scalar, fits);
            break;
        case tombola_u8:
            parse_integer<uint8_t>(digits, &end, negative, scalar, fits);
            break;
        case tombola_s32:
            parse_integer<int32_t>(digits, &end, negative, scalar, fits);
            break;
        case tombola_u32:
            parse_integer<uint32_t>(digits, &end, negative, scalar, fits);
            break;
        case tombola_s64:
            parse_integer<int64_t>(digits, &end, negative, scalar, fits);
            break;
        case tombola_u64:
            parse_integer<uint64_t>(digits, &end, negative, scalar, fits);
            break;
        case tombola_f8_e5m2:
        case tombola_f8_e4m3:
        case tombola_boolean:  // no operator that takes them has a number to parse
        case tombola_data_type_undef:
            return false;
    }
    if (*end != '\0') fits = false;  // a number, but no integer
    return true;
}

std::string element_to_string(tombola_data_type_t type, const void* data) {
    Scalar scalar{};
    std::memcpy(scalar.data(), data, size_of(type));
    char text[80];
    switch (type) {
        case tombola_f16:
        case tombola_bf16:
            std::snprintf(text, sizeof text, "%.6g (0x%04x)", double_of(type, scalar),
                          value_of<uint16_t>(scalar));
            break;
        case tombola_f32:
            std::snprintf(text, sizeof text, "%.9g (0x%08" PRIx32 ")", double_of(type, scalar),
                          value_of<uint32_t>(scalar));
            break;
        case tombola_f64:
            std::snprintf(text, sizeof text, "%.17g (0x%016" PRIx64 ")", double_of(type, scalar),
                          value_of<uint64_t>(scalar));
            break;
        case tombola_s8:
            std::snprintf(text, sizeof text, "%d", value_of<int8_t>(scalar));
            break;
        case tombola_f8_e5m2:
        case tombola_f8_e4m3:
            std::snprintf(text, sizeof text, "0x%02x", value_of<uint8_t>(scalar));
            break;
        case tombola_boolean:
        case tombola_u8:
            std::snprintf(text, sizeof text, "%u", value_of<uint8_t>(scalar));
            break;
        case tombola_s32:
            std::snprintf(text, sizeof text, "%" PRId32, value_of<int32_t>(scalar));
            break;
        case tombola_u32:
            std::snprintf(text, sizeof text, "0x%08" PRIx32, value_of<uint32_t>(scalar));
            break;
        case tombola_s64:
            std::snprintf(text, sizeof text, "%" PRId64, value_of<int64_t>(scalar));
            break;
        default:
            std::snprintf(text, sizeof text, "0x%016" PRIx64, value_of<uint64_t>(scalar));
    }
    return text;
}

}  // namespace tombola::reference
