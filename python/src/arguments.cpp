// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <cstring>

namespace tombola_python {
namespace {

using type = memory::data_type;

py::object integer_of(py::handle number, const char* name) {
    auto index = py::reinterpret_steal<py::object>(PyNumber_Index(number.ptr()));
    if (!index) {
        PyErr_Clear();
        type_error(std::string(name) + " is " + text_of(number) + "; expected an integer");
    }
    return index;
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

uint32_t to_bf16(float value) {
    const uint32_t bits = bits_of(value);
    const bool nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    return nan ? 0x7FC0 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
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

int64_t signed_of(py::handle number, const char* name) {
    const py::object index = integer_of(number, name);
    const int64_t value = PyLong_AsLongLong(index.ptr());
    if (failed())
        value_error(std::string(name) + " is " + text_of(number) +
                    "; expected an integer from -2^63 to 2^63 - 1");
    return value;
}

std::array<uint64_t, 2> seeds_of(py::handle seed) {
    if (seed.is_none()) return {};
    const bool sequence = PySequence_Check(seed.ptr()) && !PyUnicode_Check(seed.ptr());
    if (!sequence && PyIndex_Check(seed.ptr())) return {unsigned_of(seed, "seed"), 1};
    if (!sequence || py::len(seed) != 2)
        type_error("seed is " + text_of(seed) + "; expected None, an integer or two integers");
    const auto pair = py::reinterpret_borrow<py::sequence>(seed);
    const py::object global = pair[0], op = pair[1];
    return {unsigned_of(global, "seed[0]"), unsigned_of(op, "seed[1]")};
}

tombola::alignment alignment_of(py::handle name) {
    return named<tombola::alignment>(
        name, "alignment",
        {{"tensorflow", tombola::alignment::tensorflow}, {"pytorch", tombola::alignment::pytorch}});
}

Element::Element(py::handle number, memory::data_type data_type, const char* name) {
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
    if (failed()) type_error(std::string(name) + " is " + text_of(number) + "; expected a number");
    switch (data_type) {
        case type::f64:
            store(value);
            break;
        case type::f32:
            store(static_cast<float>(value));
            break;
        case type::bf16:
            store(to_bf16(static_cast<float>(value)));
            break;
        case type::f16:
            if (PyFloat_Pack2(value, reinterpret_cast<char*>(bytes_.data()), 1) == 0) break;
            PyErr_Clear();
            value_error(std::string(name) + " is " + text_of(number) +
                        "; expected a number that float16 can hold");
        default:
            type_error(std::string("the dtype is ") + name_of(data_type) +
                       "; expected float16, bfloat16, float32, float64, int32 or int64");
    }
}

}  // namespace tombola_python
