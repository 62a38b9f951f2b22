// SPDX-License-Identifier: Apache-2.0

// tombola._core: the functions behind the package's Python functions, which document them.

#include <pybind11/pybind11.h>

#include <array>
#include <cstring>

#include "prepared.hpp"
#include "tensor.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;

constexpr int kUniform = 1;

struct Seeds {
    std::array<uint64_t, 2> words{};
};

uint64_t unsigned_of(py::handle number, const char* name) {
    const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(number.ptr()));
    if (!index) {
        PyErr_Clear();
        type_error(std::string(name) + " is " + text_of(number) + "; expected an integer");
    }
    const uint64_t value = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        value_error(std::string(name) + " is " + text_of(number) +
                    "; expected an integer from 0 to 2^64 - 1");
    }
    return value;
}

// None: (0, 0), for which the library draws entropy. An integer n: (n, 1). Otherwise two integers.
Seeds seeds_of(py::handle seed) {
    if (seed.is_none()) return {};
    if (PyIndex_Check(seed.ptr())) return {{unsigned_of(seed, "seed"), 1}};
    if (!PySequence_Check(seed.ptr()) || PyUnicode_Check(seed.ptr()) || py::len(seed) != 2)
        type_error("seed is " + text_of(seed) + "; expected None, an integer or two integers");
    const auto pair = py::reinterpret_borrow<py::sequence>(seed);
    return {{unsigned_of(pair[0], "seed[0]"), unsigned_of(pair[1], "seed[1]")}};
}

tombola::alignment alignment_of(py::handle name) {
    if (PyUnicode_Check(name.ptr())) {
        if (PyUnicode_CompareWithASCIIString(name.ptr(), "tensorflow") == 0)
            return tombola::alignment::tensorflow;
        if (PyUnicode_CompareWithASCIIString(name.ptr(), "pytorch") == 0)
            return tombola::alignment::pytorch;
    }
    value_error("alignment is " + text_of(name) + "; expected \"tensorflow\" or \"pytorch\"");
}

// One element of a type, from a number of Python.
struct Element {
    std::array<unsigned char, 8> bytes{};

    Element(py::handle number, type data_type, const char* name) {
        if (data_type == type::s32 || data_type == type::s64) {
            integer(number, data_type, name);
            return;
        }
        const double value = PyFloat_AsDouble(number.ptr());
        if (PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            type_error(std::string(name) + " is " + text_of(number) + "; expected a number");
        }
        if (data_type == type::f64) {
            std::memcpy(bytes.data(), &value, sizeof(value));
        } else if (data_type == type::f16) {
            if (PyFloat_Pack2(value, reinterpret_cast<char*>(bytes.data()), 1) != 0) {
                PyErr_Clear();
                value_error(std::string(name) + " is " + text_of(number) +
                            "; expected a number that float16 can hold");
            }
        } else {
            const auto single = static_cast<float>(value);
            uint32_t bits = 0;
            std::memcpy(&bits, &single, sizeof(bits));
            if (data_type == type::bf16) {
                // Nearest, ties to even; a NaN stays one.
                const bool nan = (bits & 0x7FFFFFFF) > 0x7F800000;
                bits = nan ? 0x7FC0 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
            }
            std::memcpy(bytes.data(), &bits, sizeof(bits));
        }
    }
    const void* data() const { return bytes.data(); }

  private:
    void integer(py::handle number, type data_type, const char* name) {
        const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(number.ptr()));
        if (!index) {
            PyErr_Clear();
            type_error(std::string(name) + " is " + text_of(number) + "; expected an integer");
        }
        int overflow = 0;
        const int64_t value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
        const bool narrow = data_type == type::s32;
        if (overflow != 0 || (narrow && (value < INT32_MIN || value > INT32_MAX)))
            value_error(std::string(name) + " is " + text_of(number) + "; expected a number that " +
                        (narrow ? "int32" : "int64") + " can hold");
        std::memcpy(bytes.data(), &value, sizeof(value));
    }
};

// The elements of a row-major tensor in one dimension: fills depend on their number alone, and so more of them share a
// primitive.
Tensor flat(Tensor tensor) {
    if (tensor.strides.empty()) tensor.dims = {static_cast<memory::dim>(tensor.elements())};
    return tensor;
}

py::object uniform(py::handle shape, py::handle dtype, py::handle low, py::handle high,
                   py::handle seed, py::handle offset, py::handle alignment_name, py::handle out) {
    const Output output(shape, dtype, out, type::f32);
    const Tensor dst = flat(output.tensor);
    const auto alignment = alignment_of(alignment_name);
    const Seeds seeds = seeds_of(seed);
    const uint64_t first = unsigned_of(offset, "offset");
    const Element min(low, dst.type, "low"), max(high, dst.type, "high");
    Key key{kUniform, static_cast<int64_t>(alignment)};
    add_to(key, dst);
    run<tombola::random_uniform>(std::move(key),
                                 {{TOMBOLA_ARG_MIN, min.data()},
                                  {TOMBOLA_ARG_MAX, max.data()},
                                  {TOMBOLA_ARG_SEEDS, seeds.words.data()},
                                  {TOMBOLA_ARG_OFFSET, &first},
                                  {TOMBOLA_ARG_DST, dst.data}},
                                 [&] {
                                     return tombola::random_uniform::primitive_desc(
                                         cpu(), alignment, dst.desc(), 0, 1);
                                 });
    return output.result;
}

void raise(const tombola::error& error) {
    PyObject* kind = PyExc_RuntimeError;
    if (error.status == tombola_invalid_arguments) kind = PyExc_ValueError;
    if (error.status == tombola_out_of_memory) kind = PyExc_MemoryError;
    if (error.status == tombola_unimplemented) kind = PyExc_NotImplementedError;
    PyErr_SetString(kind, error.what());
}

}  // namespace
}  // namespace tombola_python

PYBIND11_MODULE(_core, module) {
    using namespace tombola_python;
    py::register_exception_translator([](std::exception_ptr pointer) {
        try {
            if (pointer) std::rethrow_exception(pointer);
        } catch (const tombola::error& error) {
            raise(error);
        }
    });
    const tombola_version_t* version = tombola_version();
    module.attr("version") = std::to_string(version->major) + "." + std::to_string(version->minor) +
                             "." + std::to_string(version->patch);
    module.def("uniform", &uniform);
}
