// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python objects that are tensors: NumPy arrays, and whatever exports its data by DLPack.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "tombola/tombola.hpp"

namespace tombola_python {

namespace py = pybind11;
using tombola::memory;

[[noreturn]] void value_error(const std::string& message);
[[noreturn]] void type_error(const std::string& message);
// What a message calls an object: what repr() says; of an array the dtype and the shape.
std::string text_of(py::handle object);

// The data type that a dtype names: "float32", numpy.float32, numpy.dtype("float32"), torch.float32, "bfloat16", ...
// Raises TypeError for what names none. `name` is the argument's, for the message.
memory::data_type data_type_of(py::handle dtype, const char* name);
// NumPy's name of a data type.
const char* name_of(memory::data_type type);

// Data of a Python object, which stays alive as long as this does.
struct Tensor {
    void* data = nullptr;
    memory::data_type type = memory::data_type::undef;
    // NumPy's letter for the kind of the elements; 'B' for bfloat16.
    char kind = 0;
    memory::dims dims;
    // In elements; empty: row-major.
    memory::dims strides;
    py::object owner;

    size_t elements() const;
    // The elements of a row-major tensor in one dimension: fills depend on their number alone, so more of them share a
    // primitive.
    Tensor flat() const;
    // A number as a tensor of one dimension, and any other tensor as it is: descriptors have a dimension.
    Tensor at_least_1d() const;
    memory::desc desc() const { return memory::desc(dims, type, strides); }
};

// Reads an array or a DLPack exporter. Raises TypeError for other objects and for data types that tombola does not have,
// ValueError for layouts that it does not have. `name` is the argument's.
Tensor input(py::handle object, const char* name);
// The same for what is written: raises ValueError for read-only arrays.
Tensor written(py::handle object, const char* name);
// The same for data that is only moved: any type of numbers of 1, 2, 4 or 8 bytes, as one of tombola's of that size.
Tensor moved(py::handle object, const char* name, bool is_written);

// What a function writes and returns: `out` if it is not None, and otherwise a new NumPy array. A `dtype` or `shape`
// that is None is that of `out`; without `out`, dtype's default is `usual`, and there must be a shape.
struct Output {
    Tensor tensor;
    py::object result;

    // No output: its tensor has no address, and its result is None.
    Output() : result(py::none()) {}
    Output(py::handle shape, py::handle dtype, py::handle out, memory::data_type usual);
    // The same for a shape that other arguments determine.
    Output(const memory::dims& shape, py::handle dtype, py::handle out, memory::data_type usual);
};

// `out` if it is not None, and otherwise a new tensor of the shape and dtype of `src`; a NumPy array has its order of
// memory too.
py::object out_or_like(py::handle out, py::handle src);

// Raises ValueError for a tensor of another shape.
void check_shape(const Tensor& tensor, const memory::dims& expected, const char* name);

// A shape: an integer or a sequence of integers. Raises TypeError and ValueError.
memory::dims shape_of(py::handle shape);

}  // namespace tombola_python
