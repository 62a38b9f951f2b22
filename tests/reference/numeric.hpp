// SPDX-License-Identifier: Apache-2.0
#pragma once

// Data types as bytes: sizes, names, and the conversions of the references, which share none with the library.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tombola/tombola_types.h"

namespace tombola::reference {

// Bytes of one element; 0 for what is not a type.
size_t size_of(tombola_data_type_t type);
bool is_floating(tombola_data_type_t type);

// Round to nearest, ties to even, in one step from the double; overflow gives infinity.
uint16_t double_to_f16(double value);
uint16_t double_to_bf16(double value);
double f16_to_double(uint16_t bits);
double bf16_to_double(uint16_t bits);

// One element of any type, as its little-endian bytes.
using Scalar = std::array<uint8_t, 8>;

template <class T>
Scalar scalar_of(T value) {
    static_assert(sizeof(T) <= sizeof(Scalar));
    Scalar scalar{};
    __builtin_memcpy(scalar.data(), &value, sizeof(T));
    return scalar;
}
template <class T>
T value_of(const Scalar& scalar) {
    static_assert(sizeof(T) <= sizeof(Scalar));
    T value;
    __builtin_memcpy(&value, scalar.data(), sizeof(T));
    return value;
}

// The floating-point scalars nearest to doubles, and their bytes one behind the other.
Scalar nearest(tombola_data_type_t type, double value);
std::vector<uint8_t> to_bytes(tombola_data_type_t type, const std::vector<double>& values);

// The value of a floating-point scalar.
double double_of(tombola_data_type_t type, const Scalar& scalar);

// Reads a number: decimal or 0x hex, a sign in front; floating point also with fraction, exponent, inf and nan.
// Returns false when the text is no number; `fits` tells whether the type can hold it: integers exactly, floating
// point unless it would round to infinity.
bool parse_scalar(tombola_data_type_t type, const std::string& text, Scalar& scalar, bool& fits);

// The element at `data`, as text: %.9g and the like for floating point, with the bits in hex behind it.
std::string element_to_string(tombola_data_type_t type, const void* data);

}  // namespace tombola::reference
