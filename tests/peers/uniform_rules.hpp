// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers in [min, max) from a generator's words, as a C++ program would write it: for peers that give words alone.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "peers.hpp"

namespace tombola::peers {

template <class To, class From>
To bits_as(From from) {
    To to;
    static_assert(sizeof to == sizeof from);
    std::memcpy(&to, &from, sizeof to);
    return to;
}

// TensorFlow: the words' low bits are the fraction, under the exponent of 1.
struct TensorflowRule {
    static float f32(uint32_t w) { return bits_as<float>(0x3F800000 | (w & 0x7FFFFF)) - 1; }
    static double f64(uint32_t first, uint32_t second) {
        const uint64_t fraction = uint64_t{first & 0xFFFFF} << 32 | second;
        return bits_as<double>(uint64_t{0x3FF} << 52 | fraction) - 1;
    }
    static uint64_t pair(uint32_t first, uint32_t second) { return uint64_t{second} << 32 | first; }
};

// PyTorch: the words' low bits are an integer.
struct PytorchRule {
    static float f32(uint32_t w) { return static_cast<float>(w & 0xFFFFFF) * 0x1p-24f; }
    static double f64(uint32_t first, uint32_t second) {
        const uint64_t low = pair(first, second) & ((uint64_t{1} << 53) - 1);
        return static_cast<double>(low) * 0x1p-53;
    }
    static uint64_t pair(uint32_t first, uint32_t second) { return uint64_t{first} << 32 | second; }
};

// One value of type T in [0, 1), or any integer. Whether an s64 takes two words depends on the bounds.
template <class Rule, class T, class Next>
auto draw(bool two_words, const Next& next) {
    const uint32_t word = next();
    if constexpr (std::is_same_v<T, float>)
        return Rule::f32(word);
    else if constexpr (std::is_same_v<T, double>)
        return Rule::f64(word, next());
    else if constexpr (std::is_same_v<T, int32_t>)
        return word;
    else
        return two_words ? Rule::pair(word, next()) : uint64_t{word};
}

// `count` values with the bounds of the case, from next(), the next word.
template <class Rule, class T, class Next>
void fill_uniform(const Uniform& c, T* to, size_t count, bool two_words, const Next& next) {
    if constexpr (std::is_floating_point_v<T>) {
        const T min = static_cast<T>(c.min), scale = static_cast<T>(c.max - c.min);
        if (min == 0 && scale == 1)
            for (size_t i = 0; i < count; ++i) to[i] = draw<Rule, T>(two_words, next);
        else
            for (size_t i = 0; i < count; ++i) to[i] = draw<Rule, T>(two_words, next) * scale + min;
    } else {
        using Unsigned = std::make_unsigned_t<T>;
        const auto min = static_cast<T>(c.min);
        const auto range = static_cast<Unsigned>(c.max - c.min);
        for (size_t i = 0; i < count; ++i)
            to[i] = static_cast<T>(draw<Rule, T>(two_words, next) % range) + min;
    }
}

// Calls visit(T{}) with the case's type. f16 and bf16 have none in C++17: those cases are left to others.
inline bool has_cpp_type(Type type) { return type != Type::f16 && type != Type::bf16; }
template <class Visit>
void with_cpp_type(Type type, const Visit& visit) {
    if (type == Type::f32) visit(float{});
    if (type == Type::f64) visit(double{});
    if (type == Type::s32) visit(int32_t{});
    if (type == Type::s64) visit(int64_t{});
}

}  // namespace tombola::peers
