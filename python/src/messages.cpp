// SPDX-License-Identifier: Apache-2.0
#include "messages.hpp"

#include <pybind11/numpy.h>

#include <cctype>
#include <string_view>

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

// What the library calls an argument or a type, and what Python does.
struct Word {
    const char* function;  // the C function or primitive whose word this is; null: every one's
    const char* library;
    const char* python;
};
constexpr Word kWords[] = {
    {"multinomial", "SRC", "weights"},
    {"multinomial", "probs_desc", "weights"},
    {"token_sampler", "SRC", "logits"},
    {"token_sampler", "logits_desc", "logits"},
    {"random_permutation", "range", "n"},
    {"mt19937_normal_state_to_torch", "state", "the generator's state"},
    {nullptr, "torch_state", "state"},
    {nullptr, "SRC", "src"},
    {nullptr, "DST", "out"},
    {nullptr, "DIFF_DST", "src"},
    {nullptr, "DIFF_SRC", "out"},
    {nullptr, "MIN", "low"},
    {nullptr, "MAX", "high"},
    {nullptr, "MEAN", "mean"},
    {nullptr, "STD", "std"},
    {nullptr, "LAMBDA", "rate"},
    {nullptr, "P", "p"},
    {nullptr, "SEEDS", "seed"},
    {nullptr, "OFFSET", "offset"},
    {nullptr, "UNIFORMS", "uniforms"},
    {nullptr, "MASK", "mask"},
    {nullptr, "TEMPERATURE", "temperature"},
    {nullptr, "TOP_K", "top_k"},
    {nullptr, "TOP_P", "top_p"},
    {nullptr, "MIN_P", "min_p"},
    {nullptr, "SRC_STATE", "state"},
    {nullptr, "s32", "int32"},
    {nullptr, "s64", "int64"},
};

std::string word_of_python(std::string_view function, std::string_view word) {
    for (const Word& known : kWords)
        if (word == known.library && (known.function == nullptr || function == known.function))
            return known.python;
    return std::string(word);
}

}  // namespace

std::string in_words_of_python(const std::string& message) {
    // The message begins with the function's name.
    const size_t colon = message.find(": ");
    if (colon == std::string::npos) return message;
    const std::string_view function(message.data(), colon);
    const auto is_letter = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    std::string text;
    for (size_t at = colon + 2; at < message.size();) {
        size_t end = at;
        while (end < message.size() && is_letter(message[end])) ++end;
        if (end == at) {
            text += message[at++];
            continue;
        }
        text += word_of_python(function, std::string_view(message).substr(at, end - at));
        at = end;
    }
    return text;
}

[[noreturn]] void value_error(const std::string& message) { throw py::value_error(message); }
[[noreturn]] void type_error(const std::string& message) { throw py::type_error(message); }

[[noreturn]] void value_error(const std::string& message, py::error_already_set& cause) {
    py::raise_from(cause, PyExc_ValueError, message.c_str());
    throw py::error_already_set();
}
[[noreturn]] void type_error(const std::string& message, py::error_already_set& cause) {
    py::raise_from(cause, PyExc_TypeError, message.c_str());
    throw py::error_already_set();
}

std::string_view utf8_of(py::handle text) {
    if (PyUnicode_Check(text.ptr()) == 0) return {};
    Py_ssize_t size = 0;
    if (const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size))
        return {bytes, static_cast<size_t>(size)};
    PyErr_Clear();  // the text has half of a surrogate pair
    return {};
}

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
