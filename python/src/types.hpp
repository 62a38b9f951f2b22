// SPDX-License-Identifier: Apache-2.0
#pragma once

// Data types, the names that Python has for them, and which of them an argument may have.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <cstdint>
#include <string>

#include "messages.hpp"

namespace tombola_python {

// The data types that an argument may have; what a result has by default comes first.
struct Types {
    std::array<memory::data_type, 7> list;  // then undef
    // What messages say of them, if it is not their names.
    const char* text = nullptr;
    // Whether the data is only moved: any numbers are taken as the one of these that has their size.
    bool moved = false;

    bool has(memory::data_type type) const;
    // Such as "float32, float64 or float16".
    std::string expected() const;
};

inline constexpr Types kFloats{{memory::data_type::f32, memory::data_type::f64,
                                memory::data_type::f16, memory::data_type::bf16}};
inline constexpr Types kIndices{{memory::data_type::s64, memory::data_type::s32}};

// Raises TypeError for a dtype that is not among these types. The text begins with the argument and the dtype.
[[noreturn]] void refuse_type(const std::string& text, bool in_native_order, const Types& types);

// The data type that the argument `dtype` names: "float32", numpy.float32, numpy.dtype("float32"), torch.float32,
// "bfloat16", ... Raises TypeError for what names none of these types.
memory::data_type data_type_of(py::handle dtype, const Types& types);
// NumPy's name of a data type.
const char* name_of(memory::data_type type);

// The data type of an array's elements; undef for what tombola does not have.
memory::data_type type_of(const py::array& array);
bool in_native_order(const py::array& array);

// The data type of elements that DLPack describes; undef for what tombola does not have.
memory::data_type type_of_dlpack(uint8_t code, uint8_t bits);
// NumPy's letter for the kind of elements that DLPack has under this code, 'B' for bfloat16, and 0 for what NumPy does not have.
char kind_of_dlpack(uint8_t code);
// NumPy's name of them.
std::string name_of_dlpack(uint8_t code, uint8_t bits);

}  // namespace tombola_python
