// SPDX-License-Identifier: Apache-2.0
#pragma once

// What functions write and return.

#include "tensor.hpp"

namespace tombola_python {

// What a function writes and returns: `out` if it is not None, and otherwise a new NumPy array. A `dtype` or `shape`
// that is None is that of `out`; without `out`, dtype's default is the first of the types, and there must be a shape.
struct Output {
    Tensor tensor;
    py::object result;

    // No output: its tensor has no address, and its result is None.
    Output() : result(py::none()) {}
    Output(py::handle shape, py::handle dtype, py::handle out, const Types& types,
           const char* shape_name = "shape");
    // The same for a shape that other arguments determine: the one of this name has the numbers that are the caller's.
    Output(memory::dims shape, py::handle dtype, py::handle out, const Types& types,
           const char* shape_name = "shape");
    // A new array.
    Output(memory::dims shape, memory::data_type type, const char* shape_name = "shape");

  private:
    // Makes a new array of the shape tensor.dims.
    void allocate(memory::data_type type, const char* shape_name);
    // Takes an `out` that is not None.
    void take(py::handle out, py::handle dtype, const Types& types);
};

// A new array of this type, of the shape and the order of dimensions in memory of the tensor `read`.
py::object array_like(const Tensor& read, memory::data_type data_type);

// `out` if it is not None, and otherwise a new array of the shape, the dtype and the order of dimensions in memory of `src`, which
// is the tensor `read`.
py::object out_or_like(py::handle out, py::handle src, const Tensor& read);

}  // namespace tombola_python
