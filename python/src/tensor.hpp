// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python objects that are tensors: NumPy arrays, and whatever exports its data by DLPack.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "messages.hpp"

namespace tombola_python {

// The data type that a dtype names: "float32", numpy.float32, numpy.dtype("float32"), torch.float32, "bfloat16", ...
// Raises TypeError for what names none. `name` is the argument's, for the message.
memory::data_type data_type_of(py::handle dtype, const char* name);
// NumPy's name of a data type.
const char* name_of(memory::data_type type);

// Data of a Python object, which stays alive as long as this does.
struct Tensor {
    void* data = nullptr;
    memory::data_type type = memory::data_type::undef;
    // NumPy's letter for the kind of the elements; 'B' for bfloat16, '>' for another order of bytes than the machine's.
    char kind = 0;
    memory::dims dims;
    // In elements; empty: row-major.
    memory::dims strides;
    py::object owner;
    // The argument's name, for messages.
    const char* name = "";

    size_t elements() const;
    // The elements of a row-major tensor in one dimension: fills depend on their number alone, so more of them share a
    // primitive.
    Tensor flat() const;
    // A number as a tensor of one dimension, and any other tensor as it is: descriptors have a dimension.
    Tensor at_least_1d() const;
    // Raises ValueError with the argument's name for dimensions and strides that no descriptor has.
    memory::desc desc() const;
};

// The bits of bfloat16 numbers: an array of uint16. Raises TypeError for anything else.
py::array bfloat16_bits(py::handle bits, const char* name);

// Reads an array or a DLPack exporter. Raises TypeError for other objects and for data types that tombola does not have,
// ValueError for layouts that it does not have. `name` is the argument's.
Tensor input(py::handle object, const char* name);
// The same for what is written: raises ValueError for read-only arrays.
Tensor written(py::handle object, const char* name);
// The same for data that is only moved: any type of numbers of 1, 2, 4 or 8 bytes, as one of tombola's of that size.
Tensor moved(py::handle object, const char* name, bool is_written);

// A row-major array of this many numbers in one dimension. Raises ValueError with the argument's name for any other.
Tensor numbers_of(py::handle object, memory::data_type type, size_t count, const char* name);

// tombola.BFloat16Array, looked up once. The GIL guards where it is kept: a lock of C++ around an import could wait for the
// GIL while its holder waits for that lock.
py::handle bfloat16_class();

// Raises ValueError for a tensor of another shape.
void check_shape(const Tensor& tensor, const memory::dims& expected, const char* name);

}  // namespace tombola_python
