// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <cmath>
#include <cstring>
#include <string_view>

#include "common/fp_env.hpp"

namespace tombola_python {
namespace {

using type = memory::data_type;

// Whether an object is an array or a tensor that has dimensions. One element makes it no number, although __index__() and
// __float__() may serve it.
bool has_dimensions(py::handle object) {
    if (PyLong_Check(object.ptr()) != 0 || PyFloat_Check(object.ptr()) != 0) return false;
    const py::object shape = py::getattr(object, "shape", py::none());
    return PyTuple_Check(shape.ptr()) != 0 && PyTuple_GET_SIZE(shape.ptr()) > 0;
}

// The integer that an object is. Throws the exception of Python that it makes; a TypeError says that it is no integer.
py::object index_of(py::handle number) {
    auto index = py::reinterpret_steal<py::object>(PyNumber_Index(number.ptr()));
    if (!index) throw py::error_already_set();
    return index;
}

py::object integer_of(py::handle number, const char* name) {
    const auto message = [&] {
        return std::string(name) + " is " + text_of(number) + "; expected an integer";
    };
    if (has_dimensions(number)) type_error(message());
    try {
        return index_of(number);
    } catch (py::error_already_set& cause) {
        if (!cause.matches(PyExc_TypeError)) throw;
        type_error(message(), cause);
    }
}

// Whether the last conversion failed; forgets Python's own error.
bool failed() {
    const bool error = PyErr_Occurred() != nullptr;
    if (error) PyErr_Clear();
    return error;
}

uint32_t bits_of(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

float of_bits(uint32_t bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
}

uint32_t to_bf16(float value) {
    const uint32_t bits = bits_of(value);
    const bool nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    return nan ? 0x7FC0 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

// float() makes a number of a complex number of NumPy without its imaginary part, and of text and times in an array without dimensions.
bool is_real_number(py::handle number) {
    const py::object dtype = py::getattr(number, "dtype", py::none());
    return !py::isinstance<py::dtype>(dtype) ||
           std::strchr("cSUOmM", py::reinterpret_borrow<py::dtype>(dtype).kind()) == nullptr;
}

}  // namespace

uint64_t unsigned_of(py::handle number, const char* name) {
    const py::object index = integer_of(number, name);
    const uint64_t value = PyLong_AsUnsignedLongLong(index.ptr());
    if (failed())
        value_error(std::string(name) + " is " + text_of(number) +
                    "; expected an integer from 0 to 2^64 - 1");
    return value;
}

int64_t signed_of(py::handle number, const char* name, const char* expected) {
    return Integer(number, name).in(INT64_MIN, INT64_MAX, expected);
}

int64_t count_of(py::handle number, const char* name) {
    return Integer(number, name).in(0, INT64_MAX, "a number from 0 to 2^63 - 1");
}

Integer::Integer(py::handle number, const char* name)
    : integer_(integer_of(number, name)), name_(name) {}

std::optional<int64_t> Integer::value_in(int64_t least, int64_t greatest) const {
    const int64_t value = PyLong_AsLongLong(integer_.ptr());
    if (failed() || value < least || value > greatest) return std::nullopt;
    return value;
}

void Integer::refuse(const std::string& expected) const {
    value_error(std::string(name_) + " is " + text_of(integer_) + "; expected " + expected);
}

py::object number_of(py::handle number, const char* name) {
    if (PyLong_Check(number.ptr())) return index_of(number);
    if (PyFloat_Check(number.ptr())) return py::float_(PyFloat_AS_DOUBLE(number.ptr()));
    const auto message = [&] { return std::string(name) + " is " + text_of(number); };
    if (has_dimensions(number) || !is_real_number(number))
        type_error(message() + "; expected a number");
    if (PyIndex_Check(number.ptr()) != 0) {
        try {
            return index_of(number);
        } catch (py::error_already_set& error) {  // a tensor of floating-point numbers
            if (!error.matches(PyExc_TypeError)) throw;
        }
    }
    const double value = PyFloat_AsDouble(number.ptr());
    if (PyErr_Occurred() == nullptr) return py::float_(value);
    py::error_already_set cause;
    if (cause.matches(PyExc_TypeError)) type_error(message() + "; expected a number", cause);
    if (cause.matches(PyExc_ValueError)) value_error(message() + "; expected a number", cause);
    if (cause.matches(PyExc_OverflowError))
        value_error(message() + "; expected a number that float64 can hold", cause);
    throw cause;
}

bool flag_of(py::handle flag, const char* name) {
    if (flag.ptr() == Py_True || flag.ptr() == Py_False) return flag.ptr() == Py_True;
    const std::string_view name_of_type = Py_TYPE(flag.ptr())->tp_name;
    if (name_of_type == "numpy.bool_" || name_of_type == "numpy.bool")
        return PyObject_IsTrue(flag.ptr()) == 1;
    if (PyLong_Check(flag.ptr()) != 0) {
        const long number = PyLong_AsLong(flag.ptr());
        if (!failed() && (number == 0 || number == 1)) return number == 1;
    }
    type_error(std::string(name) + " is " + text_of(flag) + "; expected True or False");
}

bool is_sequence(py::handle object) {
    PyObject* const one = object.ptr();
    if (PyUnicode_Check(one) || PyBytes_Check(one) || PyByteArray_Check(one)) return false;
    // PyTorch's tensors have no slots of a sequence, only those of a mapping.
    if (!PySequence_Check(one)) return has_dimensions(object) && py::hasattr(object, "__iter__");
    // An array without dimensions has no length; it may be an integer.
    if (PyObject_Size(one) >= 0) return true;
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw py::error_already_set();
    PyErr_Clear();
    return false;
}

memory::dims shape_of(py::handle shape, const char* name) {
    memory::dims dims;
    const auto add = [&](py::handle number) {
        const auto message = [&] {
            return std::string(name) + " is " + text_of(shape) +
                   "; expected an integer or a sequence of integers";
        };
        if (has_dimensions(number)) type_error(message());
        py::object index;
        try {
            index = index_of(number);
        } catch (py::error_already_set& cause) {
            if (!cause.matches(PyExc_TypeError)) throw;
            type_error(message(), cause);
        }
        const Py_ssize_t size = PyLong_AsSsize_t(index.ptr());
        if (size < 0) {
            PyErr_Clear();
            value_error(std::string(name) + " is " + text_of(shape) +
                        "; expected numbers from 0 to 2^63 - 1");
        }
        dims.push_back(size);
    };
    if (is_sequence(shape)) {
        for (const py::handle number : shape) add(number);
    } else {
        add(shape);
    }
    return dims;
}

std::array<uint64_t, 2> seeds_of(py::handle seed, const char* expected) {
    if (seed.is_none()) return {};
    const bool sequence = is_sequence(seed);
    if (!sequence && PyIndex_Check(seed.ptr())) return {unsigned_of(seed, "seed"), 1};
    const auto refuse = [&] { type_error("seed is " + text_of(seed) + "; expected " + expected); };
    if (!sequence || py::len(seed) != 2) refuse();
    constexpr const char* kNames[] = {"seed[0]", "seed[1]"};
    std::array<uint64_t, 2> seeds{};
    size_t read = 0;
    for (const py::handle one : seed) {
        if (read == seeds.size()) break;
        seeds[read] = unsigned_of(one, kNames[read]);
        ++read;
    }
    if (read != seeds.size()) refuse();  // it has another length than it said
    return seeds;
}

tombola::alignment alignment_of(py::handle name) {
    return named<tombola::alignment>(
        name, "alignment",
        {{"tensorflow", tombola::alignment::tensorflow}, {"pytorch", tombola::alignment::pytorch}});
}

Element::Element(py::handle number, memory::data_type data_type, const char* name) {
    const tombola::impl::DefaultFpEnv fp_env;
    const auto store = [&](const auto& value) {
        std::memcpy(bytes_.data(), &value, sizeof(value));
    };
    if (data_type == type::s32 || data_type == type::s64) {
        const int64_t value = signed_of(number, name);
        if (data_type == type::s32 && (value < INT32_MIN || value > INT32_MAX))
            value_error(std::string(name) + " is " + text_of(number) +
                        "; expected a number that int32 can hold");
        store(value);
        return;
    }
    const double value = PyFloat_AsDouble(number.ptr());
    if (failed())
        value_error(std::string(name) + " is " + text_of(number) +
                    "; expected a number that float64 can hold");
    switch (data_type) {
        case type::f64:
            rounded_ = value;
            store(value);
            break;
        case type::f32:
            rounded_ = static_cast<float>(value);
            store(static_cast<float>(rounded_));
            break;
        case type::bf16: {
            const uint32_t bits = to_bf16(static_cast<float>(value));
            rounded_ = of_bits(bits << 16);
            store(bits);
            break;
        }
        case type::f16: {
            auto* const bytes = reinterpret_cast<char*>(bytes_.data());
            const bool overflow = PyFloat_Pack2(static_cast<float>(value), bytes, 1) != 0;
            if (overflow) PyErr_Clear();
            rounded_ = overflow ? HUGE_VAL : PyFloat_Unpack2(bytes, 1);
            break;
        }
        default:  // No other type has numbers that are arguments.
            break;
    }
    if (std::isinf(rounded_) && !std::isinf(value))
        value_error(std::string(name) + " is " + text_of(number) + "; expected a number that " +
                    name_of(data_type) + " can hold");
}

bool Element::is_below(const Element& other) const {
    const tombola::impl::DefaultFpEnv fp_env;
    const volatile bool below = rounded_ < other.rounded_;  // compared before fp_env ends
    return below;
}

bool Element::is_finite() const { return std::isfinite(rounded_); }

py::object in_default_fp_env(const py::function& function, const py::args& args) {
    const tombola::impl::DefaultFpEnv fp_env;
    return function(*args);
}

}  // namespace tombola_python
