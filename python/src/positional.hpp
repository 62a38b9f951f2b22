// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of Python that take objects by position. Python calls them without making a tuple of the arguments (METH_FASTCALL).
// pybind11's functions need that tuple, and convert each argument, so a call of one takes longer.

#include <cxxabi.h>
#include <pybind11/pybind11.h>

#include <string>
#include <utility>

#include "messages.hpp"

namespace tombola_python {

// Makes Python raise the exception of C++ that is being handled.
void raise_handled();

template <auto function>
class Positional;
template <class... Handles, py::object (*function)(Handles...)>
class Positional<function> {
  public:
    static void add_to(py::module_& module, const char* name) {
        definition_ = {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call)),
                       METH_FASTCALL, nullptr};
        const auto made = py::reinterpret_steal<py::object>(PyCFunction_NewEx(
            &definition_, module.ptr(), py::object(module.attr("__name__")).ptr()));
        if (!made) throw py::error_already_set();
        module.attr(name) = made;
    }

  private:
    static inline PyMethodDef definition_{};

    static PyObject* call(PyObject* /*module*/, PyObject* const* arguments, Py_ssize_t count) {
        try {
            constexpr auto kArguments = static_cast<Py_ssize_t>(sizeof...(Handles));
            if (count != kArguments)
                type_error(std::string(definition_.ml_name) + " got " + std::to_string(count) +
                           " arguments; expected " + std::to_string(kArguments));
            return apply(arguments, std::index_sequence_for<Handles...>()).release().ptr();
#ifdef __GLIBCXX__
        } catch (const abi::__forced_unwind&) {  // the thread ends
            throw;
#endif
        } catch (...) {
            raise_handled();
            return nullptr;
        }
    }
    template <size_t... i>
    static py::object apply(PyObject* const* arguments, std::index_sequence<i...> /*places*/) {
        return function(arguments[i]...);
    }
};

// Adds a function of C++ to the module.
template <auto function>
void add_positional(py::module_& module, const char* name) {
    Positional<function>::add_to(module, name);
}

}  // namespace tombola_python
