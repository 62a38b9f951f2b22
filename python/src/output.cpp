// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;

// NumPy's number of a data type. The bits of a bfloat16 go into uint16.
int number_in_numpy(type data_type) {
    using api = py::detail::npy_api;
    switch (data_type) {
        case type::f32:
            return api::NPY_FLOAT_;
        case type::f64:
            return api::NPY_DOUBLE_;
        case type::f16:
            return 23;  // NPY_HALF
        case type::bf16:
            return api::NPY_USHORT_;
        case type::s32:
            return api::NPY_INT_;
        case type::s64:
            return api::NPY_LONG_;
        case type::u32:
            return api::NPY_UINT_;
        case type::u64:
            return api::NPY_ULONG_;
        case type::s8:
            return api::NPY_BYTE_;
        default:  // u8: data_type_of() gives no other
            return api::NPY_UBYTE_;
    }
}

py::dtype dtype_in_numpy(type data_type) {
    return py::reinterpret_steal<py::dtype>(
        py::detail::npy_api::get().PyArray_DescrFromType_(number_in_numpy(data_type)));
}

// A new array. py::array would compute the strides first, which takes longer than NumPy's own way.
py::object row_major_array(py::dtype dtype, const memory::dims& dims) {
    const auto& api = py::detail::npy_api::get();
    auto made = py::reinterpret_steal<py::object>(api.PyArray_NewFromDescr_(
        api.PyArray_Type_, dtype.release().ptr(), static_cast<int>(dims.size()), dims.data(),
        nullptr, nullptr, 0, nullptr));
    if (!made) throw py::error_already_set();
    return made;
}

// A BFloat16Array over these bits. No code of Python runs for it: where the interpreter ends meanwhile, Python ends a thread that
// runs its code, and with it the functions of C++ on its stack.
py::object bfloat16_array(const py::object& bits) {
    auto* const its_class = reinterpret_cast<PyTypeObject*>(bfloat16_class().ptr());
    auto made =
        py::reinterpret_steal<py::object>(its_class->tp_new(its_class, py::tuple().ptr(), nullptr));
    if (!made) throw py::error_already_set();
    made.attr("bits") = bits;
    return made;
}

// A new array without gaps, of the shape and the order of dimensions in memory of a tensor.
py::object dense_array(py::dtype dtype, const Tensor& like) {
    if (like.strides.empty()) return row_major_array(std::move(dtype), like.dims);
    const size_t ndims = like.dims.size();
    std::vector<size_t> axes(ndims);
    std::iota(axes.begin(), axes.end(), size_t{0});
    std::stable_sort(axes.begin(), axes.end(),
                     [&](size_t a, size_t b) { return like.strides[a] > like.strides[b]; });
    std::vector<py::ssize_t> strides(ndims);
    py::ssize_t step = dtype.itemsize();
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        strides[*axis] = step;
        step *= std::max<py::ssize_t>(like.dims[*axis], 1);
    }
    return py::array(dtype, like.dims, strides);
}

}  // namespace

Output::Output(py::handle shape, py::handle dtype, py::handle out, const Types& types,
               const char* shape_name) {
    if (!shape.is_none()) {
        *this = Output(shape_of(shape, shape_name), dtype, out, types, shape_name);
        return;
    }
    if (out.is_none())
        type_error(std::string(shape_name) + " is None; expected a shape, or out, which has one");
    take(out, dtype, types);
}

Output::Output(memory::dims shape, py::handle dtype, py::handle out, const Types& types,
               const char* shape_name) {
    if (out.is_none()) {
        tensor.dims = std::move(shape);
        allocate(dtype.is_none() ? types.list[0] : data_type_of(dtype, types), shape_name);
        return;
    }
    take(out, dtype, types);
    check_shape(tensor, shape, "out");
}

Output::Output(memory::dims shape, memory::data_type type, const char* shape_name) {
    tensor.dims = std::move(shape);
    allocate(type, shape_name);
}

void Output::take(py::handle out, py::handle dtype, const Types& types) {
    tensor = written(out, "out", dtype.is_none() ? types : Types{{data_type_of(dtype, types)}});
    result = py::reinterpret_borrow<py::object>(out);
}

void Output::allocate(memory::data_type data_type, const char* shape_name) {
    tensor.type = data_type;
    tensor.name = shape_name;
    const auto refuse = [&](const char* expected) {
        const bool is_shape = std::string_view(shape_name) == "shape";
        value_error(shape_name + std::string(is_shape ? " is " : " makes the shape ") +
                    tuple_of(tensor.dims) + "; expected " + expected);
    };
    // NumPy counts a size of 0 as 1 here.
    size_t bytes = memory::data_type_size(tensor.type);
    for (const memory::dim size : tensor.dims)
        if (__builtin_mul_overflow(bytes, static_cast<size_t>(std::max<memory::dim>(size, 1)),
                                   &bytes) ||
            bytes >> 56 != 0)
            refuse("fewer than 2^56 bytes");
    try {
        tensor.owner = row_major_array(dtype_in_numpy(tensor.type), tensor.dims);
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_ValueError)) throw;
        refuse("no more dimensions than NumPy has");
    }
    tensor.data = py::detail::array_proxy(tensor.owner.ptr())->data;
    result = tensor.type == type::bf16 ? bfloat16_array(tensor.owner) : tensor.owner;
}

py::object array_like(const Tensor& read, memory::data_type data_type) {
    py::object made = dense_array(dtype_in_numpy(data_type), read);
    return data_type == type::bf16 ? bfloat16_array(made) : made;
}

py::object out_or_like(py::handle out, py::handle src, const Tensor& read) {
    if (!out.is_none()) return py::reinterpret_borrow<py::object>(out);
    if (py::isinstance<py::array>(src))
        return dense_array(py::reinterpret_borrow<py::array>(src).dtype(), read);
    if (read.kind == 'B') return array_like(read, type::bf16);
    // NumPy's own name: "f4", "b1".
    const std::string name = read.kind + std::to_string(memory::data_type_size(read.type));
    try {
        return dense_array(py::dtype(name), read);
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_TypeError)) throw;
        type_error(std::string(read.name) + " has elements of the kind " + name +
                   ", which NumPy does not have; expected out with it");
    }
}

}  // namespace tombola_python
