// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <pybind11/numpy.h>

namespace tombola_python {
namespace {

// At most this many bytes of a text, whole characters of UTF-8.
std::string cut(std::string text) {
    constexpr size_t kMax = 200;
    if (text.size() <= kMax) return text;
    size_t end = kMax;
    while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    return text + "...";
}

}  // namespace

[[noreturn]] void value_error(const std::string& message) { throw py::value_error(message); }
[[noreturn]] void type_error(const std::string& message) { throw py::type_error(message); }

std::string said_by(PyObject* (*convert)(PyObject*), py::handle object) {
    const auto text = py::reinterpret_steal<py::object>(convert(object.ptr()));
    Py_ssize_t size = 0;
    const char* const bytes = text ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
    if (bytes != nullptr) return cut({bytes, static_cast<size_t>(size)});
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw py::error_already_set();
    PyErr_Clear();
    return std::string("an object of the class ") + Py_TYPE(object.ptr())->tp_name;
}

std::string text_of(py::handle object) {
    if (!py::isinstance<py::array>(object)) return said_by(PyObject_Repr, object);
    const auto array = py::reinterpret_borrow<py::array>(object);
    return "an array of the dtype " + said_by(PyObject_Str, array.dtype()) + " and the shape " +
           tuple_of(memory::dims(array.shape(), array.shape() + array.ndim()));
}

std::string tuple_of(const memory::dims& shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) text += ", ";
        text += std::to_string(shape[i]);
    }
    return cut(text + (shape.size() == 1 ? ",)" : ")"));
}

}  // namespace tombola_python
