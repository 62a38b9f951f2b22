// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python objects that are tensors: NumPy arrays, and whatever exports its data by DLPack.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "types.hpp"

namespace tombola_python {

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
    // The argument's name, for messages, and whether it is written.
    const char* name = "";
    bool is_written = false;

    size_t elements() const;
    // The elements of a row-major tensor in one dimension: fills depend on their number alone, so more of them share a
    // primitive.
    Tensor flat() &&;
    // A number as a tensor of one dimension, and any other tensor as it is: descriptors have a dimension.
    Tensor at_least_1d() const&;
    Tensor at_least_1d() &&;
    // In bytes, as NumPy has them.
    std::vector<py::ssize_t> byte_strides() const;
    // Raises ValueError with the argument's name for dimensions and strides that no descriptor has.
    memory::desc desc() const;
};

// The bits of bfloat16 numbers: an array of uint16. Raises TypeError for anything else.
py::array bfloat16_bits(py::handle bits, const char* name);

// Reads an array or a DLPack exporter. Raises TypeError for other objects and other data types, ValueError for layouts that
// tombola does not have. `name` is the argument's.
Tensor input(py::handle object, const char* name, const Types& types);
// The same where elements may share an address: strides of 0.
Tensor shared_input(py::handle object, const char* name, const Types& types);
// The same for what is written: raises ValueError for read-only arrays.
Tensor written(py::handle object, const char* name, const Types& types);

// A row-major array of this many numbers in one dimension. Raises TypeError or ValueError with the argument's name for any
// other.
Tensor numbers_of(py::handle object, memory::data_type type, size_t count, const char* name);

// Whether an object is an array or a tensor that can be exported by DLPack.
bool is_tensor(py::handle object);

// tombola.BFloat16Array, looked up once. The GIL guards where it is kept: a lock of C++ around an import could wait for the
// GIL while its holder waits for that lock.
py::handle bfloat16_class();

// Raises ValueError for a tensor that is not dense in row-major order.
void check_row_major(const Tensor& tensor);
// Raises ValueError for a tensor of another shape.
void check_shape(const Tensor& tensor, const memory::dims& expected, const char* name);

}  // namespace tombola_python
