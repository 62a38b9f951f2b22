// SPDX-License-Identifier: Apache-2.0

// tombola._core: the functions behind the package's Python functions, which document them.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "arguments.hpp"
#include "functions.hpp"
#include "messages.hpp"
#include "positional.hpp"
#include "tombola/tombola.hpp"

namespace py = pybind11;

namespace {

// The exception of Python for an error of the library.
PyObject* kind_of(const tombola::error& error) {
    switch (error.status) {
        case tombola_invalid_arguments:
            return PyExc_ValueError;
        case tombola_out_of_memory:
            return PyExc_MemoryError;
        case tombola_unimplemented:
            return PyExc_NotImplementedError;
        default:
            return PyExc_RuntimeError;
    }
}

void raise_error(const tombola::error& error) {
    PyErr_SetString(kind_of(error), tombola_python::in_words_of_python(error.what()).c_str());
}

// For pybind11's functions.
void translate(std::exception_ptr thrown) {
    try {
        if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const tombola::error& error) {
        raise_error(error);
    }
}

}  // namespace

void tombola_python::raise_handled() {
    try {
        throw;
    } catch (py::error_already_set& error) {
        error.restore();
    } catch (const py::builtin_exception& error) {
        error.set_error();
    } catch (const tombola::error& error) {
        raise_error(error);
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (...) {
        PyErr_SetString(PyExc_RuntimeError, "an exception that is no std::exception");
    }
}

PYBIND11_MODULE(_core, module) {
    py::register_local_exception_translator(translate);
    // NumPy's functions are found here, by one thread: pybind11 would do it in the first call, behind a lock of C++.
    py::detail::npy_api::get();
    const tombola_version_t* version = tombola_version();
    module.attr("version") = std::to_string(version->major) + "." + std::to_string(version->minor) +
                             "." + std::to_string(version->patch);
    module.def("text_of", &tombola_python::text_of);
    module.def("in_default_fp_env", &tombola_python::in_default_fp_env);
    tombola_python::add_state(module);
    tombola_python::add_random(module);
    tombola_python::add_sampling(module);
    tombola_python::add_elementwise(module);
    tombola_python::add_shuffle(module);
    tombola_python::add_bit_generators(module);
    tombola_python::add_export(module);
}
