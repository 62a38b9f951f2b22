// SPDX-License-Identifier: Apache-2.0

/// @file
/// Numbers of C++ as arguments of one element. Included by the primitives that take such arguments.

#ifndef TOMBOLA_NUMBER_HPP
#define TOMBOLA_NUMBER_HPP

#include <cmath>
#include <cstdint>
#include <cstring>
#include <locale>
#include <sstream>
#include <string>
#include <type_traits>

#include "engine.hpp"
#include "error.hpp"
#include "memory.hpp"

namespace tombola {

/// @cond
namespace detail {

inline const char* number_type(memory::data_type type) {
    using dt = memory::data_type;
    if (type == dt::f64) return "double";
    if (type == dt::s32) return "int32_t";
    return type == dt::s64 ? "int64_t" : "float";
}

inline uint32_t float_bits(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

// To nearest, ties to even.
inline uint16_t float_to_bf16(float value) {
    const uint32_t bits = float_bits(value);
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FC0;  // NaN
    return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

// To nearest, ties to even.
inline uint16_t float_to_f16(float value) {
    const uint32_t bits = float_bits(value);
    const uint32_t sign = bits >> 16 & 0x8000;
    const uint32_t magnitude = bits & 0x7FFFFFFF;
    if (magnitude > 0x7F800000) return 0x7E00;                                 // NaN
    if (magnitude >= 0x477FF000) return static_cast<uint16_t>(sign | 0x7C00);  // 65520 on
    if (magnitude >= 0x38800000) {  // 2^-14 on: rebias the exponent, round 13 bits away
        const uint32_t rebiased = magnitude - 0x38000000;
        return static_cast<uint16_t>(sign | ((rebiased + 0xFFF + (rebiased >> 13 & 1)) >> 13));
    }
    if (magnitude < 0x33000000) return static_cast<uint16_t>(sign);  // below 2^-25
    // A subnormal: a multiple of 2^-24.
    const uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
    const uint32_t shift = 126 - (magnitude >> 23);
    const uint32_t half = 1u << (shift - 1);
    const uint32_t even = mantissa >> shift & 1;
    return static_cast<uint16_t>(sign | ((mantissa + half - 1 + even) >> shift));
}

// The shortest decimal text of at least 6 digits that reads back as the same number.
inline std::string number_text(float value) {
    std::string text;
    for (int digits = 6; digits <= 9; ++digits) {
        std::ostringstream out;
        out.imbue(std::locale::classic());
        out.precision(digits);
        out << value;
        text = out.str();
        std::istringstream in(text);
        in.imbue(std::locale::classic());
        float read = 0;
        // Equal, without what -Wfloat-equal warns of.
        if (in >> read && read >= value && read <= value) break;
    }
    return text;
}

// Returns a tensor of one element with the descriptor `md`. T is float for f16, bf16 and f32, double for f64, int32_t
// for s32 and int64_t for s64. Another type is an error, and so are an empty descriptor and a finite number that f16 or
// bf16 would round to infinity. The message begins with `what`, the name of the argument.
template <class T>
memory number_memory(const memory::desc& md, const engine& aengine, T value, const char* what) {
    using dt = memory::data_type;
    constexpr bool is_float = std::is_same<T, float>::value;
    constexpr bool is_double = std::is_same<T, double>::value;
    constexpr bool is_integer = std::is_integral<T>::value && std::is_signed<T>::value;
    static_assert(is_float || is_double || (is_integer && sizeof(T) >= 4),
                  "numbers are float, double, int32_t or int64_t");
    const char* name = is_float         ? "float"
                       : is_double      ? "double"
                       : sizeof(T) == 4 ? "int32_t"
                                        : "int64_t";
    if (md.is_zero())
        error::raise(tombola_invalid_arguments,
                     std::string(what) + " is given for a primitive descriptor of full_range; " +
                         "expected one with bounds");
    const dt type = md.get_data_type();
    if (std::strcmp(name, number_type(type)) != 0)
        error::raise(tombola_invalid_arguments,
                     std::string(what) + " is of type " + name + "; expected " + number_type(type) +
                         ", as the destination has the data type " +
                         tombola_dt2str(static_cast<tombola_data_type_t>(type)));
    memory made(md, aengine);
    if (type == dt::f16 || type == dt::bf16) {
        const auto number = static_cast<float>(value);
        const uint16_t bits = type == dt::f16 ? float_to_f16(number) : float_to_bf16(number);
        const uint16_t infinity = type == dt::f16 ? 0x7C00 : 0x7F80;
        if (std::isfinite(number) && (bits & 0x7FFF) == infinity)
            error::raise(tombola_invalid_arguments,
                         std::string(what) + " is " + number_text(number) +
                             "; expected a number that " +
                             tombola_dt2str(static_cast<tombola_data_type_t>(type)) + " can hold");
        std::memcpy(made.get_data_handle(), &bits, sizeof(bits));
    } else {
        std::memcpy(made.get_data_handle(), &value, sizeof(value));
    }
    return made;
}

}  // namespace detail
/// @endcond

}  // namespace tombola

#endif
