// SPDX-License-Identifier: Apache-2.0
#pragma once

// What messages are made of.

#include <pybind11/pybind11.h>

#include <string>
#include <string_view>

#include "tombola/tombola.hpp"

namespace tombola_python {

namespace py = pybind11;
using tombola::memory;

[[noreturn]] void value_error(const std::string& message);
[[noreturn]] void type_error(const std::string& message);
// The same with the exception that is the cause, as `raise ... from cause` of Python has it.
[[noreturn]] void value_error(const std::string& message, py::error_already_set& cause);
[[noreturn]] void type_error(const std::string& message, py::error_already_set& cause);

// The text of a str, as long as the str lives. Empty for other objects, and for text that UTF-8 cannot hold.
std::string_view utf8_of(py::handle text);

// What PyObject_Repr() or PyObject_Str() says, cut if it is long, or the object's class where that fails: repr() of a very
// large integer does, and code of the caller's may. What is no Exception, such as KeyboardInterrupt, is raised.
std::string said_by(PyObject* (*convert)(PyObject*), py::handle object);
// What a message calls an object: what repr() says; of an array the dtype and the shape.
std::string text_of(py::handle object);
// A shape as Python writes it, cut if it is long.
std::string tuple_of(const memory::dims& shape);

// A message of the library in the words of Python's functions: "low is nan; expected a finite number" for
// "random_uniform: MIN is nan; expected a finite number".
std::string in_words_of_python(const std::string& message);

}  // namespace tombola_python
